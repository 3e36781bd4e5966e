"""NILMTK's HDF5 files: a table for each meter, and metadata that say what it measures.

The metadata are pickles.  They are never unpickled: see `plain_pickle`.  A
meter whose metadata cannot be made out keeps its number as its name.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import h5py
import numpy as np

from hushwatt.errors import ReadingsError
from hushwatt.evaluate.datasets.appliance_names import MAINS, common_name
from hushwatt.evaluate.datasets.dataset import MeterDataset, Piece, Recording
from hushwatt.evaluate.datasets.plain_pickle import plain

SUFFIXES = {".h5", ".hdf5", ".hdf"}
BATCH_ROWS = 1 << 20  # read at a time
LONGEST_GAP = 1_800.0  # seconds, where the metadata do not say
UNITS = {"ns": 1, "us": 10**3, "ms": 10**6, "s": 10**9}  # nanoseconds
PREFERRED = ("active", "apparent", "")  # kinds of power; reactive power is none


class Nilmtk(MeterDataset):
    """The buildings of one or several HDF5 files."""

    name = "nilmtk"

    def homes(self, folder: Path) -> list[str]:
        """The buildings, each with the name of its file before it."""
        return list(_buildings(folder))

    def household(self, home: str) -> str:
        """The name of the file and of the building."""
        return home

    def recordings(self, folder: Path, home: str) -> Iterator[Recording]:
        """Each meter of a building."""
        path, building = _buildings(folder)[home]
        with _opened(path) as file:
            about = _plain(file[building].attrs.get("metadata"))
            devices = _dict(_plain(file.attrs.get("metadata")), "meter_devices")
            meters = _numbered(file[building].get("elec", {}), "meter")
        if not meters:
            raise ReadingsError(f"{path}: /{building} has no meters; expected tables such as /{building}/elec/meter1")
        names = _names(about)
        for number in meters:
            meter = f"/{building}/elec/meter{number}"
            gap = _gap(_dict(_dict(about, "elec_meters"), number), devices)
            yield Recording((names.get(number, f"meter_{number}"),), _rows(path, meter), gap)

    def missing(self, folder: Path, homes: list[str]) -> list[str]:
        """Buildings whose metadata do not say what their meters measure."""
        lines = []
        for home in homes:
            path, building = _buildings(folder)[home]
            with _opened(path) as file:
                if not _names(_plain(file[building].attrs.get("metadata"))):
                    lines.append(f"{home}: {path} does not say what its meters measure; they keep their numbers")
        return lines


def _buildings(folder: Path) -> dict[str, tuple[Path, str]]:
    """The file and the group of each building."""
    inside = [folder] if folder.is_file() else sorted(folder.rglob("*"))
    files = [path for path in inside if path.suffix.lower() in SUFFIXES or path == folder]
    buildings = {}
    for path in (path for path in files if path.is_file()):
        with _opened(path) as file:
            for number in _numbered(file, "building"):
                buildings[f"{path.stem}_building{number}"] = (path, f"building{number}")
    if not buildings:
        raise ReadingsError(f"{folder}: no HDF5 file of NILMTK; expected one with /building1/elec/meter1")
    return buildings


def _opened(path: Path) -> h5py.File:
    try:
        return h5py.File(path, "r")
    except OSError:
        raise ReadingsError(f"{path}: not an HDF5 file, or not a complete one") from None


def _numbered(group: Any, name: str) -> list[int]:
    """The numbers of the members called `name` and a number."""
    matches = (re.fullmatch(rf"{name}(\d+)", member) for member in group)
    return sorted(int(match[1]) for match in matches if match)


def _rows(path: Path, meter: str) -> Iterator[Piece]:
    """Time and power of one meter, piece by piece."""
    with _opened(path) as file:
        table = file[meter].get("table") if isinstance(file[meter], h5py.Group) else file[meter]
        if not isinstance(table, h5py.Dataset) or "index" not in (table.dtype.names or ()):
            raise ReadingsError(f"{path}: {meter} has no table; expected {meter}/table as pandas writes it")
        block, column = _power(path, meter, table)
        unit = _unit(path, meter, table)
        for first in range(0, len(table), BATCH_ROWS):
            rows = table[first : first + BATCH_ROWS]
            watts = rows[block].reshape(len(rows), -1)[:, [column]]
            yield rows["index"].astype(np.int64) * unit, watts.astype(np.float64)


def _unit(path: Path, meter: str, table: h5py.Dataset) -> int:
    """How many nanoseconds the index counts in; older files have no unit and mean nanoseconds."""
    kind = table.attrs.get("index_kind", b"datetime64")
    match = re.fullmatch(rb"datetime64(?:\[(\w+)\])?", kind) if isinstance(kind, bytes) else None
    if match is None or (match[1] or b"ns").decode() not in UNITS:
        raise ReadingsError(f"{path}: the index of {meter} is not made of times; expected datetime64")
    return UNITS[(match[1] or b"ns").decode()]


def _power(path: Path, meter: str, table: h5py.Dataset) -> tuple[str, int]:
    """Which field of the table holds the power, and in which of its columns."""
    powers: dict[str, tuple[str, int]] = {}
    for block in table.dtype.names[1:]:
        for column, kind in enumerate(_kinds(table, block)):
            if kind[0] == "power":
                powers.setdefault(kind[1], (block, column))
    for kind_of_power in PREFERRED:
        if kind_of_power in powers:
            return powers[kind_of_power]
    raise ReadingsError(f"{path}: {meter} has no power column; expected ('power', 'active') or ('power', 'apparent')")


def _kinds(table: h5py.Dataset, block: str) -> list[tuple[str, str]]:
    """Quantity and type of each column of a field, such as ('power', 'active')."""
    columns = _plain(table.attrs.get(f"{block}_kind"))
    if not isinstance(columns, list):
        columns = [block]
    return [_kind(column) for column in columns]


def _kind(column: Any) -> tuple[str, str]:
    """Quantity and type, out of a pair or out of a name such as power_active."""
    if isinstance(column, tuple):
        return str(column[0]), str(column[1]) if len(column) > 1 else ""
    quantity, _, kind = str(column).partition("_")
    return quantity, kind


def _names(about: Any) -> dict[int, str]:
    """What each meter measures; what it has several of goes by the first."""
    names: dict[int, str] = {}
    for number, meter in _dict(about, "elec_meters").items():
        if isinstance(meter, dict) and meter.get("site_meter"):
            names[number] = MAINS
    appliances = about.get("appliances") if isinstance(about, dict) else None
    for appliance in appliances if isinstance(appliances, list) else []:
        meters = appliance.get("meters") if isinstance(appliance, dict) else None
        for number in meters if isinstance(meters, list) else []:
            names.setdefault(number, common_name(str(appliance.get("type", ""))))
    return names


def _gap(meter: dict[Any, Any], devices: dict[Any, Any]) -> float:
    """How long a meter may be silent, in seconds."""
    allowed = _dict(devices, meter.get("device_model")).get("max_sample_period")
    return float(allowed) if isinstance(allowed, int | float) and allowed > 0 else LONGEST_GAP


def _dict(table: Any, key: Any) -> dict[Any, Any]:
    """The dictionary that a dictionary has under a key; an empty one when it has none."""
    value = table.get(key) if isinstance(table, dict) else None
    return value if isinstance(value, dict) else {}


def _plain(attribute: Any) -> Any:
    """The data of a pickled attribute."""
    return plain(attribute.tobytes()) if isinstance(attribute, np.bytes_ | np.void) else None
