"""Reports become tallies: how many answers each level got, and in how many reports.

A tally keeps apart what must be undone with another law or counted as another draw:
reports of one slot, drawn in one slot, with one budget.  Everything the provider
answers comes from tallies; a report is read once.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hushwatt.plan.plan import Plan
from hushwatt.privacy.rotation import has_turns
from hushwatt.privacy.strategies import rules_of
from hushwatt.provider.checks.declared_homes import ESTIMATE, check_declared_homes
from hushwatt.provider.tally.draws import BEFORE_FIRST, PUBLICATION, draws_of
from hushwatt.provider.tally.labels import Cells
from hushwatt.wire.payload import Layout
from hushwatt.wire.row_error import RowError

if TYPE_CHECKING:
    from hushwatt.provider.tally.label_table import LabelTable
    from hushwatt.wire.reports import ReportBatch

Rows = NDArray[np.intp] | slice
MAX_SORTED_CHANGES = 1 << 10  # from row to row, up to which it is tried whether groups are neighbours


class TallyKey(NamedTuple):
    """Reports that are counted together."""

    slot: int
    round: int
    as_of: int  # the slot they were drawn in
    drawn: int  # millionths of ε they were drawn with
    cell: int = 0  # the kind of home, by what the provider knows of it anyway (its labels); 0: nothing


@dataclass(frozen=True)
class Tally:
    """What such reports add up to."""

    rows: int
    reports: NDArray[np.int64]  # of them, how many speak of each appliance
    counts: NDArray[np.int64]  # answers for every level of every appliance

    def __add__(self, other: "Tally") -> "Tally":
        return Tally(self.rows + other.rows, self.reports + other.reports, self.counts + other.counts)

    def __neg__(self) -> "Tally":
        """What takes it away again."""
        return Tally(-self.rows, -self.reports, -self.counts)

    def packed(self) -> tuple[int, bytes, bytes]:
        """As three columns of a table; bytes are little endian."""
        return self.rows, self.reports.astype("<i8").tobytes(), self.counts.astype("<i8").tobytes()

    @classmethod
    def unpacked(cls, rows: int, reports: bytes, counts: bytes) -> "Tally":
        return cls(int(rows), *(np.frombuffer(each, dtype="<i8").astype(np.int64) for each in (reports, counts)))


@dataclass
class Tallies:
    """All tallies of a plan, and how many homes take part."""

    homes: int
    groups: dict[TallyKey, Tally]
    repeats: int = 0  # reports that were there again, and are counted once
    refused: Counter[str] = field(default_factory=Counter)  # reports that are not counted, by reason
    homes_then: Mapping[int, int] = field(default_factory=dict)  # when a slot was published, where it was
    closed: int | None = None  # the last slot that takes no more reports; None: the last one with reports
    cells: Cells = field(default_factory=Cells)  # what is known of the homes, and so which kinds of them there are
    cell_homes: Mapping[int, int] = field(default_factory=dict)  # by cell from 1; the others are in cell 0
    cell_homes_then: Mapping[int, Mapping[int, int]] = field(default_factory=dict)  # like homes_then, by slot

    def complete(self, plan: Plan, last: int | None = None) -> int:
        """The last slot, up to `last`, of a published period that has all its reports; −1 when there is none.

        >>> from dataclasses import replace
        >>> from hushwatt.plan.presets import preset
        >>> weekly = replace(preset("paper"), publish=7)
        >>> Tallies(9, {}, closed=16).complete(weekly), Tallies(9, {}, closed=16).complete(weekly, last=6)
        (13, 6)
        """
        closed = self._last_heard(plan) if self.closed is None else self.closed
        return plan.periods.last_complete(closed if last is None else min(closed, last))

    def _last_heard(self, plan: Plan) -> int:
        """The last slot with reports; or the end of its period, when no home has a turn left in it."""
        heard = max((key.slot for key in self.groups), default=-1)
        if heard < 0 or not has_turns(plan):
            return heard
        end = plan.periods.last_of(heard)
        spoke = sum(tally.rows for key, tally in self.groups.items() if key.slot > end - plan.window)
        return end if spoke >= self.homes else heard

    def homes_in(self, slots: NDArray[np.int64]) -> NDArray[np.int64]:
        """How many homes take part in each slot.

        >>> Tallies(9, {}, homes_then={0: 5}).homes_in(np.array([0, 1])).tolist()
        [5, 9]
        """
        return np.array([self.homes_then.get(slot, self.homes) for slot in slots.tolist()], dtype=np.int64)

    def cell_homes_in(self, slots: NDArray[np.int64]) -> NDArray[np.int64]:
        """How many homes of each cell take part in each slot: a row for each slot.

        >>> labelled = Tallies(9, {}, cells=Cells(("tariff",), (("A",), ("B",))), cell_homes={1: 5, 2: 3})
        >>> labelled.cell_homes_in(np.array([0])).tolist()
        [[1, 5, 3]]
        """
        homes = np.zeros((len(slots), len(self.cells)), dtype=np.int64)
        homes[:, list(self.cell_homes)] = list(self.cell_homes.values())
        for row, then in enumerate(map(self.cell_homes_then.get, slots.tolist())):
            if then is not None:
                homes[row] = 0
                homes[row, list(then)] = list(then.values())
        homes[:, 0] = np.maximum(self.homes_in(slots) - homes[:, 1:].sum(axis=1), 0)
        return homes

    def add(self, key: TallyKey, tally: Tally) -> None:
        self.groups[key] = self.groups[key] + tally if key in self.groups else tally

    def add_all(self, groups: Iterable[tuple[TallyKey, Tally]]) -> None:
        for key, tally in groups:
            self.add(key, tally)

    def merge(self, part: "Tallies") -> None:
        """Add what other reports of the same homes add up to."""
        self.add_all(part.groups.items())
        self.repeats += part.repeats
        self.refused += part.refused


def tally_batches(
    plan: Plan, batches: Iterable["ReportBatch"], labels: "LabelTable | None" = None
) -> Iterator[tuple[TallyKey, Tally]]:
    """Tallies of each batch, sorted by slot and household within themselves; with `labels` apart by cell."""
    from hushwatt.provider.tally.small_groups import tally_groups

    layout, draws = Layout.of(plan), draws_of(plan)
    for batch in batches:
        check_amounts(plan, batch.drawn)
        as_of = draws.slots_of(batch)
        cells = [] if labels is None else [labels.cells_of(batch.households)]
        groups = list(group_rows(batch.slot, batch.round, as_of, batch.drawn, *cells))
        tallies = tally_groups(layout, batch.payloads, [rows for _, rows in groups])
        yield from zip((key for key, _ in groups), tallies, strict=True)


def tally_rows(layout: Layout, payloads: NDArray[np.uint8]) -> Tally:
    """One group's payloads added up."""
    return Tally(len(payloads), *layout.tally(payloads))


def tally_subset(layout: Layout, payloads: NDArray[np.uint8], rows: Rows) -> Tally:
    """Some payloads added up; one that is refused is counted among all."""
    try:
        return tally_rows(layout, payloads[rows])
    except RowError as wrong:
        raise RowError(int(np.arange(len(payloads))[rows][wrong.row]), wrong.problem) from None


def check_amounts(plan: Plan, drawn: NDArray[np.int64]) -> None:
    """Refuse a budget that no home following the plan draws with."""
    if len(drawn) and (drawn.min() < 1 or drawn.max() > plan.epsilon):
        row = int(np.argmax((drawn < 1) | (drawn > plan.epsilon)))
        raise RowError(row, f"drawn is {drawn[row]} millionths; the plan allows 1 to {plan.epsilon}")


def group_rows(*columns: NDArray[np.integer]) -> Iterator[tuple[TallyKey, Rows]]:
    """The rows that have the same slot, round, slot of drawing, budget and cell, if known, each such group once."""
    edges = _edges(columns)
    keys = [_key(columns, start) for start in edges[:-1]] if len(edges) <= MAX_SORTED_CHANGES else []
    if len(set(keys)) == len(edges) - 1:  # rows with the same numbers are neighbours
        yield from ((key, slice(start, end)) for key, (start, end) in zip(keys, pairwise(edges), strict=True))
        return
    order = np.lexsort(columns[::-1])
    ordered = [column[order] for column in columns]
    for start, end in pairwise(_edges(ordered)):
        yield _key(ordered, start), order[start:end]


def _edges(columns: Sequence[NDArray[np.integer]]) -> list[int]:
    """Where neighbouring rows differ, and both ends."""
    if not len(columns[0]):
        return [0]
    changes = columns[0][1:] != columns[0][:-1]
    for column in columns[1:]:
        changes |= column[1:] != column[:-1]
    return [0, *(np.flatnonzero(changes) + 1).tolist(), len(columns[0])]


def _key(columns: Sequence[NDArray[np.integer]], row: int) -> TallyKey:
    return TallyKey(*(int(column[row]) for column in columns))


def finish_tallies(plan: Plan, tallies: Tallies, labels: "LabelTable | None" = None) -> Tallies:
    """Finish the tallies of a whole collection whose parts were added up by themselves.

    A part that lacks a publication cannot tell which one its repeats stand by; all together can.  With `labels` they
    are kept apart by cell.
    """
    if plan.decision == "provider":
        date_repeats(tallies)
    tallies.homes = count_homes(plan, tallies)
    if labels is not None:
        tallies.cells = labels.cells
        tallies.cell_homes = count_cell_homes(plan, tallies, labels)
    return carry_forward(plan, tallies)


def date_repeats(tallies: Tallies) -> None:
    """Where all homes publish together, let their repeats stand by the last publication before their slot."""
    publications = [key for key in tallies.groups if key.round == PUBLICATION]
    published = [BEFORE_FIRST, *sorted({key.slot for key in publications if key.as_of == key.slot})]
    for key in publications:
        if key.as_of != key.slot:
            last = published[bisect_left(published, key.slot) - 1]
            tallies.add(key._replace(as_of=last), tallies.groups.pop(key))


def count_homes(plan: Plan, tallies: Tallies) -> int:
    """How many homes take part: as the files say, if that can be, and no fewer than were heard."""
    least = homes_heard(plan, tallies)
    check_declared_homes(plan, tallies.homes, least, ESTIMATE)
    return max(tallies.homes, least)


def homes_heard(plan: Plan, tallies: Tallies) -> int:
    """How many different homes there are at least: those of a slot or, where homes take turns, of a window.

    >>> from hushwatt.plan.presets import preset
    >>> tally = Tally(5, np.zeros(15, np.int64), np.zeros(1, np.int64))
    >>> homes_heard(preset("advised"), Tallies(0, {TallyKey(slot, 0, slot, 1): tally for slot in (0, 1, 3)}))
    10
    """
    turns = plan.window if has_turns(plan) else 1
    rows: Counter[tuple[int, int]] = Counter()
    for key, tally in tallies.groups.items():
        rows[key.slot // turns, key.round] += tally.rows
    return max(rows.values(), default=0)


def cells_heard(plan: Plan, tallies: Tallies) -> NDArray[np.int64]:
    """The same for every cell."""
    turns = plan.window if has_turns(plan) else 1
    rows: Counter[tuple[int, int, int]] = Counter()
    for key, tally in tallies.groups.items():
        rows[key.cell, key.slot // turns, key.round] += tally.rows
    heard = np.zeros(len(tallies.cells), dtype=np.int64)
    for (cell, *_), count in rows.items():
        heard[cell] = max(heard[cell], count)
    return heard


def count_cell_homes(plan: Plan, tallies: Tallies, labels: "LabelTable") -> dict[int, int]:
    """How many homes of each cell take part: those that the file of labels names, if that can be.

    It may name homes that do not take part; then all that do are divided as those that were heard are.
    """
    heard, named = cells_heard(plan, tallies), labels.homes
    if (named[1:] >= heard[1:]).all() and tallies.homes - named[1:].sum() >= heard[0]:
        return {cell: int(named[cell]) for cell in range(1, len(named))}
    parts = np.floor(heard * (tallies.homes / max(int(heard.sum()), 1)) + 0.5).astype(np.int64)
    return {cell: int(parts[cell]) for cell in range(1, len(parts))}


def carry_forward(plan: Plan, tallies: Tallies) -> Tallies:
    """Carry the last release forward into every slot of LPD or LPA that published nothing."""
    if plan.decision is None or not rules_of(plan).population:
        return tallies
    published: dict[int, dict[TallyKey, Tally]] = {key.slot: {} for key in tallies.groups}
    for key, tally in tallies.groups.items():
        if key.round == PUBLICATION:
            published[key.slot][key] = tally
    last: dict[TallyKey, Tally] = {}
    for slot, here in sorted(published.items(), key=lambda each: each[0]):
        for key, tally in last.items():
            if not here:
                tallies.groups[key._replace(slot=slot)] = tally
        last = here or last
    return tallies
