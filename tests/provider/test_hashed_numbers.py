"""Numbers are found by their hash, and memory for them grows a share at a time."""

import tracemalloc

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from hushwatt.provider.hashed_numbers import HashedNumbers

HASHES = st.lists(
    st.one_of(st.integers(0, 2**64 - 1), st.sampled_from([0, 2**60 - 1, 2**60, 2**64 - 1])), max_size=20, unique=True
)


@given(batches=st.lists(HASHES, max_size=6), asked=HASHES)
def test_what_was_added_is_found(batches, asked):
    """Every hash that is there has its number, and no other."""
    known, expected = HashedNumbers(), {}
    for batch in batches:
        new = sorted(set(batch) - set(expected))
        numbers = np.arange(len(expected), len(expected) + len(new), dtype=np.int32)
        known.add(np.array(new, dtype=np.uint64), numbers)
        expected |= dict(zip(new, numbers.tolist(), strict=True))
    asked = [*asked, *expected]

    assert known.find(np.array(asked, dtype=np.uint64)).tolist() == [expected.get(each, -1) for each in asked]
    assert len(known) == len(expected)


def test_bytes_of_a_number():
    """12, and at most a third more while they grow."""
    rng, known, count, each = np.random.default_rng(1), HashedNumbers(), 1 << 19, 1 << 13
    tracemalloc.start()
    try:
        for start in range(0, count, each):
            hashes = np.sort(rng.integers(0, 2**64, each, dtype=np.uint64))
            known.add(hashes, np.arange(start, start + each, dtype=np.int32))
            del hashes
        now, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert len(known) == count
    assert 12 * count <= now <= 12.5 * count
    assert peak <= 16 * count
