"""A table of readings becomes one matrix of watts for every slot.

Every home in the table takes part in every slot from the first to the last in
the table, and what is missing is 0 W: whether a home reports never depends on
what it measured.

The table is looked at twice, first for who and when, then for what.  Sorted
by time it streams; in any other order it is dealt into buckets of slots.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from os import PathLike

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from hushwatt.fleet.buckets import Buckets, SlotRows, slot_rows
from hushwatt.fleet.first_look import FirstLook
from hushwatt.fleet.means import SlotMeans, Watts
from hushwatt.fleet.progress import Progress
from hushwatt.fleet.readings_files import ReadingsFile, readings_files
from hushwatt.fleet.runs import Runs
from hushwatt.fleet.second_look import SecondLook
from hushwatt.fleet.survey import Survey
from hushwatt.plan.plan import Plan

Tell = Callable[[float], object]


@dataclass(frozen=True)
class Counts:
    """How many rows there were, and what became of those that are not simply used."""

    rows: int  # all rows of the table
    before_start: int  # skipped: before the plan starts
    after_expires: int  # skipped: after the plan expires
    outside: Mapping[str, int]  # skipped: of an appliance that the plan does not have, by its name
    negative: int  # used as 0 W


@dataclass(frozen=True)
class Readings:
    """The homes of a table, its slots, and the watts in them."""

    homes: pa.Array  # string, ascending, each once
    _plan: Plan = field(repr=False)
    _files: list[ReadingsFile] = field(repr=False)
    _survey: Survey = field(repr=False)
    _runs: Runs = field(repr=False)
    _places: NDArray[np.int32] = field(repr=False)
    _tell: Tell | None = field(repr=False)
    _looks: list[SecondLook] = field(default_factory=list, repr=False)

    @property
    def first(self) -> int | None:
        """The first slot in the table; None when no row lies within the plan."""
        return self._survey.first

    @property
    def last(self) -> int | None:
        """The last slot in the table."""
        return self._survey.last

    @property
    def counts(self) -> Counts:
        """What was read, skipped and changed; complete once all matrices have been walked."""
        look = self._looks[-1] if self._looks else SecondLook((), 0)
        seen = self._survey
        return Counts(seen.rows, seen.before, seen.after, dict(sorted(look.outside.items())), look.negative)

    def matrices(self) -> Iterator[tuple[int, Watts]]:
        """For every slot from the first to the last: the slot, and its watts, homes × appliances.

        A cell is the mean of its rows, and 0 without any.  A table that is
        wrong further down is refused when its turn comes.
        """
        slot, means = self.first or 0, self._empty()
        for now, cells, watts in self._slot_rows():
            while slot < now:
                yield slot, self._shaped(means)
                slot, means = slot + 1, self._empty()
            means.add(cells, watts)
        while self.last is not None and slot <= self.last:
            yield slot, self._shaped(means)
            slot, means = slot + 1, self._empty()

    def _slot_rows(self) -> Iterator[SlotRows]:
        """The rows that count, slot by slot."""
        look = SecondLook(self._plan.names, self._survey.slots)
        self._looks[:] = [look]
        progress = Progress(self._tell, self._survey.rows, 0.5, 1.0 if self._survey.in_order else 0.75)
        rows = look.rows(self._files, self._runs.rows(self._places), progress)
        if self._survey.in_order:
            for batch in rows:
                yield from slot_rows(batch)
            return
        buckets = Buckets(self._survey.histogram, self._survey.width)
        for batch in rows:
            buckets.add(batch)
        progress = Progress(self._tell, self._survey.rows - self._survey.skipped, 0.75, 1.0)
        for slot, cells, watts in buckets.by_slot():
            yield slot, cells, watts
            progress.passed(len(cells))

    def _empty(self) -> SlotMeans:
        return SlotMeans(len(self.homes) * len(self._plan.names))

    def _shaped(self, means: SlotMeans) -> Watts:
        return means.result().reshape(len(self.homes), len(self._plan.names))


def read_slots(
    plan: Plan, path: str | PathLike[str], *, known: pa.Array | None = None, progress: Tell | None = None
) -> Readings:
    """Look at a Parquet file, a CSV file or a folder of them, and say who takes part when.

    `known` are homes that take part as well, whether or not they are in the
    table.  `progress` is told the fraction done, the walk through the matrices
    included.  A table that is wrong is a ReadingsError.
    """
    files = readings_files(path)
    look = FirstLook(plan.calendar, known)
    look.read(files, Progress(progress, sum(file.size for file in files), 0.0, 0.5))
    homes, places = look.homes()
    return Readings(homes, plan, files, look.survey, look.runs, places, progress)
