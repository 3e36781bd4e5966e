"""The tables of estimates: ranks, shares, and what stands beside real watts."""

from types import SimpleNamespace

import numpy as np
from tests.provider.estimate.test_measuring_mean import measuring_plan, simulated

from hushwatt.cli.estimate_tables import (
    further,
    further_headings,
    missing_further,
    percent,
    period_table,
    places,
    remarks,
    top_table,
    why_missing,
)
from hushwatt.provider.estimate.estimate import estimate


def test_ranks_and_shares():
    """A rank that is open is a range; a share that is no number is a dash."""

    assert places(SimpleNamespace(rank_best=1, rank_worst=1)) == "1"  # type: ignore[arg-type]
    assert places(SimpleNamespace(rank_best=2, rank_worst=3)) == "2–3"  # type: ignore[arg-type]
    assert [percent(0.5), percent(float("nan"))] == ["50.0 %", "–"]


def collected(high=100.0, unmeasured="answer"):
    """Two appliances, the second of which nobody measures where that is an answer."""
    plan = measuring_plan(2, high, unmeasured=unmeasured)
    some, none = ([0.3, 0.2, 0.1, 0.4], [0, 0, 0, 1]) if plan.answers_unmeasured else ([0.6, 0.3, 0.1], [1, 0, 0])
    return estimate(plan, simulated(plan, [np.array(some), np.array(none)], 4000, 3, np.random.default_rng(1)))


def test_real_watts_stand_beside_what_may_be_above_the_top():
    found = collected()
    period = found.by_period["appliance 0"]

    assert further_headings(found) == ["above top", "measured"]
    assert further(found, period) == [f"≤ {period.above_top:,.1f}", "60 ± 3 %"]
    assert why_missing(found, "appliance 1") == "too few measure it"
    assert missing_further(found, "appliance 1")[0] == "–"
    assert missing_further(found, "appliance 1")[1].endswith("± 2 %")
    assert (len(period_table(found).columns), len(top_table(found, 2).columns)) == (9, 10)
    assert any("real mean of a home that measures the appliance" in line for line in remarks(found))
    assert any("Hardly any home measures appliance 1" in line for line in remarks(found))


def test_clipped_watts_are_said_to_be():
    """Without prior knowledge nothing is added but who measures; without either the tables are as ever."""
    assert further_headings(collected(high=None)) == ["measured"]
    assert "on the watts that stand for the levels" in remarks(collected(high=None))[0]
    assert further_headings(collected(high=None, unmeasured="zero")) == []
    assert remarks(collected(high=None, unmeasured="zero"))[0].startswith("Watts are the mean of a home over all slots")
