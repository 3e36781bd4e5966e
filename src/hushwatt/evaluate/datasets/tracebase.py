"""tracebase in its own layout: a file for each appliance and day; nobody knows which home it stood in."""

import re
from collections.abc import Iterator
from pathlib import Path
from zoneinfo import ZoneInfo

from hushwatt.errors import ReadingsError
from hushwatt.evaluate.datasets.appliance_names import common_name
from hushwatt.evaluate.datasets.csv_rows import NUMBER, TIME, CsvLayout, csv_batches, numbers, seconds
from hushwatt.evaluate.datasets.dataset import MeterDataset, Piece, Recording
from hushwatt.evaluate.datasets.time_grid import to_utc

FILE = re.compile(r"dev_(\w+?)_(\d{4})\.(\d\d)\.(\d\d)\.csv")
ROWS = CsvLayout(
    {"time": TIME, "watts": NUMBER, "smoothed": NUMBER},
    expected="dd/mm/yyyy HH:MM:SS;watts;watts",
    delimiter=";",
    time="%d/%m/%Y %H:%M:%S",
)
BERLIN = ZoneInfo("Europe/Berlin")
LONGEST_GAP = 120.0  # seconds; rows come about every second


class Tracebase(MeterDataset):
    """Appliances of tracebase; every one of them stands for a home of its own."""

    name = "tracebase"

    def homes(self, folder: Path) -> list[str]:
        """The names of the devices."""
        return sorted(_devices(folder))

    def recordings(self, folder: Path, home: str) -> Iterator[Recording]:
        """All days of one device."""
        days = _devices(folder)[home]
        yield Recording((common_name(_words(days[0].parent.name)),), _rows(days), LONGEST_GAP)


def _devices(folder: Path) -> dict[str, list[Path]]:
    """The files of each device, by its name, in the order of their days."""
    devices: dict[str, list[Path]] = {}
    for path in sorted(folder.rglob("dev_*.csv"), key=lambda path: path.name):
        if match := FILE.fullmatch(path.name):
            devices.setdefault(match[1], []).append(path)
    if not devices:
        raise ReadingsError(f"{folder}: no device of tracebase; expected WaterKettle/dev_D330A3_2012.01.16.csv")
    return devices


def _words(kind: str) -> str:
    """The name of a folder as words.

    >>> _words("WaterKettle"), _words("PC-Desktop")
    ('water_kettle', 'pc_desktop')
    """
    return re.sub(r"(?<=[a-z])(?=[A-Z])|-", "_", kind).casefold()


def _rows(days: list[Path]) -> Iterator[Piece]:
    for path in days:
        for batch in csv_batches(path, ROWS):
            times, exist = to_utc(seconds(batch["time"]), BERLIN)
            yield times[exist], numbers(batch, ["watts"])[exist]
