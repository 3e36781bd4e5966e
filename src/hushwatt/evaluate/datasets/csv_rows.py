"""Read a file of numbers piece by piece, and say in one line what is wrong with it.

Arrow reads it.  Only when something is wrong is the file gone through again
line by line, to say where; what stands there is never repeated.
"""

import csv as plain_csv
import gzip
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import BinaryIO, cast

import numpy as np
import pyarrow as pa
from pyarrow import csv

from hushwatt.errors import ReadingsError
from hushwatt.evaluate.datasets.time_grid import SECOND, Moments
from hushwatt.evaluate.datasets.zero_order_hold import Floats

BLOCK_BYTES = 1 << 22  # bytes read at a time
NUMBER = pa.float64()
TIME = pa.timestamp("s")
ISO = "%Y-%m-%d %H:%M:%S"


@dataclass(frozen=True)
class CsvLayout:
    """The columns of a file of numbers."""

    columns: dict[str, pa.DataType]  # those to read, all when there is no header; the first is never empty
    expected: str  # one line of the file, for people
    delimiter: str = ","
    header: bool = False
    time: str = ISO  # how a TIME is written


def csv_batches(path: Path, layout: CsvLayout) -> Iterator[pa.RecordBatch]:
    """The columns of a file, plain or gzipped, piece by piece."""
    try:
        with _opened(path) as file, _streamed(file, layout) as stream:
            for batch in stream:
                if batch.column(0).null_count:
                    raise pa.ArrowInvalid("the first column has a gap")
                yield batch
    except (EOFError, gzip.BadGzipFile, zlib.error):
        raise ReadingsError(
            f"{path}: not a complete gzip file, as if its download had stopped half-way; get it again"
        ) from None
    except OSError as problem:
        raise ReadingsError(f"{path}: {problem.strerror or 'cannot be read'}") from None
    except pa.ArrowException:
        raise _diagnosis(path, layout) from None


def header(path: Path) -> list[str]:
    """The names of the columns of a CSV file, plain or gzipped; none when it is empty or cut short."""
    try:
        with _opened(path) as file:
            return _cells(file.readline(), ",")
    except (EOFError, gzip.BadGzipFile, zlib.error):
        return []
    except OSError as problem:
        raise ReadingsError(f"{path}: {problem.strerror or 'cannot be read'}") from None


def seconds(array: pa.Array) -> Moments:
    """Nanoseconds since 1970 of a column of seconds since 1970, or of times."""
    if pa.types.is_timestamp(array.type):
        array = array.cast(pa.timestamp("ns")).cast(pa.int64())
        return np.asarray(array.to_numpy(zero_copy_only=False), dtype=np.int64)
    return np.asarray(np.rint(array.to_numpy(zero_copy_only=False) * SECOND), dtype=np.int64)


def numbers(batch: pa.RecordBatch, names: list[str]) -> Floats:
    """Columns side by side; what is empty is NaN."""
    return np.stack([batch[name].to_numpy(zero_copy_only=False) for name in names], axis=1)


def _opened(path: Path) -> BinaryIO:
    if path.suffix == ".gz":
        return cast(BinaryIO, gzip.open(path))
    return path.open("rb")


def _streamed(file: BinaryIO, layout: CsvLayout) -> csv.CSVStreamingReader:
    names = list(layout.columns)
    return csv.open_csv(
        pa.PythonFile(file, mode="r"),
        csv.ReadOptions(use_threads=False, block_size=BLOCK_BYTES, column_names=None if layout.header else names),
        csv.ParseOptions(delimiter=layout.delimiter),
        csv.ConvertOptions(
            include_columns=names, column_types=layout.columns, timestamp_parsers=[layout.time, csv.ISO8601]
        ),
    )


def _diagnosis(path: Path, layout: CsvLayout) -> ReadingsError:
    """Where the file stops being what it should be."""
    with _opened(path) as file:
        names = list(layout.columns)
        for number, line in enumerate(file, start=1):
            cells = _cells(line, layout.delimiter)
            if number == 1 and layout.header:
                names = cells
            elif cells and not _fits(cells, names, layout):
                return ReadingsError(f"{path}, line {number}: expected {layout.expected}")
    return ReadingsError(f"{path}: expected lines of {layout.expected}, found none that can be read")


def _cells(line: bytes, delimiter: str) -> list[str]:
    text = line.decode("utf-8-sig", errors="replace").rstrip("\r\n")
    return next(plain_csv.reader([text], delimiter=delimiter), [])


def _fits(cells: list[str], names: list[str], layout: CsvLayout) -> bool:
    """Whether a line has a cell for every column, and each of them can be read."""
    if len(cells) != len(names):
        return False
    row = dict(zip(names, cells, strict=True))
    if not row.get(next(iter(layout.columns))):
        return False
    try:
        for name, kind in layout.columns.items():
            if kind == NUMBER:
                float(row[name] or 0)
            else:
                _moment(row[name], layout)
    except (KeyError, ValueError):
        return False
    return True


def _moment(text: str, layout: CsvLayout) -> datetime:
    try:
        return datetime.strptime(text, layout.time)
    except ValueError:
        return datetime.fromisoformat(text)
