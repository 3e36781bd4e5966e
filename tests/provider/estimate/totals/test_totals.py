"""Totals over a period and its folds, and as JSON."""

import numpy as np
import pytest
from tests.provider.living import asked_by_turns, living_homes
from tests.provider.simulated import plan_of, repeated_slots

from hushwatt.errors import UsageError
from hushwatt.provider.estimate.document import document, top_document
from hushwatt.provider.estimate.estimate import estimate
from hushwatt.provider.estimate.times.time_filter import TimeFilter

VALUES, HOMES = [0.0, 1000.0, 2000.0], 800
PLAN = plan_of([VALUES, VALUES], oracle="grr", epsilon="8", window=5, method="lpu")


@pytest.fixture(scope="module")
def tallies():
    rng = np.random.default_rng(1)
    return asked_by_turns(rng, PLAN, living_homes(rng, HOMES, 5))


def test_hours_add_up_to_the_day(tallies):
    """The totals of all hours are that of the period, and so is what they use a day."""
    found = estimate(PLAN, tallies, fold="hour", customers=5000)
    hours = [each.totals.customers.by_appliance["appliance 0"] for each in found.folds]
    whole = found.totals.customers.by_appliance["appliance 0"]

    assert np.isclose(sum(each.total.value for each in hours), whole.total.value)
    assert np.isclose(sum(each.a_day.value for each in hours), whole.a_day.value)


def test_an_evening_is_a_day_of_its_hours(tallies):
    """With only some hours, energy a day is that of these hours."""
    found = estimate(PLAN, tallies, times=TimeFilter.parse("17-21", None)).totals
    folded = estimate(PLAN, tallies, fold="hour").folds[17:21]
    hours = [each.totals.taking_part.by_appliance["appliance 1"].a_day.value for each in folded]

    assert found.days == 5
    assert np.isclose(found.taking_part.by_appliance["appliance 1"].a_day.value, sum(hours))


def test_too_few_customers(tallies):
    with pytest.raises(UsageError, match="customers is 799, but 800 homes take part; give the number of all customers"):
        estimate(PLAN, tallies, customers=799)


def test_names(tallies):
    """The keys that programs rely on, for each appliance and for all, in the period and in its folds."""
    told = document(estimate(PLAN, tallies, fold="weekday", customers=4000))
    kettle = told["appliances"]["appliance 0"]
    energy = ["kwh", "kwh_ci95", "kwh_a_day", "kwh_a_day_ci95"]

    assert list(told["totals"]) == ["hours", "days", "homes", *energy]
    assert (told["totals"]["hours"], told["totals"]["days"], told["totals"]["homes"]) == (120, 5, [800, 800])
    assert list(told["customers"]) == list(kettle["customers"]) == ["homes", *energy]
    assert set(energy) < set(kettle)
    assert kettle["customers"]["kwh"] == pytest.approx(5 * kettle["kwh"])
    assert told["folds"][0]["appliances"]["appliance 0"]["customers"]["homes"] == 4000
    assert told["folds"][0]["totals"]["hours"] == 24


def test_the_top_has_totals_too(tallies):
    (first,) = top_document(estimate(PLAN, tallies), 1)["appliances"].values()

    assert first["kwh"] > 0


def test_totals_among_homes_that_measure_say_so():
    """Where homes say that they do not measure an appliance, the JSON names of whom its totals are."""
    plan = plan_of([[0.0, 1000.0]], oracle="oue", epsilon="3", unmeasured="answer")
    tallies = repeated_slots(np.random.default_rng(2), plan, [np.array([500, 300, 1200])], 6)
    told = document(estimate(plan, tallies, customers=9000))

    assert told["totals"]["of"] == "homes that measure"
    assert told["totals"]["kwh_if_all"] > 2 * told["totals"]["kwh"]
    assert told["appliances"]["appliance 0"]["customers"]["kwh_if_all_ci95"][0] > 0


def test_an_appliance_without_an_answer_is_named():
    """The sum says what it is without, and nothing is told of all where no appliance has an answer."""
    plan = plan_of([VALUES, VALUES], oracle="grr", epsilon="8", minimum_homes=50)
    tallies = repeated_slots(np.random.default_rng(2), plan, [np.array([50, 20, 10]), np.array([60, 20, 0])], 2)
    for tally in tallies.groups.values():
        tally.reports[1], tally.counts[3:] = 10, 0
    told = document(estimate(plan, tallies))
    none = document(estimate(plan_of([VALUES, VALUES], oracle="grr", epsilon="8", minimum_homes=500), tallies))

    assert told["totals"]["without"] == ["appliance 1"]
    assert told["appliances"]["appliance 1"] is None
    assert "totals" not in none


def test_fewer_hours_than_the_period(tallies):
    """An appliance that was not heard in all slots says of how many hours its total is."""
    plan = plan_of([VALUES, VALUES], oracle="grr", epsilon="8", minimum_homes=50)
    partly = repeated_slots(np.random.default_rng(2), plan, [np.array([50, 20, 10])] * 2, 3)
    first = partly.groups[min(partly.groups)]
    first.reports[1], first.counts[3:] = 0, 0
    told = document(estimate(plan, partly))

    assert "hours" not in told["appliances"]["appliance 0"]
    assert (told["appliances"]["appliance 1"]["hours"], told["totals"]["hours"]) == (2.0, 3.0)
