"""Totals on a terminal, as a board reads them."""

import numpy as np
import pytest
from tests.provider.estimate.totals.test_strata import TAKING, TOWN, customers, labelled
from tests.provider.estimate.totals.test_strata import plan as labelled_plan
from tests.provider.living import asked_by_turns, living_homes
from tests.provider.simulated import plan_of, repeated_slots

from hushwatt.cli.answers.totals_table import totals_remarks, totals_tables
from hushwatt.provider.estimate.estimate import estimate

VALUES = [0.0, 1000.0, 2000.0]
PLAN = plan_of([VALUES, VALUES], oracle="grr", epsilon="8", window=5, method="lpu")


@pytest.fixture(scope="module")
def tallies():
    rng = np.random.default_rng(1)
    return asked_by_turns(rng, PLAN, living_homes(rng, 800, 5))


def cells(table):
    return [list(row) for row in zip(*[column.cells for column in table.columns], strict=True)]


def test_what_all_customers_use(tallies):
    """A home's kWh a day, all customers' MWh a day with its limits, and all appliances together in the last row."""
    found = estimate(PLAN, tallies, customers=80_000)
    (table,) = totals_tables(found)
    energy = found.totals.customers.by_appliance["appliance 0"].a_day
    first, *_, last = cells(table)

    assert [column.header for column in table.columns][1:3] == ["kWh a day a home", "MWh a day"]
    assert first[0] == "appliance 0"
    assert first[1] == f"{energy.value / 80_000:,.2f}"
    assert first[2:4] == [f"{energy.value / 1000:,.1f}", f"{energy.low / 1000:,.1f} to {energy.high / 1000:,.1f}"]
    assert (last[0], last[-1]) == ("together", "100.0 %")


def test_no_table_without_customers(tallies):
    """Then one line says what the homes taking part used."""
    found = estimate(PLAN, tallies)

    assert totals_tables(found) == []
    assert totals_remarks(found)[0].startswith("The 800 homes taking part used ")
    assert "MWh a day (" in totals_remarks(found)[0]


def test_the_peak_in_a_line(tallies):
    lines = totals_remarks(estimate(PLAN, tallies, fold="hour"))

    assert lines[-1].startswith("The peak is at ")
    assert "appliance 0 (" in lines[-1]


def test_volunteers_are_named(tallies):
    """Who volunteers is no random sample, which nobody should forget; with kinds of customers neither."""
    plain = totals_remarks(estimate(PLAN, tallies, customers=80_000))
    kinds, _ = labelled(np.random.default_rng(1), labelled_plan(), [200, 300, 400, 5])
    borrowed = totals_remarks(estimate(labelled_plan(), kinds, customers=customers()))

    assert "80,000 customers the homes taking part are taken for a random sample; people who volunteer" in plain[1]
    assert f"{sum(TOWN):,} customers the homes of each kind are taken" in borrowed[1]
    assert "tariff=B,region=south from " in borrowed[2]
    assert sum(TAKING) > 0


def test_homes_that_do_not_measure_are_named():
    """Beside the total of homes that measure stands what all would use."""
    plan = plan_of([VALUES[:2]], oracle="oue", epsilon="3", unmeasured="answer")
    tallies = repeated_slots(np.random.default_rng(2), plan, [np.array([500, 300, 1200])], 6)
    found = estimate(plan, tallies, customers=9000)
    (table,) = totals_tables(found)

    assert [column.header for column in table.columns][-1] == "if all measured"
    assert "not taken to use nothing" in totals_remarks(found)[1]


def test_an_appliance_without_an_answer():
    """A dash where too few spoke of it, and no line at all where there is no answer."""
    plan = plan_of([VALUES, VALUES], oracle="grr", epsilon="8", minimum_homes=50)
    tallies = repeated_slots(np.random.default_rng(2), plan, [np.array([50, 20, 10])] * 2, 2)
    for tally in tallies.groups.values():
        tally.reports[1], tally.counts[3:] = 10, 0
    (table,) = totals_tables(estimate(plan, tallies, customers=100))
    none = estimate(plan_of([VALUES, VALUES], oracle="grr", epsilon="8", minimum_homes=500), tallies, customers=100)

    assert cells(table)[1][1:] == ["–"] * 4
    assert (totals_tables(none), totals_remarks(none)) == ([], [])


def test_a_total_of_fewer_hours_says_so():
    """Where an appliance was heard in a part of the hours, so was the sum; homes that join are a range."""
    plan = plan_of([VALUES], oracle="grr", epsilon="8", minimum_homes=50)
    tallies = repeated_slots(np.random.default_rng(2), plan, [np.array([50, 20, 10])], 3)
    first = tallies.groups[min(tallies.groups)]
    first.reports[0], first.counts[:] = 10, 0
    tallies.homes_then = {0: 80, 1: 90, 2: 100}
    tallies.homes = 100

    assert "The 80 to 100 homes taking part used" in totals_remarks(estimate(plan, tallies))[0]
    assert "of 2 of 3 hours" in totals_remarks(estimate(plan, tallies))[0]
