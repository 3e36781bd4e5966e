"""Reports that were refused, kept beside the numbers: a table of reports that says of each row whose it was and why.

It has the columns of a table of reports, and then `file`, `row` (counted from 1) and `reason`.  So it can be looked
at, mended, and taken in like any other file.  A file that was refused as a whole has a row too, with nothing in it but
`file` and `reason`.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray
from pyarrow import csv

from hushwatt.errors import UsageError
from hushwatt.plan.plan import Plan
from hushwatt.wire.reports.refused_files import RefusedFile
from hushwatt.wire.reports.schema import REPORT_SCHEMA, ReportBatch, report_schema
from hushwatt.wire.storage import Location, atomic_write_to, location
from hushwatt.wire.storage.location import in_full

ADDED = [pa.field("file", pa.string()), pa.field("row", pa.int64()), pa.field("reason", pa.string())]
GROUP_ROWS = 1 << 16  # rows that wait in memory


class RejectedWriter:
    """Takes refused reports, a few at a time."""

    def __init__(self, path: Path, plan: Plan, homes: int) -> None:
        self.rows = self.files = 0
        told = report_schema(plan, homes)
        schema = pa.schema([*(field.with_nullable(True) for field in told), *ADDED], metadata=told.metadata)
        self._schema, self._waiting, self._waiting_rows = schema, list[pa.RecordBatch](), 0
        self._hex = path.suffix.lower() == ".csv"
        self._writer: Any = csv.CSVWriter(path, self._shown) if self._hex else pq.ParquetWriter(path, schema)

    def write(self, file: str, rows: NDArray[np.integer], batch: ReportBatch, reasons: Sequence[str]) -> None:
        """Keep these reports of a file; `rows` are their numbers in it, counted from 0."""
        if not len(batch):
            return
        numbers = (pa.array(column) for column in (batch.slot, batch.round, batch.spent, batch.drawn))
        payloads = pa.array([row.tobytes() for row in batch.payloads], pa.binary())
        places = [pa.array([file] * len(batch)), pa.array(rows + 1, pa.int64()), pa.array(reasons, pa.string())]
        columns = [batch.households, *numbers, payloads, *places]
        self._keep(pa.RecordBatch.from_arrays(columns, schema=self._schema))
        self.rows += len(batch)

    def write_file(self, file: RefusedFile) -> None:
        """Keep that a file was refused as a whole."""
        told = [{"file": file.name, "reason": file.problem}]
        self._keep(pa.RecordBatch.from_pylist(told, schema=self._schema))
        self.files += 1

    def close(self) -> None:
        """Write what waits; the file is complete only after this."""
        self._flush(self._waiting_rows)
        self._writer.close()

    @property
    def _shown(self) -> pa.Schema:
        """The columns of a CSV file: its payloads are hexadecimal."""
        return pa.schema(
            [field if field.name != "payload" else pa.field("payload", pa.string()) for field in self._schema]
        )

    def _keep(self, batch: pa.RecordBatch) -> None:
        self._waiting.append(batch)
        self._waiting_rows += len(batch)
        if self._waiting_rows >= GROUP_ROWS:
            self._flush(self._waiting_rows // GROUP_ROWS * GROUP_ROWS)

    def _flush(self, rows: int) -> None:
        """Write the first of what waits: however the rows came, the file has the same bytes."""
        waiting = pa.Table.from_batches(self._waiting, self._schema).combine_chunks()
        for start in range(0, rows, GROUP_ROWS):
            self._write(waiting.slice(start, min(GROUP_ROWS, rows - start)))
        self._waiting = waiting.slice(rows).combine_chunks().to_batches()
        self._waiting_rows -= rows

    def _write(self, table: pa.Table) -> None:
        if self._hex:
            payloads = pa.array([payload and payload.hex() for payload in table["payload"].to_pylist()], pa.string())
            at = REPORT_SCHEMA.get_field_index("payload")
            table = table.set_column(at, "payload", payloads).cast(self._shown)
        self._writer.write_table(table)


def check_ending(destination: Location) -> Location:
    """The same, when its ending is one that refused reports can be kept under."""
    if destination.suffix.lower() not in (".parquet", ".csv"):
        raise UsageError(f"{destination}: refused reports are kept in a file that ends in .parquet or .csv")
    return destination


def check_apart(destination: Location, reports: str) -> None:
    """Refuse a place where what is refused would replace reports, or be read as some of them the next time."""
    there, where = in_full(destination), in_full(reports)
    among = there.startswith(f"{where}/") and destination.suffix.lower() == ".parquet"
    if there == where or among:
        raise UsageError(f"{destination} is among the reports of {reports}: keep what is refused elsewhere")


@contextmanager
def rejected_file(where: str | PathLike[str] | Location, plan: Plan, homes: int) -> Iterator[RejectedWriter]:
    """A file for refused reports, .parquet or .csv, there whole once the block ends well."""
    with atomic_write_to(check_ending(location(where))) as temporary:
        writer = RejectedWriter(temporary, plan, homes)
        try:
            yield writer
        finally:
            writer.close()
