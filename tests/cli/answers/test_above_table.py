"""Shares of homes on a terminal: told, bounded, by the hour and at some time of a day."""

import numpy as np
import pytest
from tests.cli.answers.test_totals_table import PLAN, cells
from tests.provider.living import asked_by_turns, living_homes
from tests.provider.simulated import plan_of, repeated_slots

from hushwatt.cli.answers.above_table import above_remarks, above_tables
from hushwatt.provider.estimate.estimate import estimate


@pytest.fixture(scope="module")
def tallies():
    rng = np.random.default_rng(1)
    return asked_by_turns(rng, PLAN, living_homes(rng, 800, 5))


def test_a_share_with_its_limits(tallies):
    """The share in per cent, its limits, and bounds for some time of a day; nothing needs another plan."""
    found = estimate(PLAN, tallies, above=[1500])
    (table,) = above_tables(found)
    told = found.above[0].by_appliance["appliance 0"]
    row = cells(table)[0]

    assert row[:3] == ["appliance 0", "1500 W", f"{100 * told.period.share:.1f} %"]
    assert row[3] == f"{100 * told.period.low:.1f} to {100 * told.period.high:.1f} %"
    assert row[4] == f"{100 * told.in_a_day.low:.1f} to {100 * told.in_a_day.high:.1f} %"
    assert not any("a plan with" in line for line in above_remarks(found))
    assert any("At some time of a day: bounds" in line for line in above_remarks(found))


def test_by_the_hour(tallies):
    """With a fold, the key with the most homes and the one with the fewest."""
    found = estimate(PLAN, tallies, above=[1500], fold="hour")
    shares = {key: each.share for key, each in found.above[0].by_appliance["appliance 0"].by_fold.items()}
    row = cells(above_tables(found)[0])[0]

    assert (row[4], row[7]) == (max(shares, key=shares.get), min(shares, key=shares.get))


def test_bounds_name_the_plan_that_would_tell(tallies):
    """A question mark and bounds, and one line for each appliance; keys are not compared by their bounds."""
    found = estimate(PLAN, tallies, above=[700], fold="hour")
    (table,) = above_tables(found)

    assert cells(table)[0][2] == "?"
    assert len(table.columns) == 5
    assert "Homes above 700 W of appliance 1: bounds only; a plan with edges = [500, 700, 1500] would tell them." in (
        above_remarks(found)
    )


def test_homes_that_measure_are_named():
    plan = plan_of([[0.0, 1000.0]], oracle="oue", epsilon="3", unmeasured="answer", slot="1d")
    tallies = repeated_slots(np.random.default_rng(2), plan, [np.array([500, 300, 1200])], 6)

    assert "Shares are of homes that measure the appliance" in above_remarks(estimate(plan, tallies, above=[None]))[0]


def test_without_an_answer():
    """Dashes where too few homes spoke, by the hour too; and nothing where nothing was asked."""
    plan = plan_of([[0.0, 1000.0]] * 2, oracle="grr", epsilon="8", minimum_homes=50)
    tallies = repeated_slots(np.random.default_rng(2), plan, [np.array([50, 30])] * 2, 2)
    for tally in tallies.groups.values():
        tally.reports[1], tally.counts[2:] = 10, 0
    (table,) = above_tables(estimate(plan, tallies, above=[500], fold="hour"))

    assert set(cells(table)[1][2:]) == {"–"}
    assert above_remarks(estimate(plan, tallies)) == above_tables(estimate(plan, tallies)) == []
