"""Rows come back by page, all of them, whether they waited in memory or on disk."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hushwatt.fleet.readings.bucket_sort import BucketSort, page_rows

PAGES = 40


def rows_of(pages):
    """A row for each page; its cell and its watts tell it apart."""
    pages = np.array(pages, dtype=np.int32)
    return pages, np.arange(len(pages), dtype=np.int64), np.arange(len(pages)) * 0.5


@given(
    batches=st.lists(st.lists(st.integers(0, PAGES - 1), max_size=30), max_size=6),
    width=st.sampled_from([1, 7]),
    size=st.sampled_from([1, 10, 1000]),
    kept=st.sampled_from([0, 25, 1000]),
)
def test_all_rows_by_page(batches, width, size, kept):
    """However many buckets there are and wherever they wait, every row comes back in its page."""
    every = np.array([page for batch in batches for page in batch], dtype=np.int64)
    buckets = BucketSort(np.bincount(every // width, minlength=-(-PAGES // width)), width, size, kept)
    for batch in batches:
        buckets.add(rows_of(batch))
    found = [
        (page, int(cell), float(w)) for page, cells, ws in buckets.by_page() for cell, w in zip(cells, ws, strict=True)
    ]

    assert [page for page, *_ in found] == sorted(every.tolist())
    assert sorted(found) == sorted((page, cell, cell * 0.5) for batch in batches for cell, page in enumerate(batch))


def test_pages_far_apart():
    """A bucket may span more pages than a short key can tell apart."""
    buckets = BucketSort(np.array([3]), width=200_000)
    buckets.add(rows_of([199_999, 3, 115_539]))

    assert [page for page, *_ in buckets.by_page()] == [3, 115_539, 199_999]


@pytest.mark.parametrize("pages, pieces", [([], []), ([4, 4], [(4, 2)]), ([0, 1, 1, 7], [(0, 1), (1, 2), (7, 1)])])
def test_sorted_rows_are_cut(pages, pieces):
    """Rows in order are cut where a page begins."""
    assert [(page, len(cells)) for page, cells, _ in page_rows(rows_of(pages))] == pieces
