"""Time that repeats: folds are periods of slots that lie apart, no surer than the homes behind them."""

import numpy as np
import pytest
from tests.provider.simulated import MICRO, answers, plan_of, tallies_of

from hushwatt.errors import UsageError
from hushwatt.provider.estimate.arrays import SlotTimeline, TallyArrays
from hushwatt.provider.estimate.document import document
from hushwatt.provider.estimate.estimate import estimate
from hushwatt.provider.estimate.times.fold import FOLDS, fold_rows
from hushwatt.provider.estimate.times.time_filter import TimeFilter
from hushwatt.provider.tally.tally import TallyKey

NAME, VALUES = "appliance 0", np.array([0.0, 1000.0])
HOMES, DAYS = 2400, 14


def living_homes(rng):
    """Levels by hour and home: habits that stay, and a daily cycle."""
    habit = rng.beta(0.3, 0.7, size=HOMES)
    cycle = 0.6 + 0.4 * np.sin(2 * np.pi * np.arange(24) / 24)
    chance = np.tile(np.outer(cycle, habit), (DAYS, 1))
    return rng.random(chance.shape) < chance


def spoken_by_turns(rng, plan, used):
    """Tallies of homes that speak with ε in one slot of every window."""
    phase, slots = rng.permutation(HOMES) % plan.window, len(used)
    held = np.array([np.bincount(used[slot, phase == slot % plan.window], minlength=2) for slot in range(slots)])
    counts = [answers(rng, plan, plan.epsilon, 0, held, slots)]
    keys = [TallyKey(slot, 0, slot, plan.epsilon) for slot in range(slots)]
    return tallies_of(HOMES, keys, [held.sum(axis=1)], counts)


def coverage(window, seed, times, fold="hour"):
    plan, rng = plan_of([VALUES], oracle="grr", epsilon="6", window=window, method="lpu"), np.random.default_rng(seed)
    inside = []
    for _ in range(times):
        used = living_homes(rng)
        found = estimate(plan, spoken_by_turns(rng, plan, used), fold=fold)
        truth = VALUES[1] * used.reshape(DAYS, 24, HOMES).mean(axis=(0, 2))
        inside += [
            each.by_period[NAME].low <= truth[int(each.key)] <= each.by_period[NAME].high for each in found.folds
        ]
    return np.mean(inside)


@pytest.mark.parametrize("window", [24, 25, 8, 48])
def test_hours_cover(window):
    """About 95 % of the hours hold the truth, also where the same homes always speak at the same hour."""
    assert coverage(window, seed=window, times=9) > 0.92


def test_the_same_homes_at_the_same_hour_are_counted_once(monkeypatch):
    """Taking every report for another home's would cover much less where turns come round with the day."""
    monkeypatch.setattr("hushwatt.provider.estimate.period.part_asked", lambda plan, drawn: 1.0)

    assert coverage(24, seed=24, times=8) < 0.8


def test_a_fold_of_all_slots_is_the_period():
    """One key for everything gives the numbers of the whole period, to the last bit."""
    plan, rng = plan_of([VALUES], oracle="grr", epsilon="6", window=8, method="lpu"), np.random.default_rng(1)
    tallies = spoken_by_turns(rng, plan, living_homes(rng))
    found = estimate(plan, tallies, fold="month")

    assert [(each.key, each.slots) for each in found.folds] == [("jan", 24 * DAYS)]
    assert document(found)["folds"][0]["appliances"] == {
        name: {key: value for key, value in each.items() if key != "swap_homes"}
        for name, each in document(found)["appliances"].items()
    }
    assert document(found)["folds"][0]["influence"] == found.influence


def test_a_fold_is_the_mean_of_its_slots():
    """Filtered to one hour, the period is that hour's fold."""
    plan, rng = plan_of([VALUES], oracle="grr", epsilon="6", window=24, method="lpu"), np.random.default_rng(2)
    tallies = spoken_by_turns(rng, plan, living_homes(rng))
    folded = next(each for each in estimate(plan, tallies, fold="hour").folds if each.key == "18")
    filtered = estimate(plan, tallies, times=TimeFilter.parse("18-19", None))

    assert len(filtered.slots) == folded.slots == DAYS
    assert filtered.by_period[NAME].watts == folded.by_period[NAME].watts
    assert (filtered.by_period[NAME].low, filtered.by_period[NAME].high) == (
        folded.by_period[NAME].low,
        folded.by_period[NAME].high,
    )


def rows_of(plan, slots):
    keys = [TallyKey(slot, 0, slot, MICRO) for slot in range(slots)]
    tallies = tallies_of(10, keys, [np.full(slots, 10)], [np.full((slots, 2), 5)])
    return SlotTimeline.of(TallyArrays.of(plan, tallies), 1, publish=plan.publish)


def test_keys_by_the_local_clock():
    """Clocks that go forward have no hour 02 on that day; those that go back have it twice."""
    plan = plan_of([VALUES], start="2024-03-30", timezone="Europe/Berlin")
    hours = fold_rows(plan, rows_of(plan, 71), "hour")
    autumn = plan_of([VALUES], start="2024-10-26", timezone="Europe/Berlin")
    back = fold_rows(autumn, rows_of(autumn, 73), "hour")

    assert {key: int(mask.sum()) for key, mask in hours.items()} == {
        f"{hour:02}": 3 - (hour == 2) for hour in range(24)
    }
    assert {key: int(mask.sum()) for key, mask in back.items()} == {f"{hour:02}": 3 + (hour == 2) for hour in range(24)}


def test_keys_in_the_order_of_the_week():
    plan = plan_of([VALUES], start="2024-01-03")  # a Wednesday
    weekdays, hours = (list(fold_rows(plan, rows_of(plan, 24 * 8), fold)) for fold in ("weekday", "hour-of-week"))

    assert weekdays == ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
    assert (hours[0], hours[-1], len(hours)) == ("mon 00", "sun 23", 168)


@pytest.mark.parametrize("fold, slot", [("hour", "1d"), ("hour-of-week", "2d"), ("weekday", "2d"), ("month", "7d")])
def test_slots_too_long_for_a_fold_are_refused(fold, slot):
    plan = plan_of([VALUES], slot=slot, start="2024-01-01")

    with pytest.raises(UsageError, match="cannot be told apart"):
        fold_rows(plan, rows_of(plan, 40), fold)


def test_an_unknown_fold_is_refused():
    with pytest.raises(UsageError, match="choose one of hour, weekday, hour-of-week, month"):
        fold_rows(plan_of([VALUES]), rows_of(plan_of([VALUES]), 3), "decade")
    assert len(FOLDS) == 8


def test_each_hour_comes_by_itself_also_the_one_that_comes_twice():
    """Where clocks go back, an hour comes twice, under two names and in its order."""
    plan = plan_of([VALUES], start="2024-10-26", timezone="Europe/Berlin")
    keys = list(fold_rows(plan, rows_of(plan, 49), "each-hour"))

    assert keys[25:29] == [f"2024-10-27T0{hour}:00+0{ahead}:00" for hour, ahead in ((1, 2), (2, 2), (2, 1), (3, 1))]
    assert len(keys) == 49


def test_days_weeks_and_months_come_by_themselves():
    """A day by its date, a week by its Monday, a month by its number; weeks go on over the year's end."""
    plan = plan_of([VALUES], slot="1d", start="2024-12-29")  # a Sunday
    found = {fold: fold_rows(plan, rows_of(plan, 10), fold) for fold in ("each-day", "each-week", "each-month")}
    sizes = {fold: [int(mask.sum()) for mask in rows.values()] for fold, rows in found.items()}

    assert list(found["each-day"])[:2] == ["2024-12-29", "2024-12-30"]
    assert list(found["each-week"]) == ["2024-12-23", "2024-12-30", "2025-01-06"]
    assert list(found["each-month"]) == ["2024-12", "2025-01"]
    assert sizes == {"each-day": [1] * 10, "each-week": [1, 7, 2], "each-month": [3, 7]}


@pytest.mark.parametrize("fold, slot", [("each-hour", "2h"), ("each-day", "2d"), ("each-week", "2d")])
def test_slots_that_reach_over_a_key_are_refused(fold, slot):
    """A slot of two hours is in no single hour."""
    plan = plan_of([VALUES], slot=slot, start="2024-01-01")

    with pytest.raises(UsageError, match="cannot be told apart"):
        fold_rows(plan, rows_of(plan, 40), fold)
