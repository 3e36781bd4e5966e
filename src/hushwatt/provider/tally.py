"""Reports become tallies: how many answers each level got, and in how many reports.

A tally keeps apart what must be undone with another law or counted as another draw:
reports of one slot, drawn in one slot, with one budget.  Everything the provider
answers comes from tallies; a report is read once.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hushwatt.errors import ReportError
from hushwatt.plan.plan import Plan
from hushwatt.privacy.strategies import ADAPTIVE, POPULATION
from hushwatt.provider.draws import PUBLICATION, draws_of
from hushwatt.wire.payload import Layout

if TYPE_CHECKING:
    from hushwatt.wire.table import ReportBatch


class TallyKey(NamedTuple):
    """Reports that are counted together."""

    slot: int
    round: int
    as_of: int  # the slot they were drawn in
    drawn: int  # millionths of ε they were drawn with


@dataclass(frozen=True)
class Tally:
    """What such reports add up to."""

    rows: int
    reports: NDArray[np.int64]  # of them, how many speak of each appliance
    counts: NDArray[np.int64]  # answers for every level of every appliance

    def __add__(self, other: "Tally") -> "Tally":
        return Tally(self.rows + other.rows, self.reports + other.reports, self.counts + other.counts)


@dataclass
class Tallies:
    """All tallies of a plan, and how many homes take part."""

    homes: int
    groups: dict[TallyKey, Tally]

    def add(self, key: TallyKey, tally: Tally) -> None:
        self.groups[key] = self.groups[key] + tally if key in self.groups else tally


def tally_reports(plan: Plan, path: str | Path) -> Tallies:
    """The tallies of a file of reports, or of a folder of them."""
    from hushwatt.wire.table import homes_of, read_reports

    tallies = Tallies(homes_of(plan, path), {})
    for key, tally in tally_batches(plan, read_reports(plan, path, Layout.of(plan).size)):
        tallies.add(key, tally)
    return with_repeats(plan, tallies)


def tally_batches(plan: Plan, batches: Iterable["ReportBatch"]) -> Iterator[tuple[TallyKey, Tally]]:
    """Tallies of each batch, sorted by slot and household within themselves."""
    layout, draws = Layout.of(plan), draws_of(plan)
    for batch in batches:
        check_amounts(plan, batch.drawn)
        as_of = draws.slots_of(batch)
        for key, rows in groups(batch.slot, batch.round, as_of, batch.drawn):
            yield key, tally_rows(layout, batch.payloads[rows])


def tally_rows(layout: Layout, payloads: NDArray[np.uint8]) -> Tally:
    """One group's payloads added up."""
    return Tally(len(payloads), *layout.tally(payloads))


def check_amounts(plan: Plan, drawn: NDArray[np.int64]) -> None:
    """Refuse a budget that no home following the plan draws with."""
    if len(drawn) and (drawn.min() < 1 or drawn.max() > plan.epsilon):
        row = int(np.argmax((drawn < 1) | (drawn > plan.epsilon)))
        raise ReportError(f"drawn is {drawn[row]} millionths; the plan allows 1 to {plan.epsilon}")


def groups(*columns: NDArray[np.integer]) -> Iterator[tuple[TallyKey, NDArray[np.intp] | slice]]:
    """The rows that have the same slot, round, slot of drawing and budget."""
    if not len(columns[0]):
        return
    if all(column[0] == column.min() == column.max() for column in columns):
        yield TallyKey(*(int(column[0]) for column in columns)), slice(None)
        return
    order = np.lexsort(columns[::-1])
    ordered = [column[order] for column in columns]
    changes = np.any([column[1:] != column[:-1] for column in ordered], axis=0)
    starts = [0, *(np.flatnonzero(changes) + 1), len(order)]
    for start, end in pairwise(starts):
        yield TallyKey(*(int(column[start]) for column in ordered)), order[start:end]


def with_repeats(plan: Plan, tallies: Tallies) -> Tallies:
    """The same, where a slot of LPD or LPA that published nothing stands by the last release."""
    if plan.method not in POPULATION & ADAPTIVE:
        return tallies
    slots = sorted({key.slot for key in tallies.groups})
    last: dict[TallyKey, Tally] = {}
    for slot in slots:
        here = {key: t for key, t in tallies.groups.items() if key.slot == slot and key.round == PUBLICATION}
        for key, tally in last.items():
            if not here:
                tallies.groups[key._replace(slot=slot)] = tally
        last = here or last
    return tallies
