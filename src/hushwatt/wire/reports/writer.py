"""Write a table of reports, slot by slot, without holding it in memory."""

from os import PathLike
from types import TracebackType
from typing import Any, Self

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from hushwatt.plan.plan import Plan
from hushwatt.wire.reports.order import ReportOrder
from hushwatt.wire.reports.schema import REPORT_SCHEMA, ReportBatch, report_schema

GROUP_ROWS = 1 << 18  # rows written at a time
COMPRESSIBLE = [name for name in REPORT_SCHEMA.names if name != "payload"]

# Random bits cannot be compressed, and have no statistics; a page that rots must be noticed.
STORAGE = {
    "write_page_checksum": True,
    "compression": dict.fromkeys(COMPRESSIBLE, "lz4") | {"payload": "none"},
    "use_dictionary": COMPRESSIBLE,
    "write_statistics": COMPRESSIBLE,
}

Amounts = NDArray[np.int64] | int
Rounds = NDArray[np.int8] | int


class ReportWriter:
    """A Parquet file, or a table in memory, that takes the reports of one slot after the other.

    The reports must come in the order of the table, by slot, household and
    round; a ValueError says when they do not.
    """

    def __init__(self, path: str | PathLike[str] | None, plan: Plan, homes: int, seed: int | None = None) -> None:
        """To the file at `path`; without one the reports stay in memory, for `table`."""
        self.rows = 0  # written so far
        self._schema = report_schema(plan, homes, seed)
        self._order = ReportOrder()
        self._waiting: list[pa.RecordBatch] = []
        self._waiting_rows = 0
        self._file = None if path is None else pq.ParquetWriter(path, self._schema, **STORAGE)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def write(
        self,
        households: pa.Array,
        slot: int,
        round: Rounds,
        spent: Amounts,
        drawn: Amounts,
        payloads: NDArray[np.uint8],
    ) -> None:
        """Add reports of one slot: a row of `payloads` for each household."""
        count = len(payloads)
        rounds, spents, drawns = _column(round, count, np.int8), _column(spent, count), _column(drawn, count)
        slots = np.full(count, slot, dtype=np.int32)
        self.write_batch(ReportBatch(households, slots, rounds, spents, drawns, payloads))

    def write_batch(self, batch: ReportBatch) -> None:
        """Add reports of any slots; their columns must not change until the file is complete."""
        if self._order.first_break(batch.keys) is not None:
            raise ValueError("reports must be written in the order of slot, household and round")
        for start in range(0, len(batch), GROUP_ROWS):
            part = batch.taken(slice(start, start + GROUP_ROWS))
            numbers = (pa.array(column) for column in (part.slot, part.round, part.spent, part.drawn))
            columns = [part.households, *numbers, _binary(part.payloads)]
            self._add(pa.RecordBatch.from_arrays(columns, schema=self._schema))

    def close(self) -> None:
        """Write what is left; the file is complete only after this."""
        if self._file is not None and self._file.is_open:
            self._flush(self._file)
            self._file.close()

    def table(self) -> pa.Table:
        """All reports, where they stayed in memory."""
        return pa.Table.from_batches(self._waiting, self._schema)

    def _add(self, batch: pa.RecordBatch) -> None:
        self.rows += batch.num_rows
        self._waiting.append(batch)
        self._waiting_rows += batch.num_rows
        if self._file is not None and self._waiting_rows >= GROUP_ROWS:
            self._flush(self._file)

    def _flush(self, file: pq.ParquetWriter) -> None:
        if self._waiting:
            file.write_table(pa.Table.from_batches(self._waiting), row_group_size=GROUP_ROWS)
            self._waiting, self._waiting_rows = [], 0


def _column(value: Amounts | Rounds, count: int, kind: type[Any] = np.int64) -> NDArray[Any]:
    """One value for all rows, or each row's own; a copy, for the rows may wait."""
    return np.broadcast_to(value, count).astype(kind)


def _binary(payloads: NDArray[np.uint8]) -> pa.Array:
    """A matrix of bytes as Arrow's binary: each row a value, the bytes as they are."""
    count, size = payloads.shape
    offsets = np.arange(0, (count + 1) * size, size, dtype=np.int32)
    buffers = [None, pa.py_buffer(offsets), pa.py_buffer(payloads.copy())]
    return pa.Array.from_buffers(pa.binary(), count, buffers)
