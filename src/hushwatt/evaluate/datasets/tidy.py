"""Tables that have one reading a row already, in Parquet or CSV, under any of the usual column names."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyarrow import csv

from hushwatt.errors import ReadingsError, UsageError
from hushwatt.evaluate.datasets.appliance_names import MAINS
from hushwatt.evaluate.datasets.csv_rows import header
from hushwatt.evaluate.datasets.dataset import DatasetOptions
from hushwatt.evaluate.readings_file import ENCODED, SCHEMA
from hushwatt.fleet.readings import columns
from hushwatt.fleet.readings.columns import CellError
from hushwatt.wire.reports.bounded_parquet import BoundedParquet
from hushwatt.wire.reports.parquet_bounds import UnsafeParquet

PARQUET = {".parquet", ".pq", ".parq"}
CSV = {".csv"}
CALLED = {  # the first that a file has counts
    "household": ("household",),
    "time": ("time", "timestamp", "day"),
    "appliance": ("appliance",),
    "watts": ("watts", "mean_watts"),
}
COVERAGE = "coverage"


class Tidy:
    """A table of readings, as it is."""

    name = "tidy"

    def tables(self, folder: Path, options: DatasetOptions) -> Iterator[pa.RecordBatch]:
        """The rows of every file, under hushwatt's column names."""
        if options.every is not None:
            raise UsageError("the rows of a tidy table are readings already; leave --every out")
        for path in _files(folder):
            first = 0
            for batch in _parquet(path) if path.suffix.lower() in PARQUET else _csv(path):
                try:
                    yield _table(batch, options)
                except CellError as fault:
                    row = first + fault.row + 1
                    raise ReadingsError(f"{path}, row {row}, column {fault.column}: {fault.problem}") from None
                first += batch.num_rows


def _files(folder: Path) -> list[Path]:
    inside = [folder] if folder.is_file() else sorted(folder.rglob("*"))
    visible = [path for path in inside if not any(p.startswith(".") for p in path.relative_to(folder).parts)]
    tables = [path for path in visible if path.suffix.lower() in PARQUET | CSV and path.is_file()]
    if not tables:
        raise ReadingsError(f"{folder}: no table; expected a Parquet or a CSV file, or a folder of them")
    return tables


def readings_files(folder: Path) -> list[Path]:
    """The tables under a folder that have all the columns; others are something else."""
    tables = [path for path in _files(folder) if _has_columns(path)]
    if not tables:
        raise ReadingsError(f"{folder}: no table with the columns {', '.join(CALLED)}")
    return tables


def _has_columns(path: Path) -> bool:
    try:
        names = BoundedParquet(path).schema.names if path.suffix.lower() in PARQUET else header(path)
    except (OSError, pa.ArrowException, UnsafeParquet):
        return True  # whoever reads it says what is wrong
    return all(set(theirs) & set(names) for theirs in CALLED.values())


def _columns(path: Path, found: list[str]) -> dict[str, str]:
    """What the file calls each of our columns, and its coverage if it has one."""
    names = {}
    for ours, theirs in CALLED.items():
        present = [name for name in theirs if name in found]
        if not present:
            raise ReadingsError(f"{path}: column {' or '.join(theirs)} is not there")
        names[ours] = present[0]
    return names | ({COVERAGE: COVERAGE} if COVERAGE in found else {})


def _parquet(path: Path) -> Iterator[pa.RecordBatch]:
    try:
        file = BoundedParquet(path)
        names = _columns(path, file.schema.names)
        for ours in CALLED:
            if problem := columns.wrong_type(ours, file.schema.field(names[ours]).type):
                raise ReadingsError(f"{path}, column {names[ours]}: {problem}")
        for batch in file.batches(list(names.values())):
            yield batch.rename_columns(list(names))
    except UnsafeParquet as unfit:
        raise ReadingsError(f"{path}: {unfit}") from None
    except (OSError, pa.ArrowException):
        raise ReadingsError(f"{path}: not a Parquet file, or not a complete one") from None


def _csv(path: Path) -> Iterator[pa.RecordBatch]:
    """Every cell as text, so that what is wrong can be named."""
    names = _columns(path, header(path))
    options = csv.ConvertOptions(
        include_columns=list(names.values()),
        column_types=dict.fromkeys(names.values(), ENCODED),
        null_values=[""],
        strings_can_be_null=True,
    )
    try:
        with csv.open_csv(path, csv.ReadOptions(use_threads=False), convert_options=options) as stream:
            for batch in stream:
                yield batch.rename_columns(list(names))
    except (OSError, pa.ArrowException):
        raise ReadingsError(f"{path}: not a CSV file with {', '.join(names.values())} in every row") from None


def _table(batch: pa.RecordBatch, options: DatasetOptions) -> pa.RecordBatch:
    """The four columns, checked, without what is not wished for."""
    household = columns.encode_names("household", batch["household"])
    appliance = columns.encode_names("appliance", batch["appliance"])
    moments = columns.to_nanoseconds(batch["time"])
    numbers = _numbers("watts", batch["watts"])
    present = numbers.is_valid().to_numpy(zero_copy_only=False)
    watts = columns.to_watts(numbers.fill_null(0) if options.nulls else numbers)
    table = pa.RecordBatch.from_arrays(
        [
            pa.DictionaryArray.from_arrays(pa.array(household.codes), household.texts),
            pa.array(moments // 1_000, SCHEMA.field("time").type),
            pa.DictionaryArray.from_arrays(pa.array(appliance.codes), appliance.texts),
            pa.array(watts),
        ],
        names=SCHEMA.names,
    )
    keep = _among(household, options.homes) & present
    if not options.mains:
        keep &= ~_among(appliance, (MAINS,))
    if COVERAGE in batch.schema.names:
        covered = _numbers(COVERAGE, batch[COVERAGE]).to_numpy(zero_copy_only=False)
        keep &= ~(covered < options.coverage)  # where nobody says how much was measured, it was enough
    return table.filter(pa.array(keep))


def _among(names: columns.EncodedNames, wanted: tuple[str, ...] | None) -> NDArray[np.bool_]:
    """Which rows have one of these names; all of them when none is given."""
    if wanted is None:
        return np.ones(len(names.codes), dtype=bool)
    known = np.array([text in wanted for text in names.texts.to_pylist()], dtype=bool)
    return known[names.codes]


def _numbers(column: str, array: pa.Array) -> pa.Array:
    """A column of numbers, which may have been read as text."""
    if not pa.types.is_dictionary(array.type):
        return array
    texts = array.dictionary
    try:
        return texts.cast(pa.float64()).take(array.indices)
    except pa.ArrowInvalid:
        bad = [place for place, text in enumerate(texts.to_pylist()) if not _is_number(text)]
        rows = np.isin(array.indices.to_numpy(zero_copy_only=False), bad)
        raise CellError(int(rows.argmax()), column, "not a number") from None


def _is_number(text: str) -> bool:
    try:
        pa.scalar(text).cast(pa.float64())
    except pa.ArrowInvalid:
        return False
    return True
