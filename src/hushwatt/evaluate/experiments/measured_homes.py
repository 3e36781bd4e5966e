"""Measured homes of the user's own folder, bootstrapped to a fleet of any size.

A table gives recordings: one appliance of one home, whole days after each other.
Every home of a fleet has, of each appliance that it measures, a month of one of
them.  Nothing is scaled, smoothed or filled in.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Self

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from hushwatt.errors import ReadingsError
from hushwatt.evaluate.datasets import DatasetOptions, read
from hushwatt.evaluate.datasets.appliance_names import MAINS, common_name
from hushwatt.evaluate.datasets.tidy import readings_files
from hushwatt.evaluate.generators.home_generator import Watts
from hushwatt.fleet.aggregate import homes_per_row
from hushwatt.fleet.readings import columns

HOURLY, DAILY, REASSEMBLED = "hourly homes", "daily homes", "reassembled homes"
SLOTS_A_DAY = {HOURLY: 24, DAILY: 1, REASSEMBLED: 1}
KNOWN = {  # tables that may lie beside others of the same homes: of such a folder only these are read
    "opsd_hourly": HOURLY,
    "eco_30min": HOURLY,
    "refit_30min": HOURLY,
    "ukdale_30min": HOURLY,
    "ideal_appliance_30min": HOURLY,
    "real_daily_all": DAILY,
    "gecad_daily": REASSEMBLED,  # real profiles, dealt out to homes by its authors
}
DAYS = 30  # of a collection
FEWEST_DAYS = 10  # of a recording
FULL_DAY = 20  # hours of a day that must be measured
MOST_APPLIANCES = 12  # those with the most recordings
COVERAGE = 0.5  # of an hour or a day that must be measured
HOUR = 3_600 * 10**9  # nanoseconds
IN_USE = 0.02  # of the mean, and a watt or a fifth of the mean: below, an appliance stands by
HIGH = 0.95  # of the slots in use

Whole = NDArray[np.int64]
Recordings = dict[str, tuple[Watts, ...]]  # by appliance: days × slots of a day; NaN is unmeasured


@lru_cache(maxsize=2)
def populations(folder: Path) -> dict[str, Recordings]:
    """What a folder holds: recordings by kind of homes and by appliance."""
    if not folder.exists():
        raise ReadingsError(f"{folder}: there is no such file or folder")
    every = readings_files(folder)
    known = [path for path in every if path.stem in KNOWN]
    by_kind: dict[str, dict[str, list[Watts]]] = {}
    for path in known or every:
        for kind, appliance, days in _recordings(path):
            by_kind.setdefault(kind, {}).setdefault(appliance, []).append(days)
    if not by_kind:
        raise ReadingsError(f"{folder}: no appliance of a home was measured on {FEWEST_DAYS} days or more")
    return {kind: _most_recorded(by_kind[kind]) for kind in SLOTS_A_DAY if kind in by_kind}


def _most_recorded(recordings: dict[str, list[Watts]]) -> Recordings:
    """The appliances with the most recordings, by name."""
    ranked = sorted(recordings, key=lambda name: (-len(recordings[name]), name))[:MOST_APPLIANCES]
    return {name: tuple(recordings[name]) for name in sorted(ranked)}


def _recordings(path: Path) -> Iterator[tuple[str, str, Watts]]:
    """Kind, appliance and days of every recording that is long enough and not off all the time.

    A table of many hours a day is one of hourly homes, and of daily ones too unless it is a known one.
    """
    grids = _hours(path)
    if not grids:
        return
    measured = np.concatenate([_measured_hours(hours) for _, hours in grids])
    hourly = bool(np.median(measured[measured > 0]) >= FULL_DAY / 2)
    kinds = (KNOWN[path.stem],) if path.stem in KNOWN else (HOURLY, DAILY) if hourly else (DAILY,)
    for appliance, hours in grids:
        whole = hours[_measured_hours(hours) >= (FULL_DAY if hourly else 1)]
        if len(whole) >= FEWEST_DAYS and np.nansum(whole) > 0:
            for kind in kinds:
                yield kind, appliance, whole if kind == HOURLY else np.nanmean(whole, axis=1, keepdims=True)


def _measured_hours(hours: Watts) -> Whole:
    """How many hours of each day were measured."""
    return np.asarray((~np.isnan(hours)).sum(axis=1))


def _hours(path: Path) -> list[tuple[str, Watts]]:
    """For each appliance of each home in a table: the mean of every hour, days × 24, from the first day on."""
    numbers: dict[tuple[str, str], int] = {}
    parts = [_rows(table, numbers) for table in read("tidy", path, DatasetOptions(coverage=COVERAGE, nulls=True))]
    if not numbers:
        return []
    series, hours, watts = (np.concatenate(each) for each in zip(*parts, strict=True))
    order = np.argsort(series, kind="stable")
    edges = np.searchsorted(series[order], np.arange(len(numbers) + 1))
    rows = [order[start:end] for start, end in pairwise(edges)]
    named = [(common_name(appliance), rows[number]) for (_, appliance), number in numbers.items()]
    return [(name, _grid(hours[one], watts[one])) for name, one in named if name != MAINS]


def _rows(table: pa.RecordBatch, numbers: dict[tuple[str, str], int]) -> tuple[Whole, Whole, Watts]:
    """For each row the number of its home and appliance, new ones getting the next, its hour and its watts."""
    home = columns.encode_names("household", table["household"])
    appliance = columns.encode_names("appliance", table["appliance"])
    homes, appliances = home.texts.to_pylist(), appliance.texts.to_pylist()
    pairs, place = np.unique(home.codes.astype(np.int64) * len(appliances) + appliance.codes, return_inverse=True)
    names = [(homes[pair // len(appliances)], appliances[pair % len(appliances)]) for pair in pairs.tolist()]
    number = np.array([numbers.setdefault(name, len(numbers)) for name in names], dtype=np.int64)
    watts = np.maximum(columns.to_watts(table["watts"]), 0)
    return number[place], columns.to_nanoseconds(table["time"]) // HOUR, watts


def _grid(hours: Whole, watts: Watts) -> Watts:
    since = hours - hours.min() // 24 * 24
    cells = (int(since.max()) // 24 + 1) * 24
    count, total = np.bincount(since, minlength=cells), np.bincount(since, weights=watts, minlength=cells)
    return np.where(count > 0, total / np.maximum(count, 1), np.nan).reshape(-1, 24)


def halves(recordings: Recordings) -> tuple[Recordings, Recordings]:
    """The first and the second half of every recording that is long enough for two; others are in both.

    What is learnt in the one is tried in the other: on the same homes, at another time.
    """
    split = {name: [_halves(days) for days in each] for name, each in recordings.items()}
    earlier, later = ({name: tuple(pair[half] for pair in each) for name, each in split.items()} for half in (0, 1))
    return earlier, later


def _halves(days: Watts) -> tuple[Watts, Watts]:
    middle = len(days) // 2
    return (days[:middle], days[middle:]) if middle >= FEWEST_DAYS else (days, days)


@dataclass(frozen=True)
class PriorKnowledge:
    """What somebody who knows such homes would say of an appliance, in watts, among homes that measure it."""

    mean: float
    high: float  # the 95th percentile of the slots in which it is in use

    @classmethod
    def of(cls, recordings: Sequence[Watts]) -> Self:
        """From recordings that count alike, however long they are.

        >>> PriorKnowledge.of([np.array([[0.0], [0.0], [10.0], [30.0]])])
        PriorKnowledge(mean=10.0, high=28.0)
        """
        measured = [days[~np.isnan(days)] for days in recordings]
        watts = np.concatenate(measured)
        weights = np.concatenate([np.full(len(one), 1 / len(one)) for one in measured]) / len(measured)
        mean = float(watts @ weights)
        used = (watts > IN_USE * mean) & (watts > min(1.0, mean / 5))
        order = np.argsort(watts[used])
        passed = np.cumsum(weights[used][order])
        return cls(mean, max(mean, float(np.interp(HIGH * passed[-1], passed, watts[used][order]))))


@dataclass(frozen=True)
class BootstrappedFleet:
    """Kinds of homes that stand for many: of each appliance a month of a recording, or none."""

    readings: Watts  # all recordings, one after the other
    begins: NDArray[np.int64]  # kinds × appliances: where the month begins; −1 is not measured
    slots: int

    @classmethod
    def of(cls, recordings: Recordings, kinds: int, measured: float, stream: np.random.Generator) -> Self:
        """As many kinds; each measures every appliance with the chance `measured`.

        Homes are drawn with replacement, days stay together; a recording of less than a month is
        gone through again from its beginning.
        """
        months = {name: [_at_least_a_month(days) for days in each] for name, each in recordings.items()}
        sizes = np.cumsum([0, *(days.size for each in months.values() for days in each)])
        ends, begins = iter(sizes.tolist()), []
        for name, each in months.items():
            choices = [max(1, len(days) - DAYS + 1) for days in recordings[name]]
            begin = np.array([next(ends) for _ in each])
            drawn = stream.integers(len(each), size=kinds)
            day = stream.integers(np.array(choices)[drawn])
            begins.append(np.where(stream.random(kinds) < measured, begin[drawn] + day * each[0].shape[1], -1))
        readings = np.concatenate([days.ravel() for each in months.values() for days in each])
        return cls(readings, np.stack(begins, axis=1), DAYS * next(iter(months.values()))[0].shape[1])

    def matrices(self, missing: float = np.nan) -> Iterator[Watts]:
        """The watts of each slot, kinds × appliances."""
        for slot in range(self.slots):
            watts = np.where(self.begins < 0, np.nan, self.readings[np.maximum(self.begins, 0) + slot])
            yield np.where(np.isnan(watts), missing, watts)

    def true_means(self, homes: int) -> NDArray[np.float64]:
        """Real mean watts of each appliance among the homes that measure it; NaN when nobody does."""
        weights = homes_per_row(homes, len(self.begins))
        total, count = (np.zeros(self.begins.shape[1]) for _ in range(2))
        for watts in self.matrices():
            total += weights @ np.nan_to_num(watts)
            count += weights @ ~np.isnan(watts)
        return np.divide(total, count, out=np.full_like(total, np.nan), where=count > 0)


def _at_least_a_month(days: Watts) -> Watts:
    """The recording, as often as it takes."""
    return np.tile(days, (-(-DAYS // len(days)), 1))
