"""Every home has one number, whatever the order in which files name it."""

import tracemalloc

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hushwatt.provider.tally.home_index import HomeIndex
from hushwatt.wire.reports.keyed_hash import KeyedHash

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


class TestWork:
    """What is done grows with the reports, not with reports times homes."""

    @pytest.mark.parametrize("order", ["the same", "another", "new homes"])
    def test_every_report_is_hashed_once(self, order, monkeypatch):
        """Whatever the order of homes in a slot is, and however many there are already."""
        hashed = []
        index, rng, homes, hash_of = HomeIndex(), np.random.default_rng(1), 2_000, KeyedHash()
        monkeypatch.setattr(index, "_hash_of", lambda names: hashed.append(len(names)) or hash_of(names))
        for slot in range(5):
            numbers = rng.permutation(homes) if order == "another" else np.arange(homes)
            numbers += slot * homes * (order == "new homes")
            for some in np.array_split(numbers, 40):
                index.numbers(slot, pa.array([f"home {home}" for home in some]))

        assert sum(hashed) == 5 * homes

    def test_the_same_order_is_not_looked_up(self, monkeypatch):
        """A slot whose homes come as in the slot before is compared, and takes no memory of its own."""
        index, names = HomeIndex(), pa.array([f"home {home}" for home in range(500)])
        index.numbers(0, names)
        index.numbers(1, names)
        monkeypatch.setattr(index, "_numbers", lambda hashes: pytest.fail("they were looked up"))

        assert index.numbers(2, names).tolist() == list(range(500))

    def test_bytes_of_a_home(self):
        """At most 64, whatever names are like and in whatever order they come, slot after slot."""
        rng, homes, index = np.random.default_rng(1), 100_000, HomeIndex()
        names = pa.array([f"device-{home:032x}" for home in range(homes)])
        tracemalloc.start()
        try:
            for slot in range(3):
                order = pa.array(rng.permutation(homes))
                for start in range(0, homes, 5_000):
                    index.numbers(slot, names.take(order[start : start + 5_000]))
            _, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()

        assert peak <= 64 * homes
