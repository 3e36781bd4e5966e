"""Shares of homes above so many watts: they cover in slots, periods, folds and days, and among homes that measure."""

import numpy as np
import pytest
from tests.provider.living import asked_by_turns, living_homes
from tests.provider.simulated import plan_of, repeated_slots

from hushwatt.provider.estimate.document import document
from hushwatt.provider.estimate.estimate import estimate

VALUES, HOMES, DAYS = [0.0, 1000.0, 2000.0], 1600, 6
NAME = "appliance 1"
EDGE = 1500.0  # between the upper two levels


def plan(**changes):
    return plan_of([VALUES, VALUES], **{"oracle": "grr", "epsilon": "8", "window": 24, "method": "lpu"} | changes)


def holds(each, truth):
    return each.low <= truth <= each.high


@pytest.mark.parametrize("oracle, window", [("grr", 24), ("oue", 7)])
def test_they_cover(oracle, window):
    """Over the period, at each hour and in each slot, also where the same homes always speak at the same hour."""
    agreed, rng, period, hours, slots = plan(oracle=oracle, window=window), np.random.default_rng(5), [], [], []
    for _ in range(9):
        levels = living_homes(rng, HOMES, DAYS)
        above = levels[1] > 1
        found = estimate(agreed, asked_by_turns(rng, agreed, levels), above=[EDGE], fold="hour").above[0]
        each = found.by_appliance[NAME]
        period.append(holds(each.period, above.mean()))
        true = above.reshape(DAYS, 24, HOMES).mean(axis=(0, 2))
        hours += [holds(share, true[int(hour)]) for hour, share in each.by_fold.items()]
        slots += [holds(share, part) for share, part in zip(each.by_slot, above.mean(axis=1), strict=True)]

    assert all(period)
    assert np.mean(hours) >= 0.93
    assert np.mean(slots) >= 0.93


def test_the_wrong_level_is_not_covered():
    """Homes above the first edge are not those above the second."""
    agreed, rng = plan(), np.random.default_rng(1)
    levels = living_homes(rng, HOMES, DAYS)
    found = estimate(agreed, asked_by_turns(rng, agreed, levels), above=[EDGE]).above[0].by_appliance[NAME]

    assert not holds(found.period, (levels[1] > 0).mean())


def test_using_is_above_the_lowest_level():
    agreed, rng = plan(), np.random.default_rng(1)
    levels = living_homes(rng, HOMES, DAYS)
    found = estimate(agreed, asked_by_turns(rng, agreed, levels), above=[None]).above[0].by_appliance[NAME]

    assert found.watts == 500.0
    assert holds(found.period, (levels[1] > 0).mean())


def test_some_time_of_a_day():
    """The part of homes that use it at some hour of a day lies within the bounds, and they say more than nothing."""
    agreed, rng, bounds = plan(epsilon="12", window=6), np.random.default_rng(2), []
    for _ in range(6):
        levels = living_homes(rng, HOMES, DAYS)
        found = estimate(agreed, asked_by_turns(rng, agreed, levels), above=[EDGE]).above[0].by_appliance[NAME]
        true = (levels[1] > 1).reshape(DAYS, 24, HOMES).any(axis=1).mean()
        bounds.append(found.in_a_day)
        assert holds(found.in_a_day, true)
        assert found.in_a_day.low >= found.period.low

    assert min(each.low for each in bounds) > 0.05


def test_one_time_of_a_day_is_more_than_the_average():
    """The busiest hour bounds the day, not the average one alone."""
    agreed, rng = plan(epsilon="12", window=6), np.random.default_rng(2)
    levels = [np.where((np.arange(24 * DAYS) % 24 == 7)[:, None], 2, 0) * np.ones((1, HOMES), int)] * 2
    found = estimate(agreed, asked_by_turns(rng, agreed, levels), above=[EDGE]).above[0].by_appliance[NAME]

    assert found.in_a_day.low > 0.9
    assert found.period.high < 0.1


def test_days_by_themselves():
    """Where a slot is a day, its share is that of the day's mean, and there are no bounds beside it."""
    agreed = plan(slot="1d", window=2)
    tallies = repeated_slots(np.random.default_rng(1), agreed, [np.array([500, 300, 200])] * 2, 4)

    assert estimate(agreed, tallies, above=[EDGE]).above[0].by_appliance[NAME].in_a_day is None


@pytest.mark.parametrize("oracle", ["grr", "oue"])
def test_among_homes_that_measure(oracle):
    """Where homes say that they do not measure it, the share is among those that do, and covers."""
    agreed = plan_of([VALUES], oracle=oracle, epsilon="3", unmeasured="answer")
    tallies = repeated_slots(np.random.default_rng(3), agreed, [np.array([500, 200, 300, 1000])], 600)
    found = estimate(agreed, tallies, above=[EDGE]).above[0].by_appliance["appliance 0"]
    covered = np.mean([holds(each, 0.3) for each in found.by_slot])

    assert 0.93 <= covered <= 0.97
    assert np.mean([holds(each, 0.15) for each in found.by_slot]) < 0.5
    assert holds(found.period, 0.3)


def test_dithered_bounds_cover():
    """Bounds from dithered levels hold the share of homes above, and there is no share itself."""
    agreed, rng = plan_of([VALUES], mapping="dither", oracle="grr", epsilon="6"), np.random.default_rng(4)
    watts = np.where(rng.random(2000) < 0.2, 1700.0, 0.0)
    covered = []
    for _ in range(60):
        level = (watts > 0) * 1 + (rng.random(2000) < 0.7) * (watts > 0)
        held = np.bincount(level, minlength=3)
        found = estimate(agreed, repeated_slots(rng, agreed, [held], 1), above=[EDGE]).above[0]
        each = found.by_appliance["appliance 0"]
        covered.append(holds(each.period, 0.2))

    assert np.mean(covered) >= 0.93
    assert each.period.share is None
    assert each.period.high - each.period.low < 0.5


def test_names():
    """The keys that programs rely on: a share with its limits, or bounds and the levels that would tell it."""
    agreed, rng = plan(), np.random.default_rng(1)
    tallies = asked_by_turns(rng, agreed, living_homes(rng, HOMES, 2))
    told = document(estimate(agreed, tallies, above=[EDGE, None, 700.0], fold="hour"))
    appliance = told["appliances"][NAME]
    told_above = document(estimate(agreed, tallies, above=[EDGE], fold="hour"))

    assert list(told_above["appliances"][NAME]["above"][0]) == ["watts", "share", "ci95", "in_a_day_bounds"]
    assert list(told_above["folds"][3]["appliances"][NAME]["above"][0]) == ["watts", "share", "ci95"]
    assert list(told_above["slots"][3]["appliances"][NAME]["above"][0]) == ["watts", "share", "ci95"]
    assert list(appliance["using"]) == ["watts", "share", "ci95", "in_a_day_bounds"]
    assert appliance["above"][1]["needs"] == "edges = [500, 700, 1500]"
    assert appliance["above"][1]["bounds"][0] < appliance["above"][1]["bounds"][1]
    assert "above" not in document(estimate(agreed, tallies))["appliances"][NAME]


def test_too_few_homes_have_no_share():
    """Where there is no answer about an appliance there is no share of homes."""
    agreed = plan(minimum_homes=100)
    tallies = repeated_slots(np.random.default_rng(1), agreed, [np.array([30, 10, 10])] * 2, 2)
    found = estimate(agreed, tallies, above=[EDGE], fold="hour").above[0].by_appliance[NAME]

    assert found.period is None
    assert found.by_slot == (None, None)
    assert set(found.by_fold.values()) == {None}
