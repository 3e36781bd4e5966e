"""Households keep their numbers, whether they are compared or looked up."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hushwatt.fleet.readings import household_index
from hushwatt.fleet.readings.household_index import HouseholdIndex
from hushwatt.wire.reports.keyed_hash import KeyedHash

NAMES = st.lists(st.sampled_from([f"home {number}" for number in range(12)]), unique=True)
ANY_NAME = st.one_of(
    st.sampled_from(["", "a", "a\0", "ä", "\N{HOUSE BUILDING}", "home-0000001", "x" * 127, "x" * 128]),
    st.text(max_size=20),
    st.text("ab", min_size=7, max_size=10),
)
HASHES = {
    "its own": lambda: None,
    "always the same": lambda: lambda names: np.zeros(len(names), dtype=np.uint64),
    "three values": lambda: lambda names: KeyedHash()(names) * np.uint64(0) + size_of(names) % np.uint64(3),
    "the highest": lambda: lambda names: np.full(len(names), 2**64 - 1, dtype=np.uint64),
}


def names(*texts):
    """A column of names."""
    return pa.array(texts, pa.string())


def size_of(column):
    return np.array([len(name) for name in column.to_pylist()], dtype=np.uint64)


@given(known=NAMES, batches=st.lists(NAMES, max_size=6), sort=st.booleans())
def test_every_name_has_one_number(known, batches, sort):
    """The sorted homes at the places of the numbers are the names again, and each is there once."""
    batches = sorted(sorted(batch) for batch in batches) if sort else batches
    numbering, numbers = HouseholdIndex(names(*known)), []
    for batch in batches:
        found = numbering.in_order(names(*batch))
        numbers.append(numbering.numbers(names(*batch)) if found is None else found)
    homes, places = numbering.sorted()

    assert homes.to_pylist() == sorted(set(known).union(*batches))
    assert [[homes[int(place)].as_py() for place in places[found]] for found in numbers] == batches


@pytest.mark.parametrize("kind", HASHES)
@given(batches=st.lists(st.tuples(st.booleans(), st.lists(ANY_NAME, max_size=12)), max_size=8))
def test_the_numbers_of_a_dictionary(kind, batches):
    """In the order of their first appearance, whatever names are like and whatever hash they are found by."""
    numbering, known = HouseholdIndex(hash_of=HASHES[kind]()), {}
    for try_order, batch in batches:
        found = numbering.in_order(names(*batch)) if try_order else None
        found = numbering.numbers(names(*batch)) if found is None else found

        assert found.tolist() == [known.setdefault(name, len(known)) for name in batch]
    assert len(numbering) == len(known)
    homes, places = numbering.sorted()

    assert homes.to_pylist() == sorted(known)
    assert [homes[place].as_py() for place in places.tolist()] == list(known)


def test_a_sorted_table_is_never_looked_up():
    """Ascending batches continue each other, also with a home split by two, and begin again."""
    numbering = HouseholdIndex(hash_of=lambda names: pytest.fail("names were hashed"))
    batches = [
        names("a", "b"),
        names("b", "c"),
        names("d"),
        names("a", "b", "c"),
        names("d", "a"),
        names("a", "b"),
    ]
    found = [numbering.in_order(batch).tolist() for batch in batches]

    assert found == [[0, 1], [1, 2], [3], [0, 1, 2], [3, 0], [0, 1]]


def test_what_must_be_looked_up():
    """Names that go back, leave one out or stand in between are not guessed."""
    numbering = HouseholdIndex(names("a", "c", "e"))

    assert numbering.in_order(names("c", "e")) is None
    assert numbering.in_order(names("a", "e")) is None
    assert numbering.in_order(names("a", "b")) is None
    assert numbering.in_order(names("g", "f")) is None
    assert len(numbering) == 3


def test_after_a_look_up_the_order_is_known_again():
    """An order that is not alphabetical is recognised the second time round."""
    numbering = HouseholdIndex()
    numbering.numbers(names("h2", "h10", "h1"))

    assert numbering.in_order(names("h2", "h10")).tolist() == [0, 1]
    assert numbering.in_order(names("h1")).tolist() == [2]
    assert numbering.numbers(names("h2")).tolist() == [0]
    assert numbering.in_order(names("h10", "h1")).tolist() == [1, 2]
    assert numbering.sorted()[0].to_pylist() == ["h1", "h10", "h2"]


class TestWork:
    """What is done grows with the rows, and no batch costs as much as all homes."""

    @pytest.mark.parametrize("slots", [1, 4])
    def test_every_row_is_hashed_once(self, slots):
        """And every home once more, however many batches there are."""
        hashed, hash_of, rng = [], KeyedHash(), np.random.default_rng(1)
        numbering = HouseholdIndex(hash_of=lambda names: hashed.append(len(names)) or hash_of(names))
        homes = pa.array([f"home {number}" for number in rng.permutation(20_000)])
        for _ in range(slots):
            order = pa.array(rng.permutation(20_000))
            for start in range(0, 20_000, 100):
                numbering.numbers(homes.take(order[start : start + 100]))

        assert len(numbering) == 20_000
        assert slots * 20_000 <= sum(hashed) <= (slots + 1) * 20_000

    def test_a_long_order_is_hashed_piece_by_piece(self, monkeypatch):
        """Homes that came in order are hashed when the first one is looked up, a few at a time."""
        monkeypatch.setattr(household_index, "HASHED", 7)
        hashed, hash_of = [], KeyedHash()
        homes = [f"h{number:03}" for number in range(100)]
        numbering = HouseholdIndex(names(*homes), lambda names: hashed.append(len(names)) or hash_of(names))

        assert numbering.numbers(names("h099", "new", "h000")).tolist() == [99, 100, 0]
        assert max(hashed) == 7
        assert sum(hashed) == 103


PEAK = """
import sys
import numpy as np, pyarrow as pa
from pathlib import Path
from hushwatt.fleet.readings.household_index import HouseholdIndex

def invented(count, letters=14):
    offsets = pa.py_buffer(np.arange(count + 1, dtype=np.int32) * np.int32(letters))
    data = pa.py_buffer(rng.integers(97, 123, count * letters, dtype=np.uint8))
    return pa.Array.from_buffers(pa.string(), count, [None, offsets, data])

def peak():
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(1024 * int(line.split()[1]) for line in lines if line.startswith("VmHWM"))

rng, homes, each = np.random.default_rng(1), int(sys.argv[1]), 50_000
for count in (2 * each, homes):
    before, index = peak(), HouseholdIndex()
    for _ in range(count // each):
        index.numbers(invented(each))
    assert len(index) == count == len(index.sorted()[0])
print(peak() - before)
"""


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the system does not tell the peak of a process")
def test_bytes_of_a_home():
    """At most 64, the name of 14 letters included, while homes are numbered and while they are sorted."""
    homes = 3_000_000
    taken = int(subprocess.check_output([sys.executable, "-c", PEAK, str(homes)], text=True))

    assert 18 * homes < taken <= 64 * homes
