"""One CSV file of readings, read piece by piece.

Arrow reads it.  Only when something is wrong is the file gone through again
line by line, to say where.
"""

import csv
from collections.abc import Iterator
from contextlib import suppress
from typing import TextIO

import pyarrow as pa
from pyarrow import csv as arrow_csv

from hushwatt.errors import ReadingsError
from hushwatt.fleet.readings.columns import COLUMNS, parse_nanoseconds
from hushwatt.wire.storage.location import Location, opener

BLOCK_BYTES = 1 << 22  # bytes
MAX_LINE_LETTERS = 1 << 20  # letters of a line that is read by itself, to say what is wrong with it
MAX_COLUMNS = 10_000
ENCODED = pa.dictionary(pa.int32(), pa.string())
TYPES = {"household": ENCODED, "time": ENCODED, "appliance": ENCODED, "watts": pa.float64()}


class CsvReadings:
    """The four columns of a CSV file with a header; an empty cell is a missing one."""

    def __init__(self, path: Location, nulls: bool = False) -> None:
        """`nulls` says that watts may be missing."""
        self.path, self._nulls = path, nulls
        try:
            self.size = path.stat().st_size
            self._header = next((fields for _, fields in self._records()), [])
        except OSError as problem:
            raise ReadingsError(f"{path}: {problem.strerror}") from None
        except csv.Error:
            raise ReadingsError(f"{path}, line 1: not a line of CSV") from None
        if len(self._header) > MAX_COLUMNS:
            raise ReadingsError(f"{path}, line 1: {len(self._header):,} columns; at most {MAX_COLUMNS:,} are read")
        for column in COLUMNS:
            if self._header.count(column) != 1:
                problem_text = "there twice" if column in self._header else "not there"
                raise ReadingsError(f"{path}, line 1, column {column}: {problem_text}")

    def batches(self, columns: tuple[str, ...]) -> Iterator[tuple[pa.RecordBatch, float]]:
        """These columns piece by piece, and the fraction of the file that has passed."""
        passed = 0
        try:
            with self._stream(columns) as stream:
                for batch in stream:
                    passed = min(passed + BLOCK_BYTES, self.size)
                    yield batch, passed / self.size
        except FileNotFoundError:
            raise ReadingsError(f"{self.path}: it is not there any more") from None
        except (OSError, pa.ArrowException):
            raise self._diagnosis() from None

    def where(self, row: int) -> str:
        """The words for a row, counted from 0."""
        with suppress(OSError, csv.Error):  # it has gone, or a line before it was read by Arrow in another way
            for number, (line, _) in enumerate(self._records()):
                if number == row + 1:
                    return f"row {number} (line {line})"
        return f"row {row + 1}"

    def _stream(self, columns: tuple[str, ...]) -> arrow_csv.CSVStreamingReader:
        return arrow_csv.open_csv(
            opener(self.path)(),
            arrow_csv.ReadOptions(use_threads=False, block_size=BLOCK_BYTES),
            arrow_csv.ParseOptions(newlines_in_values=True),
            arrow_csv.ConvertOptions(
                include_columns=list(columns), column_types=TYPES, null_values=[""], strings_can_be_null=True
            ),
        )

    def _records(self) -> Iterator[tuple[int, list[str]]]:
        """Every record that is not empty, and the line it begins on; the header first."""
        with self.path.open(newline="", encoding="utf-8-sig", errors="surrogateescape") as file:
            reader, line = csv.reader(_lines(file), strict=True), 1
            for fields in reader:
                if fields:
                    yield line, fields
                line = reader.line_num + 1

    def _diagnosis(self) -> ReadingsError:
        """Where the file stops being a table of readings."""
        number, line = 0, 0
        try:
            for number, (line, fields) in enumerate(self._records()):
                if number and (problem := self._problem(fields)):
                    return ReadingsError(f"{self.path}, row {number} (line {line}), {problem}")
        except (OSError, csv.Error):
            return ReadingsError(f"{self.path}, row {number + 1} (after line {line}): not a line of CSV")
        return ReadingsError(f"{self.path}: not a CSV file that can be read")

    def _problem(self, fields: list[str]) -> str | None:
        """What is wrong with a record, without its values."""
        if len(fields) != len(self._header):
            last = self._header[min(len(fields), len(self._header) - 1)]
            return f"column {last}: {len(fields)} fields where the header has {len(self._header)}"
        cells = dict(zip(self._header, fields, strict=True))
        filled = [column for column in COLUMNS if cells[column] or column != "watts" or not self._nulls]
        problems = ((column, _cell_problem(column, cells[column])) for column in filled)
        return next((f"column {column}: {problem}" for column, problem in problems if problem), None)


def _lines(file: TextIO) -> Iterator[str]:
    """The lines of a file; one that is no line for its length is an error, and not held in memory."""
    while line := file.readline(MAX_LINE_LETTERS):
        if len(line) == MAX_LINE_LETTERS:
            raise csv.Error("a line too long")
        yield line


def _cell_problem(column: str, text: str) -> str | None:
    """What is wrong with one cell, in words that do not repeat it."""
    if not text:
        return "missing"
    try:
        text.encode()
        if column == "time":
            parse_nanoseconds(text)
        if column == "watts":
            pa.scalar(text.strip()).cast(pa.float64())
    except UnicodeEncodeError:
        return "not UTF-8"
    except ValueError:  # Arrow's refusals are such, too
        return "not a number" if column == "watts" else "not a time"
    return None
