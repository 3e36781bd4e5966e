"""ECO in its own layout: a file for each plug and day, a number for each second."""

import re
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from zoneinfo import ZoneInfo

import numpy as np

from hushwatt.errors import ReadingsError
from hushwatt.evaluate.datasets.appliance_names import common_name
from hushwatt.evaluate.datasets.csv_rows import NUMBER, CsvLayout, csv_batches, numbers
from hushwatt.evaluate.datasets.dataset import MeterDataset, Piece, Recording
from hushwatt.evaluate.datasets.time_grid import SECOND, to_utc

FILE = re.compile(r"(\d\d)/(\d\d)/(\d{4}-\d\d-\d\d)\.csv")
ROWS = CsvLayout({"watts": NUMBER}, expected="one number, the watts of one second")
SECONDS = 86_400  # rows of a day
ZURICH = ZoneInfo("Europe/Zurich")
LONGEST_GAP = 1.0  # seconds; every second has its row, and a missing one says so

# From the documentation files 01_doc.txt to 06_doc.txt, plug 01 first.
PLUGS = {
    "01": ("fridge", "dryer", "coffee machine", "kettle", "washing machine", "pc", "freezer"),
    "02": (
        *("tablet", "dishwasher", "air exhaust", "fridge", "entertainment", "freezer"),
        *("kettle", "lamp", "laptop", "stove", "tv", "stereo"),
    ),
    "03": ("tablet", "freezer", "coffee machine", "pc", "fridge", "kettle", "entertainment"),
    "04": (
        *("fridge", "kitchen appliances", "lamp", "stereo and laptop"),
        *("freezer", "tablet", "entertainment", "microwave"),
    ),
    "05": ("tablet", "coffee machine", "fountain", "microwave", "fridge", "entertainment", "pc", "kettle"),
    "06": ("lamp", "laptop", "router", "coffee machine", "entertainment", "fridge", "kettle"),
}


class Eco(MeterDataset):
    """Swiss homes 01 to 06 of ECO."""

    name = "eco"

    def homes(self, folder: Path) -> list[str]:
        """The numbers of the homes, as two digits."""
        homes = sorted({home for home, _, _, _ in _days(folder)})
        for home in homes:
            if home not in PLUGS:
                raise ReadingsError(f"{folder}: ECO has no home {home}; it has {', '.join(PLUGS)}")
        return homes

    def recordings(self, folder: Path, home: str) -> Iterator[Recording]:
        """Each plug of a home, all its days."""
        days = [day for day in _days(folder) if day[0] == home]
        for plug in sorted({plug for _, plug, _, _ in days}):
            if not 1 <= int(plug) <= len(PLUGS[home]):
                raise ReadingsError(f"{folder}: home {home} of ECO has no plug {plug}; it has {len(PLUGS[home])}")
            paths = [(day, path) for _, other, day, path in days if other == plug]
            yield Recording((common_name(PLUGS[home][int(plug) - 1]),), _rows(paths), LONGEST_GAP)


def _days(folder: Path) -> list[tuple[str, str, date, Path]]:
    """Home, plug, day and file of everything that looks like ECO, sorted."""
    days = []
    for path in sorted(folder.rglob("[0-9][0-9]/[0-9][0-9]/*.csv")):
        if match := FILE.fullmatch("/".join(path.parts[-3:])):
            try:
                days.append((match[1], match[2], date.fromisoformat(match[3]), path))
            except ValueError:
                raise ReadingsError(f"{path}: the name is no day; expected a file such as 2012-07-01.csv") from None
    if not days:
        raise ReadingsError(f"{folder}: no plug of ECO; expected files such as 04_plugs_csv/04/01/2012-07-01.csv")
    return days


def _rows(days: list[tuple[date, Path]]) -> Iterator[Piece]:
    """The seconds of each day in UTC; an hour that the clocks skip is left out."""
    for day, path in days:
        watts = np.concatenate([numbers(batch, ["watts"]) for batch in csv_batches(path, ROWS)])
        if len(watts) != SECONDS:
            raise ReadingsError(f"{path}: has {len(watts)} lines; expected {SECONDS}, one for each second of a day")
        midnight = int(np.datetime64(day, "ns").astype(np.int64))
        times, exist = to_utc(midnight + np.arange(SECONDS, dtype=np.int64) * SECOND, ZURICH)
        yield times[exist], watts[exist]
