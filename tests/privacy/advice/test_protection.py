"""The longest protection for an error that is asked for, and the price of every length of it."""

from dataclasses import replace
from itertools import pairwise
from time import process_time

import numpy as np
import pytest

from hushwatt.errors import PlanError, UsageError
from hushwatt.evaluate.generators import generate
from hushwatt.fleet.aggregate import aggregate
from hushwatt.plan.presets import preset
from hushwatt.plan.slot import SlotLength
from hushwatt.privacy.advice.answered import answered
from hushwatt.privacy.advice.learn import Typical, learn_from_readings
from hushwatt.privacy.advice.protection import ProtectionSearch, month_of
from hushwatt.privacy.entropy import Simulation
from hushwatt.provider.estimate.estimate import estimate

PLAN, DAY, YEAR = preset("advised"), 86_400, 365 * 86_400


def shared(plan):
    """An appliance's cap: its share of ε."""
    return plan.epsilon // len(plan.appliances)


def search(homes, within=0.1, plan=PLAN, cap=shared, learnt=None):
    return ProtectionSearch(plan, homes, within, cap, learnt or {})


def lasting(plan):
    return plan.window * plan.slot.seconds


@pytest.mark.parametrize("homes", [20_000, 120_000, 700_000, 5_000_000])
def test_the_longest_window_keeps_the_error(homes):
    """The error stays within, the next longer window of a day more would not, and the promise is kept."""
    asked = search(homes)
    best = asked.longest().best
    more = -(-DAY // best.plan.slot.seconds)
    longer = asked.at(replace(best.plan, window=best.plan.window + more, epsilon=PLAN.epsilon))

    assert best.middling_error <= 0.1
    assert best.promise.kept
    assert best.promise.appliance_dearest <= shared(best.plan)
    assert lasting(best.plan) >= YEAR or longer.middling_error > 0.1


def test_more_homes_protect_longer():
    """The window grows with the homes up to a year; from then on ε falls."""
    found = [search(homes).longest().best.plan for homes in (20_000, 120_000, 4_000_000, 40_000_000)]

    assert all(lasting(less) < lasting(more) for less, more in pairwise(found[:3]))
    assert [lasting(each) for each in found[2:]] == [YEAR, YEAR]
    assert found[3].epsilon < found[2].epsilon / 2
    assert found[3].appliance_epsilon == found[3].epsilon // 15


def test_a_year_in_the_plans_own_slots():
    """Where days allow for a year, the slot stays a day, however much better weeks would be."""
    own, never = (search(homes).longest().best.plan for homes in (4_000_000, 1_500_000))

    assert (str(own.slot), own.window) == ("1d", 365)
    assert (str(never.slot), never.window) == ("7d", 53)


@pytest.mark.parametrize("homes", [20_000_000, 120_000])
def test_the_smallest_epsilon(homes):
    """A tenth less of ε would miss the error."""
    asked = search(homes)
    best = asked.longest().best
    less = asked.at(replace(best.plan, epsilon=best.plan.epsilon * 9 // 10))

    assert less.middling_error > 0.1


def test_a_fixed_window():
    """The window is as asked, in the slots of the plan, with its ε; the whole plan is a window too."""
    year, whole = (search(120_000).fixed(window).best.plan for window in ("365d", "plan"))

    assert (year.window, year.slot, year.epsilon) == (365, PLAN.slot, PLAN.epsilon)
    assert whole.window == PLAN.calendar.slots


def test_frontier():
    """Three days, a month, a year and the whole plan; each longer one is dearer, and longer slots are cheaper."""
    frontier = search(1_000_000).frontier()
    days = [step for step in frontier if step.slot == PLAN.slot]
    weeks = {step.protects: step for step in frontier if step.slot != PLAN.slot}

    assert [step.protects for step in days] == ["3 days", "a month", "a year", "the whole plan"]
    assert [step.window for step in days] == [3, 30, 365, PLAN.calendar.slots]
    errors = [step.best.middling_error for step in days]
    assert errors == sorted(errors)
    assert set(weeks) == {"a month", "a year", "the whole plan"}
    for step in days[1:]:
        assert weeks[step.protects].best.middling_error < step.best.middling_error
        assert weeks[step.protects].needed_with_new_levels < step.needed_with_new_levels


def test_homes_needed_are_enough():
    """So many homes keep the error and a tenth fewer do not; where levels end too low, no number does."""
    steps = {step.protects: step for step in search(120_000).frontier() if step.slot == PLAN.slot}
    month, whole = steps["a month"], steps["the whole plan"]
    window = month.best.plan.window
    for homes, enough in ((month.needed_with_new_levels, True), (month.needed_with_new_levels * 9 // 10, False)):
        assert (search(homes).at(replace(PLAN, window=window)).middling_error <= 0.1) is enough

    assert month.needed == pytest.approx(month.needed_with_new_levels, rel=0.1)
    assert whole.needed is None
    assert whole.needed_with_new_levels > 1_000_000


@pytest.mark.parametrize("homes, publish", [(200_000, 1), (20_000, 7), (5_000, 28)])
def test_published_as_often_as_the_minimum_allows(homes, publish):
    """A year's window leaves few homes to a day: results come out by the week or by four, each with enough homes."""
    plan = search(homes, 0.99).fixed("365d").best.plan

    assert plan.publish == publish
    assert answered(plan, homes, plan.publish)


def test_too_few_homes_for_an_answer():
    """Where not even four weeks have enough homes there is no plan, and the homes needed count the minimum."""
    found = search(1_000, 0.9, replace(PLAN, minimum_homes=5_000)).fixed("365d")
    year = next(step for step in found.frontier if (step.protects, str(step.slot)) == ("a year", "1d"))

    assert found.best is None
    assert year.best is None
    assert 5_000 * 365 / 28 <= year.needed_with_new_levels <= 5_000 * 365 / 28 * 1.1


def test_enough_homes_for_some_mechanism():
    """Where few appliances in a report are best and leave too few homes for each, more of them are asked."""
    found = search(3_000, 0.99, cap=lambda plan: None).fixed("365d").best

    assert found.plan.appliances_per_report > 5
    assert answered(found.plan, 3_000, found.plan.publish)


def test_no_window_for_few_homes():
    """With very few homes no window is short enough."""
    assert search(300, 0.01).longest().best is None


def test_slots_of_an_hour_become_days():
    """Hours of a kettle are far apart: the same homes protect a far longer past when days are asked."""
    hourly = replace(preset("paper"), slot=SlotLength.parse("1h"), window=72)
    errors = {str(step.slot): step.best.middling_error for step in search(1_000_000, plan=hourly).frontier()[-3:]}

    assert errors["1h"] > 2 * errors["1d"] > 2 * errors["7d"]
    assert str(search(1_000_000, plan=hourly).longest().best.plan.slot) == "7d"


def test_without_a_cap_few_appliances_are_asked():
    """One of fifteen with all of ε tells more than fifteen with a share each, and protects each one less."""
    capped, free = (search(1_000_000, cap=cap).fixed("365d").best for cap in (shared, lambda plan: None))

    assert free.plan.appliances_per_report < 5
    assert capped.plan.appliances_per_report == 15
    assert free.middling_error < capped.middling_error


def test_learnt_knowledge_counts():
    """What readings tell of an appliance stands in the advised plan."""
    typical = {each.name: Typical(mean=40.0, high=90.0, measured=1.0) for each in PLAN.appliances}
    found = search(1_000_000, learnt=learn_from_readings(PLAN, typical)).fixed("365d").best.plan

    assert {(each.typical_mean, each.typical_high) for each in found.appliances} == {(40.0, 90.0)}


@pytest.mark.parametrize("slot", ["1d", "7d"])
def test_promised_errors_are_the_simulated_ones(slot):
    """A million homes that report for a month of a year: the error of a middling mean is about as promised."""
    asked = search(1_000_000, plan=preset("paper"))
    promised = next(step.best for step in asked.frontier() if (step.protects, str(step.slot)) == ("a year", slot))
    plan, squares = promised.plan, []
    for seed in range(4):
        watts = np.stack([now for _, now in generate("ideal", plan, 600, month_of(plan), seed)])
        tallies = aggregate(plan, iter(watts), 1_000_000, Simulation(seed, "protection"))
        means = [each.watts for each in estimate(plan, tallies).by_period.values()]
        squares.append((np.array(means) / watts.mean(axis=(0, 1)) - 1) ** 2)

    assert 0.4 < np.median(np.sqrt(np.mean(squares, axis=0))) / promised.middling_error < 1.4


def test_advice_is_fast():
    """Everything is in closed form: under two seconds of work, whatever is asked."""
    began = process_time()
    search(120_000).longest()

    assert process_time() - began < 2


@pytest.mark.parametrize("wrong", [{"homes": 0}, {"homes": 10, "within": 0.0}, {"homes": 10, "within": 1.0}])
def test_protection_that_cannot_be_asked(wrong):
    """No homes and errors that say nothing are refused."""
    with pytest.raises(UsageError):
        search(**wrong)


@pytest.mark.parametrize("window", ["a year", "0d", "365", "99999d"])
def test_windows_that_cannot_be_asked(window):
    """A window is a time or the plan."""
    with pytest.raises((UsageError, PlanError), match="the window to protect is"):
        search(1000).fixed(window)
