"""Open Power System Data's household package: one wide file of counters in kWh."""

import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa

from hushwatt.errors import ReadingsError
from hushwatt.evaluate.datasets.appliance_names import common_name
from hushwatt.evaluate.datasets.csv_rows import NUMBER, CsvLayout, csv_batches, header, numbers, seconds
from hushwatt.evaluate.datasets.dataset import MeterDataset, Piece, Recording
from hushwatt.evaluate.datasets.time_grid import SECOND, Moments
from hushwatt.evaluate.datasets.zero_order_hold import Floats

FILE = re.compile(r"household_data_(\d+)min_singleindex\.csv(?:\.gz)?")
COLUMN = re.compile(r"DE_KN_(residential\d+)_(\w+)")
STAMP = "utc_timestamp"
NO_APPLIANCES = ("grid_", "pv")  # feeds of the whole home
JOULES = 3.6e6  # of a kWh


class Opsd(MeterDataset):
    """The residential buildings of the package."""

    name = "opsd"

    def homes(self, folder: Path) -> list[str]:
        """The residential buildings of the file's header."""
        return sorted({home for home, _ in _columns(_file(folder)).values()})

    def household(self, home: str) -> str:
        """The home's name in the table, as the package calls it."""
        return f"opsd_DE_KN_{home}"

    def recordings(self, folder: Path, home: str) -> Iterator[Recording]:
        """The appliances of one home."""
        path = _file(folder)
        mine = {column: feed for column, (other, feed) in _columns(path).items() if other == home}
        step = 60.0 * _minutes(path)
        yield Recording(tuple(common_name(feed) for feed in mine.values()), _rows(path, list(mine), step), step)


def _file(folder: Path) -> Path:
    """The finest file of the package."""
    packages = [path for path in folder.rglob("household_data_*") if FILE.fullmatch(path.name)]
    if not packages:
        raise ReadingsError(f"{folder}: no file of OPSD; expected household_data_60min_singleindex.csv")
    return min(packages, key=lambda path: (_minutes(path), str(path)))


def _minutes(path: Path) -> int:
    match = FILE.fullmatch(path.name)
    return int(match[1]) if match else 0


def _columns(path: Path) -> dict[str, tuple[str, str]]:
    """Home and appliance of each column that has one."""
    names = header(path)
    if STAMP not in names:
        raise ReadingsError(f"{path}: column {STAMP} is not there; expected it, and DE_KN_residential1_dishwasher etc.")
    matches = {column: match for column in names if (match := COLUMN.fullmatch(column))}
    return {name: (match[1], match[2]) for name, match in matches.items() if not match[2].startswith(NO_APPLIANCES)}


def _rows(path: Path, columns: list[str], step: float) -> Iterator[Piece]:
    """Mean watts since the row before, from when that row's period ended."""
    layout = CsvLayout(
        {STAMP: pa.timestamp("s", tz="UTC"), **dict.fromkeys(columns, NUMBER)},
        expected=f"the columns {STAMP} and DE_KN_…, times such as 2016-02-01T00:00:00Z",
        header=True,
    )
    length = round(step * SECOND)
    before: tuple[Moments, Floats] = np.empty(0, np.int64), np.empty((0, len(columns)))
    for batch in csv_batches(path, layout):
        times = np.concatenate([before[0], seconds(batch[STAMP])])
        counters = np.concatenate([before[1], numbers(batch, columns)])
        whole = (np.diff(times) == length)[:, None]  # no row is missing in between
        watts = np.where(whole, np.diff(counters, axis=0) * JOULES / step, np.nan)
        ends = np.full_like(watts, np.nan)  # a row tells of its own period and nothing after it
        yield np.concatenate([times[1:] + length, times[1:]]), np.concatenate([ends, watts])
        before = times[-1:], counters[-1:]
