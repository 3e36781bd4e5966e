"""Which files a path means, and how each is read: Parquet, CSV and tables in memory alike.

A folder stands for every Parquet and CSV file below it, sorted by name;
hidden ones and anything else in it are left alone.
"""

from collections.abc import Iterator
from os import PathLike
from pathlib import Path
from typing import Protocol

import pyarrow as pa

from hushwatt.errors import ReadingsError
from hushwatt.fleet.readings.columns import COLUMNS, CellError, check_columns
from hushwatt.fleet.readings.csv_file import CsvReadings
from hushwatt.fleet.readings.parquet_file import BATCH_ROWS, ParquetReadings
from hushwatt.wire.arrow_tables import batches_of, decode_dictionaries
from hushwatt.wire.storage import Location, ObjectPath, location
from hushwatt.wire.storage.location import absence, inside

PARQUET = (".parquet", ".pq", ".parq")
CSV = (".csv",)


class ReadingsFile(Protocol):
    """One file of readings whose columns have been checked."""

    path: Location
    size: int  # bytes

    def batches(self, columns: tuple[str, ...]) -> Iterator[tuple[pa.RecordBatch, float]]:
        """These columns piece by piece, and the fraction of the file that has passed."""

    def where(self, row: int) -> str:
        """The words for a row, counted from 0."""


class ArrowReadings:
    """The four columns of a pyarrow table; the rest of it is never looked at."""

    def __init__(self, table: pa.Table, name: str = "readings") -> None:
        self.path: Location = Path(name)
        self.size = table.nbytes
        self._table = decode_dictionaries(table, COLUMNS)
        check_columns(name, self._table.schema)

    def batches(self, columns: tuple[str, ...]) -> Iterator[tuple[pa.RecordBatch, float]]:
        """These columns piece by piece, and the fraction of the table that has passed."""
        done = 0
        for batch in batches_of(self._table.select(columns), BATCH_ROWS):
            done += batch.num_rows
            yield batch, done / self._table.num_rows

    def where(self, row: int) -> str:
        """The words for a row, counted from 0."""
        return f"row {row + 1}"


def readings_files(readings: str | PathLike[str] | Location | pa.Table, nulls: bool = False) -> list[ReadingsFile]:
    """Every file that a path stands for, in the order in which they are read; or a table in memory.

    `nulls` says that watts may be missing.
    """
    if isinstance(readings, pa.Table):
        return [ArrowReadings(readings)]
    files = _files(location(readings))
    return [ParquetReadings(file) if _is_parquet(file) else CsvReadings(file, nulls) for file in files]


def refusal(file: ReadingsFile, first: int, fault: CellError) -> ReadingsError:
    """The error for a cell of a batch whose first row is `first`."""
    return ReadingsError(f"{file.path}, {file.where(first + fault.row)}, column {fault.column}: {fault.problem}")


def _files(path: Location) -> list[Location]:
    if path.is_file():
        return [path]
    if not path.is_dir():
        raise ReadingsError(f"{path}: {absence(path)}")
    names = [name for name in sorted(inside(path)) if name.suffix.lower() in PARQUET + CSV]
    shown = [path / name for name in names if not any(part.startswith(".") for part in name.parts)]
    visible = [file for file in shown if isinstance(file, ObjectPath) or file.is_file()]
    if not visible:
        raise ReadingsError(f"{path}: there is no Parquet or CSV file in this folder")
    return visible


def _is_parquet(path: Location) -> bool:
    """By its name, or by its first bytes when the name does not tell."""
    if path.suffix.lower() in PARQUET + CSV:
        return path.suffix.lower() in PARQUET
    try:
        with path.open("rb") as file:
            return bool(file.read(4) == b"PAR1")
    except OSError as problem:
        raise ReadingsError(f"{path}: {problem.strerror}") from None
