"""All tallies of a period as arrays: one row for each group of homes, and the slots they fall into."""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from functools import cached_property
from itertools import chain

import numpy as np

from hushwatt.plan.plan import Plan
from hushwatt.privacy.rotation import distinct_span, reporting_span
from hushwatt.provider.estimate.array_types import Floats, Indices, Integers, Mask
from hushwatt.provider.tally.draws import PUBLICATION
from hushwatt.provider.tally.tally import Tallies, Tally, TallyKey


@dataclass(frozen=True)
class TallyArrays:
    """All groups, by slot.  A group's homes stand by answers drawn in one slot with one budget."""

    slot: Integers
    as_of: Integers  # the slot they were drawn in
    drawn: Integers  # millionths of ε
    rows: Integers  # homes
    reports: Integers | Floats  # homes that speak of each appliance
    counts: Integers | Floats  # answers for every level of every appliance

    @classmethod
    def of(cls, plan: Plan, tallies: Tallies) -> "TallyArrays":
        """The publications among the tallies, of all cells together; probes are not estimated from."""
        return CellArrays.of(plan, tallies).whole

    def up_to(self, last: int | None) -> "TallyArrays":
        """The groups of the slots up to `last`."""
        rows = slice(None) if last is None else self.slot <= last
        return TallyArrays(*(getattr(self, column.name)[rows] for column in fields(self)))


@dataclass(frozen=True)
class CellArrays:
    """The same for every cell by itself: a row for each group of homes and each cell in it."""

    arrays: TallyArrays
    cell: Integers
    group: Indices  # the group of each row, by its place among all, ascending

    @classmethod
    def of(cls, plan: Plan, tallies: Tallies, last: int | None = None) -> "CellArrays":
        """The publications of the slots up to `last`."""
        every, tallied = list(tallies.groups), list(tallies.groups.values())
        parts = len(TallyKey._fields)
        keys = np.fromiter(chain.from_iterable(every), np.int64, parts * len(every)).reshape(-1, parts)
        kept = np.lexsort(keys.T[::-1])
        kept = kept[(keys[kept, 1] == PUBLICATION) & ((keys[kept, 0] <= last) if last is not None else True)]
        slot, _, as_of, drawn, cell = keys[kept].T
        chosen = [tallied[place] for place in kept.tolist()]
        none = np.empty(0, dtype=np.int64)
        arrays = TallyArrays(
            slot,
            as_of,
            drawn,
            np.array([each.rows for each in chosen], dtype=np.int64),
            np.concatenate([none, *(each.reports for each in chosen)]).reshape(-1, len(plan.appliances)),
            np.concatenate([none, *(each.counts for each in chosen)]).reshape(-1, plan.width),
        )
        new = np.ones(len(kept), dtype=bool)
        new[1:] = (np.diff(slot) != 0) | (np.diff(as_of) != 0) | (np.diff(drawn) != 0)
        return cls(arrays, cell, np.cumsum(new) - 1)

    def up_to(self, last: int | None) -> "CellArrays":
        """The groups of the slots up to `last`."""
        kept = len(self.cell) if last is None else int(np.searchsorted(self.arrays.slot, last, side="right"))
        return CellArrays(self.arrays.up_to(last), self.cell[:kept], self.group[:kept])

    @cached_property
    def whole(self) -> TallyArrays:
        """All cells added up."""
        if len(self._firsts) == len(self.group):
            return self.arrays
        keyed = {name: getattr(self.arrays, name)[self._firsts] for name in ("slot", "as_of", "drawn")}
        return TallyArrays(
            **keyed, **{name: np.add.reduceat(getattr(self.arrays, name), self._firsts) for name in SUMMED}
        )

    @cached_property
    def _firsts(self) -> Indices:
        """The first row of each group."""
        return np.flatnonzero(np.diff(self.group, prepend=-1))

    def only(self, cells: Mask) -> TallyArrays:
        """Some cells added up: the groups are those of the whole, some of them empty."""
        rows = np.flatnonzero(cells[self.cell])
        kept, firsts = np.unique(self.group[rows], return_index=True)
        summed = {}
        for name in SUMMED:
            values = getattr(self.arrays, name)[rows]
            summed[name] = np.zeros((len(self._firsts), *values.shape[1:]), dtype=np.int64)
            summed[name][kept] = values if len(firsts) == len(rows) else np.add.reduceat(values, firsts)
        return replace(self.whole, **summed)


SUMMED = ("rows", "reports", "counts")


@dataclass(frozen=True)
class SlotTimeline:
    """What is published, ascending, and to which of it each group belongs: slots, or several of them together.

    Where a plan publishes more than one slot at a time, each row stands for such a period.
    """

    slots: Integers  # the first slot of each
    ends: Integers  # the last slot of each
    slot_index: Indices  # of each group's row
    rows: Integers  # different homes that were heard in each, at least
    as_of: Integers  # the newest slot its answers were drawn in
    enough: Mask  # whether the plan's minimum of homes is met
    requested: Mask  # whether it was asked for; those before it are history
    heard: Integers  # the single slots with reports, ascending
    heard_index: Indices  # of each group's slot among these
    heard_row: Indices  # of the row that each of these belongs to
    weight: Floats  # of each row in a period: alike, unless it stands for more homes or a longer time

    @classmethod
    def of(
        cls, arrays: TallyArrays, minimum: int, first: int | None = None, *, publish: int = 1, span: int = 1
    ) -> "SlotTimeline":
        """The slots of these groups, `publish` of them together; an answer needs `minimum` homes, and at least one.

        No home reports twice in `span` slots in a row.
        """
        heard, heard_index = np.unique(arrays.slot, return_inverse=True)
        slots, heard_row = np.unique(heard // publish * publish, return_inverse=True)
        slot_index = heard_row[heard_index]
        as_of = np.full(len(slots), -1, dtype=np.int64)
        np.maximum.at(as_of, slot_index, arrays.as_of)
        requested = np.ones(len(slots), dtype=bool) if first is None else slots >= first
        rows = np.zeros(len(slots), dtype=np.int64)
        timeline = cls(
            slots,
            slots + publish - 1,
            slot_index,
            rows,
            as_of,
            requested,
            requested,
            heard,
            heard_index,
            heard_row,
            weight=np.ones(len(slots)),
        )
        rows = timeline.different(arrays.rows.astype(float), span).astype(np.int64)
        return replace(timeline, rows=rows, enough=rows >= max(minimum, 1))

    def only(self, rows: Mask) -> "SlotTimeline":
        """The same, with only these rows asked for."""
        return replace(self, requested=self.requested & rows)

    def weighted(self, weight: Floats) -> "SlotTimeline":
        """The same, with rows that count so much in a period."""
        return replace(self, weight=weight)

    @cached_property
    def _one_each(self) -> bool:
        """Whether each row is one slot with one group of homes."""
        count = len(self.slots)
        return len(self.slot_index) == len(self.heard) == count and bool((self.slot_index == np.arange(count)).all())

    @property
    def newest(self) -> Integers:
        """The last slot with reports of each."""
        newest = np.zeros(len(self.slots), dtype=np.int64)
        np.maximum.at(newest, self.heard_row, self.heard)
        return newest

    def sum_by_slot(self, values: Floats) -> Floats:
        """The sum of `values`, one or a row for each group, over the groups of every row."""
        if self._one_each:
            return values + 0.0
        sums = np.zeros((len(self.slots), *values.shape[1:]))
        np.add.at(sums, self.slot_index, values)
        return sums

    def different(self, speakers: Floats, span: int) -> Floats:
        """How many different homes spoke in each row, at least: none speaks twice in `span` slots in a row.

        All of them where a row is no longer than that, else the most that spoke in so many of its slots.
        """
        if self._one_each:
            return speakers + 0.0
        in_slot = np.zeros(len(self.heard))
        np.add.at(in_slot, self.heard_index, speakers)
        sums = np.concatenate([[0.0], np.cumsum(in_slot)])
        begin = np.maximum(self.heard - span + 1, self.slots[self.heard_row])
        most = np.zeros(len(self.slots))
        np.maximum.at(most, self.heard_row, sums[1:] - sums[np.searchsorted(self.heard, begin)])
        return most

    def speaking_slots(self, speakers: Floats) -> Floats:
        """In how many slots of each row anybody spoke."""
        if self._one_each:
            return (speakers > 0).astype(float)
        in_slot, rows = np.zeros(len(self.heard)), np.zeros(len(self.slots))
        np.add.at(in_slot, self.heard_index, speakers)
        np.add.at(rows, self.heard_row, in_slot > 0)
        return rows

    def stood_before(self, as_of: Integers) -> Floats:
        """For each group: in how many slots of its row, before its own, its homes stood by the same draw."""
        since = np.maximum(as_of, self.slots[self.slot_index])
        return (self.heard_index - np.searchsorted(self.heard, since)).astype(float)


@dataclass(frozen=True)
class HomesHeard:
    """How many different homes were heard, at least, by the first slot of what is published together."""

    reports: dict[int, int]
    of_one_appliance: dict[int, int]  # the most that spoke of the same one

    @classmethod
    def of(cls, plan: Plan, groups: Mapping[TallyKey, Tally]) -> "HomesHeard":
        arrays = TallyArrays.of(plan, Tallies(0, dict(groups)))
        timeline = SlotTimeline.of(arrays, plan.minimum_homes, publish=plan.publish, span=reporting_span(plan))
        columns = [timeline.different(each.astype(float), distinct_span(plan)) for each in arrays.reports.T]
        slots = timeline.slots.tolist()
        return cls(
            dict(zip(slots, timeline.rows.tolist(), strict=True)),
            dict(zip(slots, np.max(columns, axis=0).astype(int).tolist(), strict=True)),
        )
