"""A table of readings becomes matrices of watts, slot by slot and part by part of the homes.

Every home in the table takes part in every slot from the first to the last in
the table, and what is missing is 0 W: whether a home reports never depends on
what it measured.

The table is looked at twice, first for who and when, then for what.  Sorted
by time and household it streams; in any other order it is dealt into buckets.
A page is what the homes of one part used in one slot: the memory has to hold
a page, never a fleet.
"""

import itertools
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from os import PathLike

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from hushwatt.errors import ReadingsError
from hushwatt.fleet.progress import Work
from hushwatt.fleet.readings.buckets import Buckets, PageRows, Rows, page_rows
from hushwatt.fleet.readings.files import ReadingsFile, readings_files
from hushwatt.fleet.readings.index_pass import IndexPass
from hushwatt.fleet.readings.parts import Parts
from hushwatt.fleet.readings.runs import Runs
from hushwatt.fleet.readings.slot_means import SlotMeans, Watts
from hushwatt.fleet.readings.survey import Survey
from hushwatt.fleet.readings.value_pass import ValuePass
from hushwatt.plan.plan import Plan

Tell = Callable[[float], object]

# How long each stage takes, about, as a share of the whole.
FIRST_LOOK, SECOND_LOOK, SORTING = 0.3, 0.25, 0.2  # what is left: what is done with the pages
MOST = 1 << 31  # pages
NOTHING, NO_WATTS = np.zeros(0, np.int64), np.zeros(0)


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
    _work: Work = field(repr=False)
    _looks: list[ValuePass] = field(default_factory=list, repr=False)

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
        look = self._looks[-1] if self._looks else ValuePass((), 0)
        seen = self._survey
        return Counts(seen.rows, seen.before, seen.after, dict(sorted(look.outside.items())), look.negative)

    @property
    def parts(self) -> Parts:
        """How the homes are cut so that a page fits in memory."""
        return Parts.of(len(self.homes), len(self._plan.names))

    def matrices(self) -> Iterator[tuple[int, Watts]]:
        """For every slot from the first to the last: the slot, and its watts, homes × appliances.

        For tables that fit in memory; `pages` is for any.
        """
        waiting: list[Watts] = []
        for slot, part, watts in self.pages():
            waiting.append(watts)
            if part == len(self.parts) - 1:
                yield slot, waiting[0] if len(waiting) == 1 else np.concatenate(waiting)
                waiting = []

    def pages(self) -> Iterator[tuple[int, int, Watts]]:
        """For every slot from the first to the last and every part of the homes: both, and the watts.

        A cell is the mean of its rows, and 0 without any.  A table that is
        wrong further down is refused when its turn comes.
        """
        if self.first is None or self.last is None:
            for _ in self._page_rows():
                pass  # read all the same: what is wrong with the table is said
            return
        parts, origin = len(self.parts), self._origin
        page, end = (self.first - origin) * parts, (self.last - origin + 1) * parts
        left = 1 - FIRST_LOOK - SECOND_LOOK - (0 if self._paged_survey.in_order else SORTING)
        done, means = self._work.stage(left, end - page), self._empty(0)
        for now, cells, watts in itertools.chain(self._page_rows(), [(end, NOTHING, NO_WATTS)]):
            while page < now:
                yield origin + page // parts, page % parts, self._shaped(means)
                done.passed(1)
                page += 1
                means = self._empty(page % parts)
            means.add(cells, watts)

    @property
    def _origin(self) -> int:
        """The slot of page 0: the plan's first, or the table's when there are several pages to a slot."""
        return 0 if len(self.parts) == 1 else self.first or 0

    def _page_rows(self) -> Iterator[PageRows]:
        """The rows that count, page by page."""
        look = ValuePass(self._plan.names, self._survey.slots)
        self._looks[:] = [look]
        paged, reading = self._paged_survey, self._work.stage(SECOND_LOOK, self._survey.rows)
        rows = map(self._paged, look.rows(self._files, self._runs.rows(self._places), reading))
        if paged.in_order:
            for batch in rows:
                yield from page_rows(batch)
            return
        buckets = Buckets(paged.histogram, paged.width)
        for batch in rows:
            buckets.add(batch)
        sorting = self._work.stage(SORTING, look.used)
        for page, cells, watts in buckets.by_page():
            yield page, cells, watts
            sorting.passed(len(cells))

    def _paged(self, rows: Rows) -> Rows:
        """Rows by slot and home as rows by page and place on it."""
        slots, cells, watts = rows
        if len(self.parts) == 1:
            return rows
        size = self.parts.size * len(self._plan.names)
        part = (cells // size).astype(np.int32)
        return self._page(slots, part), cells - part * np.int64(size), watts

    def _page(self, slots: NDArray[np.int32], part: NDArray[np.int32]) -> NDArray[np.int32]:
        return (slots - np.int32(self._origin)) * np.int32(len(self.parts)) + part

    @cached_property
    def _paged_survey(self) -> Survey:
        """How many rows each page has, and whether they come in the order of pages."""
        if len(self.parts) == 1:
            return self._survey
        found = Survey(((self.last or 0) - self._origin + 1) * len(self.parts))
        for runs in self._runs.blocks():
            inside = runs[(runs["slot"] >= 0) & (runs["slot"] < self._survey.slots)]
            inside["slot"] = self._page(
                inside["slot"], self._places[inside["home"]] // np.int32(self.parts.size)
            )
            found.note(inside)
        return found

    def _empty(self, part: int) -> SlotMeans:
        return SlotMeans(self.parts.length(part) * len(self._plan.names))

    def _shaped(self, means: SlotMeans) -> Watts:
        return means.result().reshape(-1, len(self._plan.names))


def read_slots(
    plan: Plan, path: str | PathLike[str], *, known: pa.Array | None = None, progress: Tell | None = None
) -> Readings:
    """Look at a Parquet file, a CSV file or a folder of them, and say who takes part when.

    `known` are homes that take part as well, whether or not they are in the
    table.  `progress` is told the fraction done, the walk through the pages
    and what is done with each of them included.  A table that is wrong is a
    ReadingsError.
    """
    files, work = readings_files(path), Work(progress)
    look = IndexPass(plan.calendar, known)
    look.read(files, work.stage(FIRST_LOOK, sum(file.size for file in files)))
    homes, places = look.homes()
    table = Readings(homes, plan, files, look.survey, look.runs, places, work)
    slots = 0 if table.first is None or table.last is None else table.last - table.first + 1
    if slots * len(table.parts) >= MOST:
        raise ReadingsError(
            f"{slots:,} slots of {len(homes):,} homes are too many for one table: cut it in time"
        )
    return table
