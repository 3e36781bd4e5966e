"""A table of readings becomes matrices of watts, slot by slot and part by part of the homes.

Every home in the table takes part in every slot from the first to the last in
the table, and what is missing is 0 W, or NaN where the plan has the answer "not
measured": whether a home reports never depends on what it measured.

The table is read in two passes, first for who and when, then for what.  Sorted
by time and household it streams; in any other order it is dealt into buckets.
A page is what the homes of one part used in one slot: the memory has to hold
a page, never a fleet.
"""

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from os import PathLike

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from hushwatt.errors import ReadingsError
from hushwatt.fleet.progress import ProgressCallback, ProgressTracker
from hushwatt.fleet.readings.bucket_sort import BucketSort, PageRows, Rows, page_rows
from hushwatt.fleet.readings.exact_means import ExactMeans, Watts
from hushwatt.fleet.readings.files import ReadingsFile, readings_files
from hushwatt.fleet.readings.index_pass import IndexPass
from hushwatt.fleet.readings.partitions import Partitions
from hushwatt.fleet.readings.run_lengths import RunLengths
from hushwatt.fleet.readings.slot_histogram import SlotHistogram
from hushwatt.fleet.readings.value_pass import ValuePass
from hushwatt.plan.plan import Plan
from hushwatt.wire.storage import Location

# How long each stage takes, about, as a share of the whole.
INDEX_SHARE, VALUE_SHARE, SORT_SHARE = 0.3, 0.25, 0.2  # what is left: what is done with the pages
MAX_PAGES = 1 << 31  # pages
NOTHING, NO_WATTS = np.zeros(0, np.int64), np.zeros(0)


@dataclass(frozen=True)
class RowCounts:
    """How many rows there were, and what became of those that are not simply used."""

    rows: int  # all rows of the table
    before_start: int  # skipped: before the plan starts
    after_expires: int  # skipped: after the plan expires
    outside: Mapping[str, int]  # skipped: of an appliance that the plan does not have, by its name
    negative: int  # used as 0 W


@dataclass(frozen=True)
class ReadingsTable:
    """The homes of a table, its slots, and the watts in them."""

    homes: pa.Array  # string, ascending, each once
    _plan: Plan = field(repr=False)
    _files: list[ReadingsFile] = field(repr=False)
    _histogram: SlotHistogram = field(repr=False)
    _runs: RunLengths = field(repr=False)
    _places: NDArray[np.int32] = field(repr=False)
    _progress: ProgressTracker = field(repr=False)
    _passes: list[ValuePass] = field(default_factory=list, repr=False)

    @property
    def first(self) -> int | None:
        """The first slot in the table; None when no row lies within the plan."""
        return self._histogram.first

    @property
    def last(self) -> int | None:
        """The last slot in the table."""
        return self._histogram.last

    @property
    def counts(self) -> RowCounts:
        """What was read, skipped and changed; complete once all matrices have been walked."""
        last = self._passes[-1] if self._passes else ValuePass((), 0)
        counted = self._histogram
        outside = dict(sorted(last.outside.items()))
        return RowCounts(counted.rows, counted.before, counted.after, outside, last.negative)

    @property
    def partitions(self) -> Partitions:
        """How the homes are cut so that a page fits in memory."""
        return Partitions.of(len(self.homes), len(self._plan.names))

    def matrices(self) -> Iterator[tuple[int, Watts]]:
        """For every slot from the first to the last: the slot, and its watts, homes × appliances.

        For tables that fit in memory; `pages` is for any.
        """
        waiting: list[Watts] = []
        for slot, part, watts in self.pages():
            waiting.append(watts)
            if part == len(self.partitions) - 1:
                yield slot, waiting[0] if len(waiting) == 1 else np.concatenate(waiting)
                waiting = []

    def pages(self) -> Iterator[tuple[int, int, Watts]]:
        """For every slot from the first to the last and every part of the homes: both, and the watts.

        A cell is the mean of its rows; without any it is 0, or NaN where the plan answers that.  A table that is
        wrong further down is refused when its turn comes.
        """
        if self.first is None or self.last is None:
            for _ in self._page_rows():
                pass  # read all the same: what is wrong with the table is said
            return
        parts, origin = len(self.partitions), self._origin
        page, end = (self.first - origin) * parts, (self.last - origin + 1) * parts
        left = 1 - INDEX_SHARE - VALUE_SHARE - (0 if self._page_histogram.in_order else SORT_SHARE)
        done, means = self._progress.stage(left, end - page), self._empty(0)
        for now, cells, watts in itertools.chain(self._page_rows(), [(end, NOTHING, NO_WATTS)]):
            while page < now:
                yield origin + page // parts, page % parts, self._shaped(means)
                done.advance(1)
                page += 1
                means = self._empty(page % parts)
            means.add(cells, watts)

    @property
    def _origin(self) -> int:
        """The slot of page 0: the plan's first, or the table's when there are several pages to a slot."""
        return 0 if len(self.partitions) == 1 else self.first or 0

    def _page_rows(self) -> Iterator[PageRows]:
        """The rows that count, page by page."""
        values = ValuePass(self._plan.names, self._histogram.slots, self._plan.answers_unmeasured)
        self._passes[:] = [values]
        paged, reading = self._page_histogram, self._progress.stage(VALUE_SHARE, self._histogram.rows)
        rows = map(self._paged, values.rows(self._files, self._runs.rows(self._places), reading))
        if paged.in_order:
            for batch in rows:
                yield from page_rows(batch)
            return
        sort = BucketSort(paged.histogram, paged.width)
        for batch in rows:
            sort.add(batch)
        sorting = self._progress.stage(SORT_SHARE, values.used)
        for page, cells, watts in sort.by_page():
            yield page, cells, watts
            sorting.advance(len(cells))

    def _paged(self, rows: Rows) -> Rows:
        """Rows by slot and home as rows by page and place on it."""
        slots, cells, watts = rows
        if len(self.partitions) == 1:
            return rows
        size = self.partitions.size * len(self._plan.names)
        part = (cells // size).astype(np.int32)
        return self._page(slots, part), cells - part * np.int64(size), watts

    def _page(self, slots: NDArray[np.int32], part: NDArray[np.int32]) -> NDArray[np.int32]:
        return (slots - np.int32(self._origin)) * np.int32(len(self.partitions)) + part

    @cached_property
    def _page_histogram(self) -> SlotHistogram:
        """How many rows each page has, and whether they come in the order of pages."""
        if len(self.partitions) == 1:
            return self._histogram
        histogram = SlotHistogram(((self.last or 0) - self._origin + 1) * len(self.partitions))
        for runs in self._runs.blocks():
            inside = runs[(runs["slot"] >= 0) & (runs["slot"] < self._histogram.slots)]
            inside["slot"] = self._page(inside["slot"], self._places[inside["home"]] // np.int32(self.partitions.size))
            histogram.add(inside)
        return histogram

    def _empty(self, part: int) -> ExactMeans:
        missing = np.nan if self._plan.answers_unmeasured else 0.0
        return ExactMeans(self.partitions.length(part) * len(self._plan.names), missing)

    def _shaped(self, means: ExactMeans) -> Watts:
        return means.result().reshape(-1, len(self._plan.names))


def read_slots(
    plan: Plan,
    readings: str | PathLike[str] | Location | pa.Table,
    *,
    known: pa.Array | None = None,
    progress: ProgressCallback | None = None,
) -> ReadingsTable:
    """Go through a Parquet or CSV file, a folder of them or a table in memory: who takes part when.

    `known` are homes that take part as well, whether or not they are in the
    table.  `progress` is told the fraction done, the walk through the pages
    and what is done with each of them included.  A table that is wrong is a
    ReadingsError.
    """
    files, tracker = readings_files(readings, plan.answers_unmeasured), ProgressTracker(progress)
    index = IndexPass(plan.calendar, known)
    index.read(files, tracker.stage(INDEX_SHARE, sum(file.size for file in files)))
    homes, places = index.homes()
    table = ReadingsTable(homes, plan, files, index.histogram, index.runs, places, tracker)
    slots = 0 if table.first is None or table.last is None else table.last - table.first + 1
    if slots * len(table.partitions) >= MAX_PAGES:
        raise ReadingsError(f"{slots:,} slots of {len(homes):,} homes are too many for one table: cut it in time")
    return table
