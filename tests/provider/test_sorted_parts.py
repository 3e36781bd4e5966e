"""Columns that grow are found by their key, and moved seldom."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from hushwatt.provider import sorted_parts
from hushwatt.provider.sorted_parts import SortedParts

KEYS = st.lists(st.integers(0, 2**64 - 1), max_size=20, unique=True)


def filled(batches):
    parts = SortedParts()
    for batch in batches:
        keys = np.array(sorted(batch), dtype=np.uint64)
        parts.add(keys, keys // 2)
    return parts


@given(batches=st.lists(KEYS, max_size=6), asked=KEYS)
def test_what_was_added_is_found(batches, asked):
    """Every key that is there, with what belongs to it, and no other."""
    known = set().union(*batches)
    asked = np.array([*asked, *known], dtype=np.uint64)
    parts = filled([set(batch) - set().union(*batches[:place]) for place, batch in enumerate(batches)])
    found = {}
    for rows, (halves,) in parts.matches(asked):
        found |= dict(zip(asked[rows].tolist(), halves.tolist(), strict=True))

    assert found == {key: key // 2 for key in known}
    assert len(parts) == len(known)


def test_many_additions_move_each_row_seldom(monkeypatch):
    """A thousand additions move a row about as often as the number of rows can be halved, not a thousand times."""
    moved = []
    merged = sorted_parts.merged
    monkeypatch.setattr(
        sorted_parts, "merged", lambda one, other: moved.append(len(one[0]) + len(other[0])) or merged(one, other)
    )
    count, each = 1_000, 16
    parts = SortedParts()
    for keys in np.random.default_rng(1).permutation(count * each).astype(np.uint64).reshape(count, each):
        parts.add(np.sort(keys), keys)

    assert len(parts) == count * each
    assert 0 < sum(moved) <= count * each * np.log2(count)
