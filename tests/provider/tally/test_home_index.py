"""Every home has one number, whatever the order in which files name it."""

import numpy as np
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from hushwatt.provider.tally.home_index import HomeIndex

SLOT = st.tuples(st.integers(0, 9), st.lists(st.integers(0, 30), max_size=12, unique=True))


@given(slots=st.lists(SLOT, max_size=12), period=st.integers(1, 4), pieces=st.integers(1, 3))
def test_a_name_a_number(slots, period, pieces):
    """The same name the same number, another name another, in whole slots or in pieces of them."""
    index, known = HomeIndex(period), {}
    for slot, homes in sorted(slots, key=lambda each: each[0]):
        for some in np.array_split(np.array(homes, dtype=int), pieces):
            names = pa.array([f"a home called {home}" for home in some], pa.string())
            for home, number in zip(some, index.numbers(slot, names), strict=True):
                assert known.setdefault(int(home), int(number)) == number

    assert sorted(known.values()) == list(range(len(index)))


def test_numbers_come_as_homes_do():
    """New homes are numbered in the order of their first report."""
    index = HomeIndex(1)

    first = index.numbers(0, pa.array(["zoe", "ada", "bob"]))
    then = index.numbers(1, pa.array(["cy", "zoe", "dee"]))

    assert first.tolist() == [0, 1, 2]
    assert then.tolist() == [3, 0, 4]


def test_many_slots_at_once():
    """Homes of many slots that are looked up together have the numbers that they would have slot by slot."""
    rng, one, together = np.random.default_rng(2), HomeIndex(1_000), HomeIndex(1_000)
    names = [pa.array(sorted({f"h{home}" for home in rng.integers(0, 900, 7)})) for _ in range(400)]
    by_slot = np.concatenate([one.numbers(slot, each) for slot, each in enumerate(names)])

    assert together.look_up(pa.concat_arrays(names)).tolist() == by_slot.tolist()
    assert len(together) == len(one) == len({name for each in names for name in each.to_pylist()})
    assert (
        together.look_up(pa.concat_arrays(names[::-1])).tolist() == one.look_up(pa.concat_arrays(names[::-1])).tolist()
    )
