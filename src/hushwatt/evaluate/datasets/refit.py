"""REFIT Electrical Load Measurements in its own layout: one CSV file for each house."""

import re
import tomllib
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from pathlib import Path

import numpy as np

from hushwatt.errors import ReadingsError
from hushwatt.evaluate.datasets.appliance_names import MAINS
from hushwatt.evaluate.datasets.csv_rows import NUMBER, CsvLayout, csv_batches, header, numbers, seconds
from hushwatt.evaluate.datasets.dataset import MeterDataset, Piece, Recording

FILE = re.compile(r"(?:CLEAN_)?House_?(\d+)\.csv(?:\.gz)?")
METERS = ["Aggregate", *(f"Appliance{number}" for number in range(1, 10))]
COLUMNS = ["Unix", *METERS]
HEADER = f"Time,{','.join(COLUMNS)}[,Issues]"
LONGEST_GAP = 120.0  # seconds; rows come every 6 to 8 seconds, and the authors fill gaps up to 2 minutes


class Refit(MeterDataset):
    """Houses 1 to 21 of REFIT, without 14, in the cleaned or the processed release."""

    name = "refit"

    def homes(self, folder: Path) -> list[str]:
        """The numbers of the houses."""
        return sorted(_houses(folder), key=int)

    def recordings(self, folder: Path, home: str) -> Iterator[Recording]:
        """The nine appliances and the total of one house, which are read at the same times."""
        path = _houses(folder)[home]
        fields = _header(path)
        used = [(MAINS, "Aggregate"), *zip(_appliances()[home], METERS[1:], strict=True)]
        used = [(appliance, column) for appliance, column in used if appliance]
        columns = [column for _, column in used]
        yield Recording(tuple(name for name, _ in used), _rows(path, columns, "Issues" in fields), LONGEST_GAP)


def _houses(folder: Path) -> dict[str, Path]:
    """The file of each house, by its number."""
    houses: dict[str, Path] = {}
    for path in sorted(folder.rglob("*House*.csv*"), key=lambda path: path.name):  # CLEAN_… comes first
        if match := FILE.fullmatch(path.name):
            if match[1] not in _appliances():
                raise ReadingsError(f"{path}: REFIT has no house {match[1]}; it has 1 to 21 without 14")
            houses.setdefault(match[1], path)
    if not houses:
        raise ReadingsError(f"{folder}: no house of REFIT; expected files such as CLEAN_House1.csv or House_1.csv")
    return houses


def _header(path: Path) -> list[str]:
    """The columns of a house, which must be REFIT's."""
    names = header(path)
    for column in COLUMNS:
        if column not in names:
            raise ReadingsError(f"{path}: column {column} is not there; expected {HEADER}")
    return names


def _rows(path: Path, columns: list[str], has_issues: bool) -> Iterator[Piece]:
    wanted = ["Unix", *columns, *(["Issues"] if has_issues else [])]
    layout = CsvLayout(dict.fromkeys(wanted, NUMBER), expected=HEADER, header=True)
    for batch in csv_batches(path, layout):
        watts = numbers(batch, columns)
        if has_issues:
            watts = np.where(numbers(batch, ["Issues"]) == 1, np.nan, watts)
        yield seconds(batch["Unix"]), watts


@cache
def _appliances() -> dict[str, list[str]]:
    """Which appliance each column of each house is."""
    return tomllib.loads(files(__package__).joinpath("refit.toml").read_text(encoding="utf-8"))
