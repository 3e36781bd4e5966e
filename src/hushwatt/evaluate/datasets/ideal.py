"""The IDEAL Household Energy Dataset in its own layout: one file for each sensor, a row on every change."""

import csv
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from hushwatt.errors import ReadingsError
from hushwatt.evaluate.datasets.appliance_names import MAINS, common_name
from hushwatt.evaluate.datasets.csv_rows import NUMBER, TIME, CsvLayout, csv_batches, numbers, seconds
from hushwatt.evaluate.datasets.dataset import MeterDataset, Piece, Recording

FILE = re.compile(
    r"home(?P<home>\d+)_[a-z]+\d+_sensor(?P<sensor>\w+)_electric-(?P<box>appliance|mains)_(?P<what>[\w-]+)\.csv(?:\.gz)?"
)
ROWS = CsvLayout({"time": TIME, "watts": NUMBER}, expected="YYYY-MM-DD hh:mm:ss,watts")
LONGEST_GAP = 2 * 3_600.0  # seconds; a plug speaks when something changes, or about every hour

# 17 April 2018, 08:50 to 09:50 UTC: unreliable in all homes, says the documentation.
DOUBTED = tuple(np.array(["2018-04-17T08:50", "2018-04-17T09:50"], dtype="datetime64[ns]").astype(np.int64))


@dataclass(frozen=True)
class Sensor:
    """One file of a home."""

    home: str
    appliance: str
    path: Path


class Ideal(MeterDataset):
    """Homes of the IDEAL study with plugs on their appliances."""

    name = "ideal"

    def homes(self, folder: Path) -> list[str]:
        """The numbers of the homes with an appliance or a mains file."""
        return sorted({sensor.home for sensor in _sensors(folder)}, key=int)

    def recordings(self, folder: Path, home: str) -> Iterator[Recording]:
        """Each sensor of a home; rows are sorted first, for not all of them are."""
        for sensor in _sensors(folder):
            if sensor.home == home:
                yield Recording((sensor.appliance,), _rows(sensor.path), LONGEST_GAP)

    def missing(self, folder: Path, homes: list[str]) -> list[str]:
        """The sensors that the metadata lists and that have no file."""
        expected = _expected(folder / "metadata")
        present = {sensor.path.name.removesuffix(".gz") for sensor in _sensors(folder)}
        lines = []
        for home in homes:
            gone = [name for name in expected.get(home, ()) if name not in present]
            if gone:
                lines.append(
                    f"ideal_{home}: {len(gone)} of {len(expected[home])} sensors in {folder / 'metadata'} "
                    f"have no file; expected {gone[0]}.gz{' and others' if len(gone) > 1 else ''}"
                )
        return lines


def _sensors(folder: Path) -> list[Sensor]:
    """The files of electricity sensors anywhere below a folder, each sensor once."""
    sensors: dict[str, Sensor] = {}
    for path in sorted(folder.rglob("home*_sensor*_electric-*.csv*")):
        if match := FILE.fullmatch(path.name):
            what = MAINS if match["box"] == "mains" else common_name(match["what"])
            sensors.setdefault(match["sensor"], Sensor(match["home"], what, path))
    if not sensors:
        raise ReadingsError(
            f"{folder}: no file of an electricity sensor of IDEAL; expected files such as "
            f"sensordata/home65_kitchen733_sensor3109_electric-appliance_kettle.csv.gz"
        )
    return list(sensors.values())


def _rows(path: Path) -> Iterator[Piece]:
    """All rows of a file at once, with a mark from when on they are doubtful."""
    parts = [(seconds(batch["time"]), numbers(batch, ["watts"])) for batch in csv_batches(path, ROWS)]
    times = np.concatenate([times for times, _ in parts])
    watts = np.concatenate([watts for _, watts in parts])
    begin, end = DOUBTED
    if times.min() < end and times.max() >= begin:
        good = (times < begin) | (times >= end)
        times, watts = np.append(times[good], begin), np.vstack([watts[good], [[np.nan]]])
    yield times, watts


def _expected(metadata: Path) -> dict[str, list[str]]:
    """The names of the files of all plugs that the metadata knows, by home."""
    tables = {name: _table(metadata / f"{name}.csv") for name in ("room", "appliance", "sensor", "sensorbox")}
    rooms = {row["roomid"]: row["type"] for row in tables["room"]}
    appliances = {row["applianceid"]: row for row in tables["appliance"]}
    boxes = {row["sensorboxid"]: row.get("applianceid", "") for row in tables["sensorbox"]}
    names: dict[str, list[str]] = {}
    for sensor in tables["sensor"]:
        appliance = appliances.get(boxes.get(sensor["sensorboxid"], ""))
        room = rooms.get(sensor["roomid"])
        if appliance and room:
            names.setdefault(appliance["homeid"], []).append(
                f"home{appliance['homeid']}_{room}{sensor['roomid']}_sensor{sensor['sensorid']}"
                f"_electric-appliance_{appliance['appliancetype']}.csv"
            )
    return names


def _table(path: Path) -> list[dict[str, str]]:
    """The rows of a table of the metadata; none when there is no such table."""
    if not path.is_file():
        return []
    with path.open(newline="", encoding="utf-8-sig", errors="replace") as file:
        return list(csv.DictReader(file))
