"""Rows come back by slot, all of them, whether they waited in memory or on disk."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hushwatt.fleet.buckets import Buckets, slot_rows

SLOTS = 40


def rows_of(slots):
    """A row for each slot; its cell and its watts tell it apart."""
    slots = np.array(slots, dtype=np.int32)
    return slots, np.arange(len(slots), dtype=np.int64), np.arange(len(slots)) * 0.5


@given(
    batches=st.lists(st.lists(st.integers(0, SLOTS - 1), max_size=30), max_size=6),
    width=st.sampled_from([1, 7]),
    size=st.sampled_from([1, 10, 1000]),
    kept=st.sampled_from([0, 25, 1000]),
)
def test_all_rows_by_slot(batches, width, size, kept):
    """However many buckets there are and wherever they wait, every row comes back in its slot."""
    every = np.array([slot for batch in batches for slot in batch], dtype=np.int64)
    buckets = Buckets(np.bincount(every // width, minlength=-(-SLOTS // width)), width, size, kept)
    for batch in batches:
        buckets.add(rows_of(batch))
    found = [
        (slot, int(cell), float(w))
        for slot, cells, ws in buckets.by_slot()
        for cell, w in zip(cells, ws, strict=True)
    ]

    assert [slot for slot, *_ in found] == sorted(every.tolist())
    assert sorted(found) == sorted(
        (slot, cell, cell * 0.5) for batch in batches for cell, slot in enumerate(batch)
    )


def test_slots_far_apart():
    """A bucket may span more slots than a short key can tell apart."""
    buckets = Buckets(np.array([3]), width=200_000)
    buckets.add(rows_of([199_999, 3, 115_539]))

    assert [slot for slot, *_ in buckets.by_slot()] == [3, 115_539, 199_999]


@pytest.mark.parametrize(
    "slots, pieces", [([], []), ([4, 4], [(4, 2)]), ([0, 1, 1, 7], [(0, 1), (1, 2), (7, 1)])]
)
def test_sorted_rows_are_cut(slots, pieces):
    """Rows in order are cut where a slot begins."""
    assert [(slot, len(cells)) for slot, cells, _ in slot_rows(rows_of(slots))] == pieces
