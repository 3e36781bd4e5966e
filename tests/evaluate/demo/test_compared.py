"""An answer beside the truth: ranks, shares and limits."""

import numpy as np
import pytest

from hushwatt.evaluate.demo.compared import ComparedAnswer, hits
from hushwatt.evaluate.demo.year import year_plan


@pytest.fixture
def compared():
    """The truth falls from the first appliance to the last; the answer has the first two exchanged."""
    plan = year_plan()
    truth = np.arange(15.0, 0.0, -1.0)
    told = dict(zip(plan.names, truth.tolist(), strict=True))
    first, second = plan.names[:2]
    told[first], told[second] = told[second], told[first]
    limits = {name: {"mean_watts": watts, "ci95": [watts - 0.5, watts + 0.5]} for name, watts in told.items()}
    top = sorted(told, key=lambda name: -told[name])
    return ComparedAnswer(plan, homes=9, slots=3, truth=truth, answer={"appliances": limits, "top": top})


def test_ranks(compared):
    """The first two stand in each other's place, eight of the first ten in their own."""
    assert compared.true_order == list(compared.plan.names)
    assert compared.hits == 8
    assert hits(compared.true_order, compared.true_order) == 10


def test_limits_hold_their_edges(compared):
    """All but the two that are a watt off."""
    assert compared.within == 13


def test_shares(compared):
    """Two of 15 shares are off by a watt of 120."""
    assert compared.share_error == pytest.approx(100 * 2 / 120 / 15)
