"""Which slots count together for all groups."""

import numpy as np
from tests.provider.estimate.groups.attack import collection, product
from tests.provider.simulated import plan_of

from hushwatt.provider.estimate.collected import CollectedCells


def pools(speakers, minimum, window, sizes=(2,), **changes):
    """The slots of each joint pool, and in which the first value of the first label is answered."""
    plan = plan_of([[0.0, 1.0]], method="lpu", window=window, minimum_homes=minimum, **changes)
    tallies = collection(plan, np.array(speakers), product(*sizes))
    tallies.closed = len(speakers) - 1
    grouped = CollectedCells.of(plan, tallies, None, None, None).grouped
    found, told = grouped.pools[0], grouped.pools[0].answered(grouped.cells.matching({"a": "v0"}))
    rows = [np.flatnonzero(found.pool_of == number).tolist() for number in range(len(found))]
    return rows, [slots for slots, each in zip(rows, told.tolist(), strict=True) if each]


def test_slots_that_are_enough_stay_alone():
    """Nothing is joined where every value has the minimum."""
    assert pools([[0, 3, 4]] * 3, minimum=3, window=3)[1] == [[0], [1], [2]]


def test_slots_are_joined_within_the_span():
    """Up to the minimum, in slots in which no home speaks twice."""
    speakers = [[0, 2, 9], [0, 2, 9], [0, 2, 9], [0, 1, 9], [0, 1, 9], [0, 3, 9]]

    assert pools(speakers, minimum=4, window=3)[1] == [[0, 1], [2, 3, 4]]


def test_repeats_are_never_joined():
    """Where a home may speak again in the next slot."""
    assert pools([[0, 2, 9]] * 4, minimum=3, window=1) == ([[0], [1], [2], [3]], [])


def test_a_pool_is_told_when_it_is_over():
    """One that may still grow is not: the same slots are told whenever one asks."""
    speakers = [[0, 9, 1, 9]] * 7
    early, late = (pools(speakers[:count], minimum=5, window=4, sizes=(3,))[0] for count in (3, 7))

    assert early == []
    assert late[0] == [0, 1, 2, 3]


def test_what_a_span_did_not_bring_is_not_waited_for_again():
    """One tiny value makes all others wait once, and then only now and then."""
    speakers = [[0, 9, 5, 1]] * 60
    _, told = pools(speakers, minimum=5, window=4, sizes=(3,))

    assert told[0] == [0, 1, 2, 3]
    assert told[1:20] == [[slot] for slot in range(4, 23)]
    assert [len(each) for each in told].count(4) == 2


def test_published_slots_count_together():
    """Two slots that are published as one are one row, with the homes of the slots in which most spoke."""
    speakers = [[0, 2, 2], [0, 2, 1]] * 2

    assert pools(speakers, minimum=3, window=2, publish=2)[1] == [[0], [1]]
    assert pools(speakers, minimum=3, window=1, publish=2)[1] == []
