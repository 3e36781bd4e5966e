"""Rows in any order, handed out page by page.

An external bucket sort: they are dealt into buckets, each for a range of pages and small enough for
the memory.  When all of them together are not, they wait on disk.
"""

from collections.abc import Iterator
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from hushwatt.fleet.readings.exact_means import Cells, Watts
from hushwatt.fleet.spill_store import scratch_file

RECORD = np.dtype([("page", np.int32), ("cell", np.uint32), ("watts", np.float64)])  # cell: its place on the page
BUCKET_ROWS = 1 << 22  # rows in a bucket, about
MAX_BUCKETS = 1024  # at most: with more than four billion rows, buckets are larger
MEMORY_ROWS = 1 << 23  # rows in memory, 128 MiB

PageNumbers = NDArray[np.int32]
Rows = tuple[PageNumbers, Cells, Watts]
PageRows = tuple[int, Cells, Watts]


class BucketSort:
    """Takes rows in any order and gives them back by page.

    >>> buckets = BucketSort(np.array([2, 1]), width=1)
    >>> buckets.add((np.array([1, 0, 0], np.int32), np.array([7, 8, 9]), np.array([1., 2., 3.])))
    >>> [(page, cells.tolist()) for page, cells, _ in buckets.by_page()]
    [(0, [8, 9]), (1, [7])]
    """

    def __init__(
        self, histogram: NDArray[np.int64], width: int, size: int = BUCKET_ROWS, memory: int = MEMORY_ROWS
    ) -> None:
        """For as many rows as the histogram tells, each bin of it `width` pages wide."""
        self._width, self._memory = width, memory
        self._bucket_of_bin = _bucket_of_bin(histogram, size)
        self._bins = np.bincount(self._bucket_of_bin)
        self._parts: list[list[NDArray[np.void]]] = [[] for _ in self._bins]
        self._spilled: list[list[tuple[int, int]]] = [[] for _ in self._bins]  # where on disk, how many rows
        self._in_memory = 0
        self._file = scratch_file(self)

    def add(self, rows: Rows) -> None:
        """Take in these rows."""
        records = np.empty(len(rows[0]), dtype=RECORD)
        records["page"], records["cell"], records["watts"] = rows
        for bucket, part in self._partition(records):
            self._parts[bucket].append(part)
        self._in_memory += len(records)
        if self._in_memory > self._memory:
            self._spill()

    def by_page(self) -> Iterator[PageRows]:
        """All rows, pages ascending; the rows of a page may come in several pieces."""
        for bucket, bins in enumerate(self._bins):
            if bins * self._width == 1:
                pieces = self._pieces(bucket)
            else:
                pieces = iter([_sort_by_page(np.concatenate([np.empty(0, RECORD), *self._pieces(bucket)]))])
            for piece in pieces:
                yield from page_rows((piece["page"], piece["cell"].astype(np.int64), piece["watts"]))

    def _partition(self, records: NDArray[np.void]) -> Iterator[tuple[int, NDArray[np.void]]]:
        bucket = self._bucket_of_bin[records["page"] // self._width]
        records = records[np.argsort(bucket, kind="stable")]
        ends = np.cumsum(np.bincount(bucket, minlength=len(self._bins)))
        for number in np.flatnonzero(np.diff(ends, prepend=0)):
            yield int(number), records[ends[number - 1] if number else 0 : ends[number]]

    def _spill(self) -> None:
        for bucket, parts in enumerate(self._parts):
            if parts:
                rows = np.concatenate(parts)
                self._spilled[bucket].append((self._file.seek(0, 2), len(rows)))
                self._file.write(rows.tobytes())
        self._parts = [[] for _ in self._bins]
        self._in_memory = 0

    def _pieces(self, bucket: int) -> Iterator[NDArray[np.void]]:
        for offset, rows in self._spilled[bucket]:
            self._file.seek(offset)
            yield np.frombuffer(self._file.read(rows * RECORD.itemsize), dtype=RECORD)
        yield from self._parts[bucket]
        self._parts[bucket] = []


def page_rows(rows: Rows) -> Iterator[PageRows]:
    """Cut rows that are sorted by page where a new page begins."""
    pages, cells, watts = rows
    starts = [0, *(np.flatnonzero(pages[1:] != pages[:-1]) + 1).tolist(), len(pages)]
    for start, stop in pairwise(starts):
        if start < stop:
            yield int(pages[start]), cells[start:stop], watts[start:stop]


def _bucket_of_bin(histogram: NDArray[np.int64], size: int) -> NDArray[np.uint16]:
    """The bucket of each bin: full ones, in ascending order."""
    before = np.cumsum(histogram) - histogram
    full = max(size, -(-int(histogram.sum()) // MAX_BUCKETS), 1)
    return np.asarray(np.unique(before // full, return_inverse=True)[1].astype(np.uint16))


def _sort_by_page(records: NDArray[np.void]) -> NDArray[np.void]:
    """Sorted by page; pages near each other are sorted by a short key, which is quicker."""
    if not len(records):
        return records
    key = records["page"] - records["page"].min()
    return records[np.argsort(key.astype(np.uint16) if key.max() < 1 << 16 else key, kind="stable")]
