"""Tallies as arrays: publications only, by slot, with how many homes are behind each."""

import numpy as np
from tests.provider.simulated import plan_of

from hushwatt.provider.estimate.arrays import SlotTimeline, TallyArrays
from hushwatt.provider.tally.tally import Tallies, Tally, TallyKey

PLAN = plan_of([[0, 10], [0, 20]])


def tally(rows):
    return Tally(rows, np.array([rows, rows - 1]), np.array([1, 2, 3, rows]))


TALLIES = Tallies(
    100,
    {
        TallyKey(5, 0, 5, 10): tally(40),
        TallyKey(2, 0, 1, 10): tally(7),
        TallyKey(2, 0, 2, 10): tally(8),
        TallyKey(2, 1, 2, 10): tally(90),
        TallyKey(4, 0, 2, 10): tally(3),
    },
)


def test_publications_by_slot():
    """Groups come in the order of slots, and probes are left out."""
    arrays = TallyArrays.of(PLAN, TALLIES)

    assert arrays.slot.tolist() == [2, 2, 4, 5]
    assert arrays.as_of.tolist() == [1, 2, 2, 5]
    assert arrays.rows.tolist() == [7, 8, 3, 40]
    assert arrays.reports[:, 1].tolist() == [6, 7, 2, 39]
    assert arrays.counts[:, 3].tolist() == [7, 8, 3, 40]


def test_slots_and_their_homes():
    """A slot has the homes of all its groups, and the newest of their draws."""
    timeline = SlotTimeline.of(TallyArrays.of(PLAN, TALLIES), minimum=15, first=4)

    assert timeline.slots.tolist() == [2, 4, 5]
    assert timeline.rows.tolist() == [15, 3, 40]
    assert timeline.as_of.tolist() == [2, 2, 5]
    assert timeline.enough.tolist() == [True, False, True]
    assert timeline.requested.tolist() == [False, True, True]
    assert timeline.sum_by_slot(np.array([1.0, 2.0, 3.0, 4.0])).tolist() == [3.0, 3.0, 4.0]


def test_until_a_slot():
    """Later groups are left out, and without a last slot none is."""

    assert TallyArrays.of(PLAN, TALLIES).up_to(4).slot.tolist() == [2, 2, 4]
    assert TallyArrays.of(PLAN, TALLIES).up_to(None).slot.tolist() == [2, 2, 4, 5]


def test_nothing_at_all():
    """No tallies are no slots."""
    arrays = TallyArrays.of(PLAN, Tallies(0, {}))

    assert arrays.counts.shape == (0, 4)
    assert SlotTimeline.of(arrays, minimum=1).slots.tolist() == []
