"""One Parquet file of reports: whose it is, and its columns in their plain form.

Everything that must not be in it is refused in one line, with the row.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from hushwatt.errors import ReportError
from hushwatt.plan.plan import Plan
from hushwatt.wire.report_columns import fits, payload_matrix, payload_sizes, texts
from hushwatt.wire.report_schema import HOMES, PLAN, REPORT_SCHEMA, ReportBatch

ROWS = 1 << 17  # in a batch
BUFFER = 1 << 20  # bytes read at a time
INTEGERS = ("slot", "round", "spent", "drawn")


class ReportFile:
    """A file whose plan and columns have been checked; its rows are checked as they are read."""

    def __init__(self, plan: Plan, path: Path) -> None:
        self.path = path
        self._slots = plan.calendar.slots
        try:
            with self._open() as file:
                schema, self.rows = file.schema_arrow, file.metadata.num_rows
        except (OSError, pa.ArrowException):
            raise ReportError(f"{path}: not a Parquet file, or not a complete one") from None
        self._check_columns(schema)
        self.homes = self._check_told(plan, schema.metadata or {})

    def batches(self, size: int) -> Iterator[ReportBatch]:
        """All reports, payloads of `size` bytes."""
        first = 0
        for batch in self.columns(tuple(REPORT_SCHEMA.names)):
            yield self._checked(batch, first, size)
            first += batch.num_rows

    def columns(self, names: tuple[str, ...]) -> Iterator[pa.RecordBatch]:
        """These columns as they are, unchecked."""
        done = 0
        try:
            with self._open() as file:
                for batch in file.iter_batches(ROWS, columns=list(names), use_threads=False):
                    done += batch.num_rows
                    yield batch.select(names)
        except (OSError, pa.ArrowException):
            raise ReportError(f"{self.path}: damaged after row {done}") from None

    def refusal(self, row: int, problem: str) -> ReportError:
        """The error for a row, counted from 0."""
        return ReportError(f"{self.path}, row {row + 1}: {problem}")

    def _open(self) -> pq.ParquetFile:
        return pq.ParquetFile(self.path, pre_buffer=False, buffer_size=BUFFER)

    def _check_columns(self, schema: pa.Schema) -> None:
        for name in REPORT_SCHEMA.names:
            found = schema.get_all_field_indices(name)
            if len(found) != 1:
                raise ReportError(f"{self.path}, column {name}: {'there twice' if found else 'not there'}")
            kind = schema.field(found[0]).type
            if not fits(name, kind):
                raise ReportError(f"{self.path}, column {name}: {kind}, not {REPORT_SCHEMA.field(name).type}")

    def _check_told(self, plan: Plan, told: dict[bytes, bytes]) -> int:
        """The number of homes the file tells, when it tells of this plan."""
        found, homes = told.get(PLAN, b"").decode("ascii", "replace"), told.get(HOMES, b"")
        if not found:
            raise ReportError(
                f"{self.path}: it does not say whose plan it follows (no {PLAN.decode()} in it)"
            )
        if found != plan.id:
            raise ReportError(f"{self.path}: reports of the plan {found[:12]}…, not of {plan.id[:12]}…")
        if not homes.isdigit():
            raise ReportError(
                f"{self.path}: it does not say how many homes take part (no {HOMES.decode()} in it)"
            )
        return int(homes)

    def _checked(self, batch: pa.RecordBatch, first: int, size: int) -> ReportBatch:
        for name, column in zip(batch.schema.names, batch.columns, strict=True):
            if column.null_count:
                missing = column.is_null().to_numpy(zero_copy_only=False)
                raise self.refusal(first + int(missing.argmax()), f"column {name} is missing")
        slot, round, spent, drawn = (self._integers(batch, name, first) for name in INTEGERS)
        self._refuse_where(
            (slot < 0) | (slot >= self._slots), first, f"the plan has slots 0 to {self._slots - 1}"
        )
        self._refuse_where((round < 0) | (round > 1), first, "the round must be 0 or 1")
        self._refuse_where((spent < 0) | (drawn < 0), first, "spent and drawn cannot be negative")
        payloads = self._payloads(batch.column("payload"), first, size)
        return ReportBatch(texts(batch.column("household")), slot, round, spent, drawn, payloads)

    def _integers(self, batch: pa.RecordBatch, name: str, first: int) -> NDArray[Any]:
        column, kind = batch.column(name), REPORT_SCHEMA.field(name).type
        if column.type == kind:
            return np.asarray(column)
        try:
            return np.asarray(column.cast(kind))
        except pa.ArrowInvalid:
            raise self.refusal(
                first, f"column {name}: from here on, a number that does not fit {kind}"
            ) from None

    def _payloads(self, column: pa.Array, first: int, size: int) -> NDArray[np.uint8]:
        if pa.types.is_binary_view(column.type):
            column = column.cast(pa.binary())
        wrong = payload_sizes(column) != size
        self._refuse_where(wrong, first, f"the plan's payloads have {size} bytes, this one has not")
        return payload_matrix(column, size)

    def _refuse_where(self, bad: NDArray[np.bool_], first: int, problem: str) -> None:
        if bad.any():
            raise self.refusal(first + int(bad.argmax()), problem)
