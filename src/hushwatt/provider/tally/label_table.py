"""A file that says which labels each home has: a column `household`, and a column for every label.

It is read piece by piece in a bounded memory: of each home a hash of its name and the number of its cell are kept.
Errors name file, row and column, never a household.
"""

import csv
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray
from pyarrow import csv as arrow_csv

from hushwatt.errors import UsageError
from hushwatt.provider.tally.labels import MAX_CELLS, Cells
from hushwatt.wire.labels import MAX_LABELS, check_label
from hushwatt.wire.reports.bounded_parquet import BoundedParquet
from hushwatt.wire.reports.columns import MAX_NAME, byte_lengths, hash_names, to_strings
from hushwatt.wire.reports.parquet_bounds import UnsafeParquet

HOUSEHOLD = "household"
BLOCK_BYTES = 1 << 22  # bytes of a CSV file read at a time, and of a line at most


@dataclass(frozen=True)
class LabelTable:
    """The cell of every home of a file.

    >>> table = LabelTable.of(pa.table({"household": ["ada", "bob"], "tariff": ["A", "B"]}))
    >>> table.cells_of(pa.array(["bob", "eve", "ada"])).tolist()
    [2, 0, 1]
    """

    cells: Cells
    hashes: NDArray[np.uint64]  # of the homes' names, ascending
    numbers: NDArray[np.int64]  # of their cells

    @classmethod
    def of(cls, table: pa.Table, name: str = "labels") -> "LabelTable":
        """From a table in memory, called `name` in errors."""
        return _collected(name, table.schema.names, iter(table.to_batches()))

    def cells_of(self, households: pa.Array) -> NDArray[np.int64]:
        """The cell of each of these homes; 0 for one that the file does not name."""
        wanted = hash_names(to_strings(households))
        order = np.argsort(wanted)  # neighbours are found quicker one after the other
        ascending = wanted[order]
        found = np.zeros(len(wanted), dtype=np.int64)
        if len(self.hashes):
            places = np.minimum(np.searchsorted(self.hashes, ascending), len(self.hashes) - 1)
            found[order] = np.where(self.hashes[places] == ascending, self.numbers[places], 0)
        return found

    @property
    def homes(self) -> NDArray[np.int64]:
        """How many homes the file names in each cell."""
        return np.bincount(self.numbers, minlength=len(self.cells)).astype(np.int64)


def read_labels(path: str | Path) -> LabelTable:
    """The labels of a CSV or Parquet file."""
    path = Path(path)
    if path.suffix.lower() == ".parquet":
        return _read_parquet(path)
    if path.suffix.lower() != ".csv":
        raise UsageError(f"{path}: labels are read from a .csv or .parquet file")
    return _read_csv(path)


def _read_parquet(path: Path) -> LabelTable:
    try:
        file = BoundedParquet(path)
        names = _checked_names(str(path), file.schema.names)
        return _collected(str(path), names, file.batches(names))
    except UnsafeParquet as unfit:
        raise UsageError(f"{path}: {unfit}") from None
    except (OSError, pa.ArrowException):
        raise UsageError(f"{path}: not a Parquet file, or not a complete one") from None


def _read_csv(path: Path) -> LabelTable:
    try:
        with path.open("rb") as file:
            header = next(csv.reader([file.readline(BLOCK_BYTES).decode("utf-8-sig")], strict=True), [])
        names = _checked_names(str(path), header)
        stream = arrow_csv.open_csv(
            path,
            arrow_csv.ReadOptions(use_threads=False, block_size=BLOCK_BYTES),
            arrow_csv.ParseOptions(newlines_in_values=False),
            arrow_csv.ConvertOptions(
                include_columns=header,
                column_types=dict.fromkeys(header, pa.string()),
                null_values=[""],
                strings_can_be_null=True,
            ),
        )
        with stream:
            return _collected(str(path), names, (batch.rename_columns(names) for batch in stream))
    except OSError as problem:
        raise UsageError(f"{path}: {problem.strerror or 'cannot be read'}") from None
    except (csv.Error, UnicodeDecodeError):
        raise UsageError(f"{path}, line 1: not a line of CSV") from None
    except pa.ArrowException:
        raise UsageError(f"{path}: not a CSV file in UTF-8 whose lines all have as many fields as the first") from None


def _checked_names(where: str, columns: list[str]) -> list[str]:
    """The columns of a file, if they are a household and its labels."""
    names = [column.strip() for column in columns]
    if HOUSEHOLD not in names:
        raise UsageError(f"{where}, column {HOUSEHOLD}: not there")
    if len(names) < 2 or len(names) > MAX_LABELS + 1:
        raise UsageError(f"{where}: {len(names) - 1} columns beside {HOUSEHOLD}; write 1 to {MAX_LABELS} labels")
    for name in names:
        if names.count(name) > 1:
            raise UsageError(f"{where}, column {name[:MAX_NAME]}: there twice")
        if name != HOUSEHOLD:
            _located(f"{where}, line 1", name)
    return names


def _located(where: str, name: str, value: str | None = None) -> None:
    try:
        check_label(name, value)
    except UsageError as wrong:
        raise UsageError(f"{where}: {wrong}") from None


@dataclass
class _CellNumbers:
    """Gives each combination of values a number, as they come."""

    where: str
    names: list[str]
    known: dict[tuple[str, ...], int] = field(default_factory=dict)

    def of(self, batch: pa.RecordBatch, first: int) -> NDArray[np.int64]:
        """The cell of each row."""
        combined, vocabularies = np.zeros(len(batch), dtype=np.int64), []
        for name in self.names:
            codes, words = self._coded(name, batch.column(name), first)
            vocabularies.append(words)
            _, combined = np.unique(combined * len(words) + codes, return_inverse=True)
        _, firsts, which = np.unique(combined, return_index=True, return_inverse=True)
        rows = [tuple(batch.column(name)[int(row)].as_py() for name in self.names) for row in firsts]
        numbers = [self._number(tuple("" if each is None else str(each).strip() for each in row)) for row in rows]
        return np.array(numbers, dtype=np.int64)[which]

    def _coded(self, name: str, column: pa.Array, first: int) -> tuple[NDArray[np.int64], list[str]]:
        """The place of each value among the different ones, the first of which is none."""
        kind = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
        if not (pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_integer(kind)):
            raise UsageError(f"{self.where}, column {name}: {kind}; labels are texts or whole numbers")
        coded = column if pa.types.is_dictionary(column.type) else column.dictionary_encode()
        places = pc.fill_null(coded.indices, -1).to_numpy().astype(np.int64)
        words = ["" if each is None else str(each).strip() for each in coded.dictionary.to_pylist()]
        for place in np.unique(places[places >= 0]).tolist():
            if words[place]:
                row = first + int(np.argmax(places == place)) + 1
                _located(f"{self.where}, row {row}, column {name}", name, words[place])
        return places + 1, ["", *words]

    def _number(self, values: tuple[str, ...]) -> int:
        if not any(values):
            return 0
        if values not in self.known and len(self.known) == MAX_CELLS:
            raise UsageError(f"{self.where}: more than {MAX_CELLS:,} combinations of labels; leave a column out")
        return self.known.setdefault(values, len(self.known) + 1)


def _collected(where: str, columns: list[str], batches: Iterator[pa.RecordBatch]) -> LabelTable:
    """All rows of a file; a home may be named once."""
    names = [name for name in _checked_names(where, columns) if name != HOUSEHOLD]
    cells, first = _CellNumbers(where, names), 0
    hashes, numbers = [np.empty(0, dtype=np.uint64)], [np.empty(0, dtype=np.int64)]
    for batch in batches:
        hashes.append(_hashed(where, batch.column(HOUSEHOLD), first))
        numbers.append(cells.of(batch, first))
        first += len(batch)
    hashed = np.concatenate(hashes)
    order = np.argsort(hashed, kind="stable")
    ascending = hashed[order]
    again = np.flatnonzero(ascending[1:] == ascending[:-1])
    if len(again):
        row = int(order[again + 1].min())
        raise UsageError(f"{where}, row {row + 1}, column {HOUSEHOLD}: the home is there twice")
    values = sorted(cells.known)  # the same numbers in whatever order homes come
    places = np.zeros(len(values) + 1, dtype=np.int64)
    for place, each in enumerate(values):
        places[cells.known[each]] = place + 1
    return LabelTable(Cells(tuple(names), tuple(values)), ascending, places[np.concatenate(numbers)[order]])


def _hashed(where: str, column: pa.Array, first: int) -> NDArray[np.uint64]:
    kind = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
    if not (pa.types.is_string(kind) or pa.types.is_large_string(kind)):
        raise UsageError(f"{where}, column {HOUSEHOLD}: {kind}, not string")
    lengths = pc.fill_null(pc.binary_length(to_strings(column)), 0).to_numpy() if column.null_count else None
    lengths = byte_lengths(to_strings(column)) if lengths is None else lengths
    wrong = np.flatnonzero((lengths < 1) | (lengths > MAX_NAME))
    if len(wrong):
        raise UsageError(f"{where}, row {first + int(wrong[0]) + 1}, column {HOUSEHOLD}: 1 to {MAX_NAME} bytes")
    return hash_names(to_strings(column))
