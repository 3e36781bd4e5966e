"""Reports in any order, handed out in the right one, each once, in a bounded memory.

They are dealt into buckets: neighbouring slots together, or some of the homes of
a slot that is large.  A bucket waits on disk, in a file without a name that lies
where `TMPDIR` points, until it is put in order by itself.
"""

import os
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from threading import Lock
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from hushwatt.wire.reports.columns import fixed_binary, hash_names, payload_matrix
from hushwatt.wire.reports.order import ReportOrder, same_as_before, sort_order
from hushwatt.wire.reports.schema import REPORT_SCHEMA, ReportBatch

BUCKET_REPORTS = 1 << 19  # reports put in order together, about
MAX_BUCKETS = 1 << 12  # at most: with more reports, buckets are larger


class SpillChunk(NamedTuple):
    """Where some reports of a bucket wait."""

    place: int  # of the batch they came in, among all batches
    start: int
    size: int


@dataclass(frozen=True)
class BucketIndex:
    """Which bucket a report belongs to, by its slot and, in a large slot, its household."""

    slots: NDArray[np.int64]  # ascending
    first: NDArray[np.int64]  # the first bucket of each slot
    parts: NDArray[np.int64]  # over how many buckets its homes are spread

    @classmethod
    def of(cls, counts: Counter[int]) -> "BucketIndex":
        """For so many reports in each slot."""
        limit = max(BUCKET_REPORTS, -(-2 * counts.total() // MAX_BUCKETS))
        slots = sorted(counts)
        parts = [-(-counts[slot] // limit) for slot in slots]
        first, bucket, held = [], -1, limit
        for slot, part in zip(slots, parts, strict=True):
            if part > 1 or held + counts[slot] > limit:
                bucket, held = bucket + 1, 0
            first.append(bucket)
            held += counts[slot]
            bucket += part - 1
        return cls(*(np.array(column, dtype=np.int64) for column in (slots, first, parts)))

    def buckets(self, batch: ReportBatch) -> NDArray[np.uint16]:
        """The bucket of each report."""
        index = np.searchsorted(self.slots, batch.slot)
        bucket, parts = self.first[index], self.parts[index]
        if (parts > 1).any():
            bucket += (hash_names(batch.households) % parts.astype(np.uint64)).astype(np.int64)
        return bucket.astype(np.uint16)


class ExternalSort:
    """Takes batches from any thread, each with its place among all, and gives them back in order."""

    def __init__(self, counts: Counter[int], size: int) -> None:
        self._deal, self._size = BucketIndex.of(counts), size
        self._chunks: dict[int, list[SpillChunk]] = {}
        self._lock, self._end = Lock(), 0
        self._file = tempfile.TemporaryFile()  # noqa: SIM115 (closed by `close`)

    def close(self) -> None:
        self._file.close()

    def add(self, place: int, batch: ReportBatch) -> None:
        """Take in the reports of a batch."""
        for bucket, part in self._dealt(batch):
            message = part.serialize()
            with self._lock:
                start, self._end = self._end, self._end + message.size
                self._chunks.setdefault(bucket, []).append(SpillChunk(place, start, message.size))
            _write(self._file.fileno(), message, start)

    def buckets(self) -> list[int]:
        """The buckets, slots ascending."""
        return sorted(self._chunks)

    def bucket(self, number: int) -> tuple[ReportBatch, int]:
        """The reports of a bucket in order, each as it came first, and how many came again."""
        places = sorted(self._chunks[number])
        messages = (pa.py_buffer(os.pread(self._file.fileno(), each.size, each.start)) for each in places)
        return reports_in_order(messages, self._size)

    def _dealt(self, batch: ReportBatch) -> Iterator[tuple[int, pa.RecordBatch]]:
        return deal_reports(batch, self._deal.buckets(batch))


def spill_schema(size: int) -> pa.Schema:
    """The columns of reports that wait, payloads of `size` bytes."""
    return REPORT_SCHEMA.set(5, pa.field("payload", pa.binary(size)))


def deal_reports(batch: ReportBatch, buckets: NDArray[np.uint16]) -> Iterator[tuple[int, pa.RecordBatch]]:
    """Each bucket's reports of a batch, as they came."""
    columns = [batch.households, *map(pa.array, (batch.slot, batch.round, batch.spent, batch.drawn))]
    schema = spill_schema(batch.payloads.shape[1])
    table = pa.RecordBatch.from_arrays([*columns, fixed_binary(batch.payloads)], schema=schema)
    if (buckets[1:] < buckets[:-1]).any():
        order = np.argsort(buckets, kind="stable")
        table, buckets = table.take(pa.array(order)), buckets[order]
    for start, end in pairwise([0, *(np.flatnonzero(buckets[1:] != buckets[:-1]) + 1), len(buckets)]):
        if start < end:
            yield int(buckets[start]), table.slice(start, end - start)


def reports_in_order(messages: Iterable[pa.Buffer | bytes], size: int) -> tuple[ReportBatch, int]:
    """The reports of some messages in order, each as it came first, and how many came again."""
    schema = spill_schema(size)
    chunks = [pa.ipc.read_record_batch(pa.py_buffer(message), schema) for message in messages]
    table = pa.Table.from_batches(chunks).combine_chunks()
    columns = [table.column(name).chunk(0) for name in REPORT_SCHEMA.names]
    slot, round, spent, drawn = (column.to_numpy() for column in columns[1:-1])
    batch = ReportBatch(columns[0], slot, round, spent, drawn, payload_matrix(columns[-1], size))
    again = ReportOrder().repeats(batch.keys)
    if again is None:
        batch = batch.taken(sort_order(batch.keys))
        again = same_as_before(batch.keys)
    return batch.without(again), int(again.sum())


def slot_counts(columns: Iterable[NDArray[np.integer]]) -> Counter[int]:
    """How many reports each slot has."""
    counts: Counter[int] = Counter()
    for column in columns:
        slots, times = np.unique(column, return_counts=True)
        counts.update(dict(zip(slots.tolist(), times.tolist(), strict=True)))
    return counts


def _write(file: int, message: pa.Buffer, start: int) -> None:
    """Write it whole, however often the system stops early."""
    rest = memoryview(message)
    while len(rest):
        written = os.pwrite(file, rest, start)
        rest, start = rest[written:], start + written
