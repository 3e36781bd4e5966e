"""Slots that are published together: one entry of all their reports, as sure as these are, and nothing of one slot."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import binom
from tests.provider.estimate.test_measuring_mean import measuring_plan
from tests.provider.simulated import MICRO, answers, plan_of, repeated_slots, standing

from hushwatt.fleet.aggregate import aggregate
from hushwatt.fleet.rehearse import quantised
from hushwatt.plan.presets import preset
from hushwatt.privacy.entropy import source_for
from hushwatt.privacy.influence import reach
from hushwatt.provider.estimate.arrays import HomesHeard
from hushwatt.provider.estimate.document import document
from hushwatt.provider.estimate.estimate import estimate
from hushwatt.provider.estimate.export import tidy_table
from hushwatt.provider.tally.tally import Tallies, Tally, TallyKey

HELD = np.array([[500, 300, 200], [900, 50, 50]])
LEVELS = [[0, 100, 300], [0, 50, 90]]


def weekly(plan, publish=7):
    return replace(plan, publish=publish)


@pytest.mark.parametrize("oracle", ["oue", "grr"])
@pytest.mark.parametrize(
    "method, window, reports, turns", [("lbu", 1, None, 7), ("lpu", 5, 200, 2), ("lpu", 10, 100, 1)]
)
@pytest.mark.parametrize("mapping", ["range", "dither"])
def test_an_entry_is_what_the_stretch_was_slot_by_slot(oracle, method, window, reports, turns, mapping):
    """Slots with as many reports each: the mean over them, its error and a forger's influence stay the same."""
    values = LEVELS if mapping == "range" else [[0, 100], [0, 90]]
    held = HELD if mapping == "range" else HELD[:, :2] + [[0, 200], [0, 50]]
    plan = plan_of(values, oracle=oracle, method=method, window=window, mapping=mapping, epsilon="8")
    tallies = repeated_slots(np.random.default_rng(1), plan, held, 14, drawn=8 * MICRO, reports=reports)
    single, told = estimate(plan, tallies, first=7, last=13), estimate(weekly(plan), tallies, first=7)

    assert [(slot.slot, slot.slots) for slot in told.slots] == [(7, 7)]
    forged = max(reach(plan, number).homes for number in range(2))
    assert told.influence == pytest.approx(forged * turns * 1000 / (7 * (reports or 1000)))
    assert single.influence == pytest.approx(told.influence)
    assert told.swap_homes == pytest.approx(single.swap_homes, rel=0.25)  # a slot alone may be an easier target
    for name, numbers in told.by_slot.items():
        period, alone = told.by_period[name], single.by_period[name]
        assert numbers.watts[0] == pytest.approx(alone.watts)
        assert numbers.unbiased[0] == pytest.approx(alone.unbiased)
        assert numbers.watts_se[0] == pytest.approx(alone.watts_se, rel=0.02)
        assert numbers.levels_se[0] == pytest.approx(alone.levels_se, rel=0.02)
        assert (period.low, period.high) == pytest.approx((alone.low, alone.high), abs=alone.watts_se / 10)


def test_the_range_is_the_plain_mean_of_what_is_published():
    """Each period weighs the same, however many reports are behind it."""
    plan = plan_of(LEVELS, publish=4)
    parts = [repeated_slots(np.random.default_rng(2), plan, HELD // part, 8) for part in (1, 4)]
    groups = {key: parts[key.slot >= 4].groups[key] for key in parts[0].groups}
    told = estimate(plan, Tallies(1000, groups))

    for name, numbers in told.by_slot.items():
        assert told.by_period[name].watts == pytest.approx(numbers.watts.mean())


def test_a_slot_with_few_reports_does_not_spoil_its_period():
    """Reports count alike: a slot without any is no hole, and one with three adds three."""
    rng, plan = np.random.default_rng(3), plan_of([[0, 100]], publish=3, minimum_homes=50)
    counts = {0: 400, 1: 3, 3: 400}
    groups = {}
    for slot, homes in counts.items():
        found = answers(rng, plan, MICRO, 0, [homes // 2, homes - homes // 2], 1)[0]
        groups[TallyKey(slot, 0, slot, MICRO)] = Tally(homes, np.array([homes]), found)
    told = estimate(plan, Tallies(400, groups, closed=5))
    first = groups[TallyKey(0, 0, 0, MICRO)] + groups[TallyKey(1, 0, 1, MICRO)]
    pooled = estimate(replace(plan, publish=1), Tallies(403, {TallyKey(0, 0, 0, MICRO): first}))

    assert told.by_slot["appliance 0"].watts[0] == pytest.approx(pooled.by_slot["appliance 0"].watts[0])
    assert told.by_slot["appliance 0"].known.tolist() == [True, True]


@pytest.mark.parametrize("publish", [2, 3, 6])
def test_repeats_are_no_new_information(publish):
    """Homes that draw every third slot and repeat themselves: stated errors are those that are seen."""
    rng, plan = np.random.default_rng(4), plan_of([[0, 100]], method="lsp", window=3, publish=publish, oracle="grr")
    homes, slots = 300, 6
    levels = np.tile((np.arange(homes) % 2)[None, :], (slots, 1))
    drawn = np.where(np.arange(slots) % 3 == 0, MICRO, 0)[:, None] * np.ones((1, homes), int)
    found, stated = [], []
    for _ in range(300):
        tallies, _ = standing(rng, plan, levels, drawn)
        told = estimate(plan, tallies)
        numbers, period = told.by_slot["appliance 0"], told.by_period["appliance 0"]
        found.append([*numbers.watts, period.watts])
        stated.append([*numbers.watts_se, period.watts_se])

    assert np.std(found, axis=0) == pytest.approx(np.mean(stated, axis=0), rel=0.12)


def test_homes_that_draw_when_they_like():
    """Draws of any age and budget in one period: no bias, and errors as stated."""
    rng = np.random.default_rng(5)
    plan = plan_of([[0, 100]], method="lba", window=2, epsilon="4", decision="household", publish=5)
    homes, slots = 200, 5
    levels = rng.integers(0, 2, (slots, homes))
    drawn = np.where(rng.random((slots, homes)) < 0.4, rng.choice([MICRO, 2 * MICRO], (slots, homes)), 0)
    drawn[0] = MICRO
    errors, stated = [], []
    for _ in range(400):
        tallies, held = standing(rng, plan, levels, drawn)
        numbers = estimate(plan, tallies).by_slot["appliance 0"]
        errors.append(numbers.watts[0] - 100 * held.mean())
        stated.append(numbers.watts_se[0])

    assert abs(np.mean(errors)) < 4 * np.std(errors) / 20
    assert np.std(errors) == pytest.approx(np.mean(stated), rel=0.12)


class TestDifferentHomes:
    """The minimum is one of homes, not of reports."""

    @pytest.mark.parametrize("homes, enough", [(90, False), (102, True)])
    def test_homes_that_speak_several_times_count_once(self, homes, enough):
        """A window of 3, published by 7: each home speaks twice or three times."""
        plan = plan_of([[0, 100]], method="lpu", window=3, publish=7, minimum_homes=100)
        tallies = repeated_slots(np.random.default_rng(6), plan, np.array([[homes // 3] * 2]), 7, reports=homes // 3)
        (slot,) = document(estimate(plan, replace(tallies, homes=homes)))["slots"]

        assert slot["reports"] == homes
        assert ("appliances" in slot) == enough
        assert ("too_few_homes" in slot) != enough

    def test_homes_of_all_slots_together_are_enough(self):
        """A window of a year and a minimum of 100: fifteen homes a day are enough in a week, as none speaks twice."""
        plan = plan_of([[0, 100]], method="lpu", window=365, publish=7, minimum_homes=100, slot="1d")
        tallies = repeated_slots(np.random.default_rng(7), plan, np.array([[8, 8]]), 14, drawn=MICRO, reports=15)
        told = document(estimate(plan, replace(tallies, homes=15 * 365)))

        assert [slot["reports"] for slot in told["slots"]] == [105, 105]
        assert all(slot["appliances"]["appliance 0"] for slot in told["slots"])
        assert document(estimate(replace(plan, publish=1), tallies))["slots"][0]["too_few_homes"]["have"] == 15

    def test_an_appliance_is_asked_about_in_turns(self):
        """One of three appliances a report, every slot: whoever speaks of it again does so after three slots."""
        plan = plan_of([[0, 100]] * 3, appliances_per_report=1, publish=6, minimum_homes=25)
        groups = {
            TallyKey(slot, 0, slot, MICRO): Tally(30, np.array([10, 8, 12]), np.array([5, 5, 4, 4, 6, 6]))
            for slot in range(6)
        }
        told = estimate(plan, Tallies(30, groups))

        assert [int(each.speakers[0]) for each in told.by_slot.values()] == [30, 24, 36]
        assert [bool(each.known[0]) for each in told.by_slot.values()] == [True, False, True]
        assert HomesHeard.of(plan, groups) == HomesHeard({0: 30}, {0: 36})


class TestWholePeriods:
    """Nothing is told of a part of a period."""

    PLAN = plan_of(LEVELS, publish=4, expires="2024-01-01T22:00:00Z")
    TALLIES = repeated_slots(np.random.default_rng(8), PLAN, HELD, 22)

    def told(self, there, **options):
        groups = {key: tally for key, tally in self.TALLIES.groups.items() if key.slot <= there}
        return estimate(self.PLAN, Tallies(1000, groups), **options)

    @pytest.mark.parametrize("last, periods, waiting", [(2, 0, 3), (3, 1, 0), (6, 1, 3), (20, 5, 1), (21, 6, 0)])
    def test_only_when_their_reports_are_there(self, last, periods, waiting):
        """The last period of the plan has two slots, and is whole with these."""
        told = self.told(last)

        assert len(told.slots) == periods
        assert told.unpublished == waiting
        assert document(told).get("slots_unpublished", 0) == waiting

    def test_a_range_within_a_period_has_what_is_whole_in_it(self):
        """From slot 1 to 10: the second period alone, and not a bit of the others is in it."""
        told, whole = self.told(21, first=1, last=10), self.told(7, first=4)

        assert [slot.slot for slot in told.slots] == [4]
        assert document(told)["slots"] == document(whole)["slots"]

    def test_periods_never_change_when_others_come(self):
        """What is told of a period stays, with and without smoothing."""
        for smooth in (False, True):
            early, late = (document(self.told(last, smooth=smooth))["slots"] for last in (11, 21))
            assert late[:3] == early

    def test_slots_are_told_in_json_and_tables(self):
        """`slot` is the first one, `slots` how many; the last period is shorter."""
        told = self.told(21)

        assert [(slot["slot"], slot["slots"]) for slot in document(told)["slots"]][-2:] == [(16, 4), (20, 2)]
        assert sorted(set(zip(*(tidy_table(told)[name].to_pylist() for name in ("slot", "slots")), strict=True))) == [
            *((slot, 4) for slot in range(0, 20, 4)),
            (20, 2),
        ]
        single = replace(self.PLAN, publish=1)
        assert "slots" not in document(estimate(single, self.TALLIES))["slots"][0]
        assert "slots" not in tidy_table(estimate(single, self.TALLIES)).column_names

    def test_homes_whose_turns_are_over_are_not_waited_for(self):
        """A file of a year with one home a month: nobody is left to speak after the last report."""
        plan = plan_of([[0, 100]], method="lpu", window=12, publish=12)
        groups = {TallyKey(slot, 0, slot, MICRO): Tally(1, np.array([1]), np.array([1, 0])) for slot in (0, 3, 5)}

        assert Tallies(3, groups).complete(plan) == 11
        assert Tallies(4, groups).complete(plan) == -1


def test_real_watts_and_who_measures_them():
    """One entry is what the same slots were as a range: watts above the top, and the part of homes that measures."""
    plan = measuring_plan(2)
    held = np.array([[300, 200, 100, 400], [350, 200, 150, 300]])
    tallies = repeated_slots(np.random.default_rng(9), plan, held, 6, drawn=2 * MICRO)
    single, told = estimate(plan, tallies), estimate(weekly(plan, 6), tallies)

    for name, period in told.by_period.items():
        alone, numbers = single.by_period[name], told.by_slot[name]
        for key in ("watts", "watts_se", "low", "high", "measured", "measured_low", "measured_high", "above_top"):
            assert getattr(period, key) == pytest.approx(getattr(alone, key), rel=0.02), key
        assert numbers.watts[0] == pytest.approx(alone.watts, rel=0.02)
        assert numbers.measured[0] == pytest.approx(alone.measured, rel=0.02)


def year(asked):
    """Days of a window of a year, published by weeks."""
    plan = replace(preset("paper"), method="lpu", decision=None, window=365, publish=7, minimum_homes=50)
    return replace(plan, appliances_per_report=asked)


@pytest.mark.parametrize("asked", [15, 3])
def test_intervals_of_a_year_s_window_hold(asked):
    """20,000 homes with habits and weekdays of their own, 365 turns: 93 % of the weeks and of the months at least."""
    plan, homes, weeks = year(asked), 20_000, 3
    rng, weeks_held, months_held = np.random.default_rng(10), [], []
    for trial in range(6):
        habits = rng.gamma(2, 0.25, (500, 15)) * [each.values[-1] for each in plan.appliances]
        often = rng.random((7, 500, 15)) < 0.6
        watts = [habits * often[day % 7] * rng.gamma(3, 1 / 3, (500, 15)) for day in range(7 * weeks)]
        told = estimate(plan, aggregate(plan, iter(watts), homes, source_for(trial, "weeks")))
        truth = np.mean([quantised(plan, day) for day in watts], axis=1).reshape(weeks, 7, 15).mean(axis=1)
        for place, name in enumerate(plan.names):
            numbers, period = told.by_slot[name], told.by_period[name]
            weeks_held += ((numbers.watts_low <= truth[:, place]) & (truth[:, place] <= numbers.watts_high)).tolist()
            months_held.append(period.low <= truth[:, place].mean() <= period.high)

    assert told.slots[0].reports == pytest.approx(homes * 7 / 365, rel=0.1)
    for held in (weeks_held, months_held):
        assert binom.cdf(sum(held), len(held), 0.93) > 1e-3


def test_a_forging_home_moves_no_more_than_is_printed():
    """Two periods of five slots, turns of three: the best turn to forge in does what the influence says."""
    plan = plan_of([[0, 100]], method="lpu", window=3, publish=5, oracle="grr", epsilon="2")
    tallies = repeated_slots(np.random.default_rng(11), plan, np.array([[400, 200]]), 10, drawn=2 * MICRO, reports=200)
    honest, moved, printed = estimate(plan, tallies).by_period["appliance 0"].watts, [], []
    for phase in range(3):
        forged = {
            key: tally + Tally(1, np.array([1]), np.array([0, 1])) if key.slot % 3 == phase else tally
            for key, tally in tallies.groups.items()
        }
        told = estimate(plan, Tallies(601, forged))
        moved.append((told.by_period["appliance 0"].watts - honest) * 601 / 100)
        printed.append(told.influence)

    assert max(moved) < max(printed)
    assert max(moved) > 0.8 * max(printed) * (1 - honest / 100)
