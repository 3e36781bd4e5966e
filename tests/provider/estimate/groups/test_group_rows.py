"""A kind of homes in joint pools: only the sum of a pool is told."""

import numpy as np
import pytest
from tests.provider.estimate.groups.attack import APPLIANCE, collection, product
from tests.provider.simulated import plan_of

from hushwatt.provider.estimate.collected import CollectedSlots
from hushwatt.provider.tally.tally import TallyKey

FIRST, SECOND = TallyKey(0, 0, 0, 1_000_000, 1), TallyKey(1, 0, 1, 1_000_000, 1)


def told(moved, minimum=5):
    """All numbers of a group that is pooled over two slots, when answers have moved from the first to the second."""
    plan = plan_of([[0.0, 100.0, 300.0]], method="lpu", window=2, minimum_homes=minimum, oracle="oue")
    tallies = collection(plan, np.array([[0, 4, 9], [0, 4, 9]]), product(2))
    tallies.groups[FIRST].counts[1] -= moved
    tallies.groups[SECOND].counts[1] += moved
    series = CollectedSlots.of(plan, tallies, where={"a": "v0"}).series[APPLIANCE]
    period = series.period
    return [*series.limits, *period.share, *period.share_variance, period.watts, period.watts_variance]


def test_how_answers_are_spread_in_a_pool_is_not_told():
    """Not by means, and not by what their errors are."""
    assert told(3) == pytest.approx(told(0), rel=1e-12)


def test_slots_by_themselves_tell_it():
    """Errors go by the answers of each slot where each is told."""
    assert told(3, minimum=4) != pytest.approx(told(0, minimum=4), rel=1e-6)


def test_a_pool_is_asked_for_whole():
    """A period that holds only a part of it has no answer, and no slot of it has."""
    plan = plan_of([[0.0, 100.0]], method="lpu", window=2, minimum_homes=5)
    tallies = collection(plan, np.array([[0, 4, 9], [0, 4, 9], [0, 6, 9]]), product(2))
    asked = [(0, 0), (0, 1), (1, 2), (2, 2)]
    found = [CollectedSlots.of(plan, tallies, *each, where={"a": "v0"}).series[APPLIANCE] for each in asked]

    assert [int(each.slots.counted.sum()) for each in found] == [0, 2, 1, 1]
    assert [each.period is None for each in found] == [True, False, False, False]
    assert found[1].slots.known.tolist() == [False, False]
    assert found[2].slots.known.tolist() == [False, False, True]
