"""Readings of a table as one array for experiments and augmentation."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from hushwatt.errors import ReadingsError
from hushwatt.evaluate.datasets.appliance_names import common_name
from hushwatt.evaluate.generators.home_generator import Watts
from hushwatt.fleet.readings import columns
from hushwatt.plan.plan import Plan


@dataclass(frozen=True)
class MeasuredWatts:
    """What homes used, slot by slot."""

    homes: tuple[str, ...]  # in the order of the text
    first: int  # the slot of the first layer
    watts: Watts  # slots × homes × appliances of the plan; NaN where there is no reading


def measured_watts(tables: Iterable[pa.RecordBatch], plan: Plan) -> MeasuredWatts:
    """All readings of the plan's appliances that fall into its slots; several in one slot are averaged."""
    homes: dict[str, int] = {}
    cells: list[NDArray[np.int64]] = []
    values: list[Watts] = []
    for table in tables:
        household = columns.encode_names("household", table["household"])
        appliance = columns.encode_names("appliance", table["appliance"])
        slot = plan.calendar.slot_of(columns.to_nanoseconds(table["time"]))
        column = _places(appliance, _columns(appliance, plan.names))
        fits = (slot >= 0) & (slot < plan.calendar.slots) & (column >= 0)
        row = _places(household, _numbered(household, homes))
        cells.append(np.stack([slot, row, column])[:, fits])
        values.append(columns.to_watts(table["watts"])[fits])
    if not any(part.size for part in values):
        raise ReadingsError("there is no reading of the plan's appliances within its slots")
    return _array(tuple(homes), np.concatenate(cells, axis=1), np.concatenate(values), len(plan.names))


def _numbered(names: columns.EncodedNames, known: dict[str, int]) -> dict[str, int]:
    """The number of each home; new ones get the next."""
    for text in names.texts.to_pylist():
        known.setdefault(text, len(known))
    return known


def _columns(names: columns.EncodedNames, planned: tuple[str, ...]) -> dict[str, int]:
    """The plan's column for each appliance, also when the two spell it differently."""
    alike = {common_name(name): place for place, name in enumerate(planned)}
    exact = {name: place for place, name in enumerate(planned)}
    return {text: alike[common_name(text)] for text in names.texts.to_pylist() if common_name(text) in alike} | exact


def _places(names: columns.EncodedNames, known: dict[str, int]) -> NDArray[np.int64]:
    """The number of each row's name; −1 when it is not known."""
    places = np.array([known.get(text, -1) for text in names.texts.to_pylist()], dtype=np.int64)
    return np.asarray(places[names.codes] if places.size else names.codes.astype(np.int64))


def _array(homes: tuple[str, ...], cells: NDArray[np.int64], values: NDArray[np.float64], width: int) -> MeasuredWatts:
    order = np.argsort(homes)
    rank = np.empty(len(homes), dtype=np.int64)
    rank[order] = np.arange(len(homes))
    first, last = int(cells[0].min()), int(cells[0].max())
    shape = (last - first + 1, len(homes), width)
    flat = np.ravel_multi_index((cells[0] - first, rank[cells[1]], cells[2]), shape)
    count = np.bincount(flat, minlength=np.prod(shape))
    total = np.bincount(flat, weights=values, minlength=np.prod(shape))
    watts = np.where(count > 0, total / np.maximum(count, 1), np.nan).reshape(shape)
    return MeasuredWatts(tuple(homes[place] for place in order), first, watts)
