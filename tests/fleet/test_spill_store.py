"""What is put aside comes back as it was, from memory or from disk."""

import numpy as np
import pytest

from hushwatt.fleet.spill_store import SpillStore


@pytest.mark.parametrize("count", [1, 3])
def test_things_come_back(count):
    """The last thing put in a place is there, may be changed, and shorter ones leave no rest behind."""
    shelf = SpillStore(count)
    for size in (1000, 10):
        for place in range(count):
            shelf.put(place, np.full(size, place))
    taken = [shelf.take(place) for place in range(count)]
    taken[0] += 1

    assert [(thing[0], len(thing)) for thing in taken] == [(1, 10), (1, 10), (2, 10)][:count]


def test_several_things_are_not_in_memory():
    """A thing that was changed after it was put aside comes back as it was put."""
    shelf, thing = SpillStore(2), [1]
    shelf.put(0, thing)
    thing.append(2)

    assert shelf.take(0) == [1]
