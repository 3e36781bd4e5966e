"""The tallies of published slots, as answers are worked out of them: they never change, so they are read once.

Those of the plans asked about last are kept in a bounded memory; what was published since is added.
"""

import threading
from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass

from hushwatt.plan.plan import Plan
from hushwatt.provider.estimate.collected import CollectedCells
from hushwatt.provider.estimate.times.time_filter import TimeFilter
from hushwatt.provider.store.cells import StoredCell, all_cells, label_names, noted_cells
from hushwatt.provider.store.plans import PlanState, plan_state
from hushwatt.provider.store.session import Database, Session
from hushwatt.provider.store.slots import PublishedSlot, homes_when_published, published_slots
from hushwatt.provider.store.tallies import read_tallies
from hushwatt.provider.tally.labels import Cells
from hushwatt.provider.tally.tally import Tallies, Tally, TallyKey

MAX_CACHED_BYTES = 1 << 28  # of tallies, of all plans together
MAX_COLLECTED = 4  # stretches of slots that are ready for questions
TALLY_BYTES = 500  # that one takes beside its numbers

Groups = Mapping[TallyKey, Tally]


@dataclass(frozen=True)
class CachedTallies:
    """All tallies of the slots up to one."""

    published: int
    groups: Groups
    size: int  # bytes, about

    def with_more(self, published: int, more: Groups) -> "CachedTallies":
        size = sum(TALLY_BYTES + each.reports.nbytes + each.counts.nbytes for each in more.values())
        return CachedTallies(published, {**self.groups, **more}, self.size + size)


class PublishedTallies:
    """Reads them, and keeps those that were read last."""

    def __init__(self, database: Database, largest: int = MAX_CACHED_BYTES) -> None:
        self._database, self._largest = database, largest
        self._cached: OrderedDict[int, CachedTallies] = OrderedDict()
        self._collected: OrderedDict[Hashable, CollectedCells] = OrderedDict()
        self._lock = threading.Lock()

    def collected(
        self, number: int, plan: Plan, first: int | None, last: int | None, times: TimeFilter | None
    ) -> CollectedCells:
        """What was collected in some slots, ready for one question after another."""
        with self._database.reading() as session:
            state = plan_state(session, number)
        question = number, state.published if state.published >= 0 else state, first, last, times
        with self._lock:
            if question in self._collected:
                self._collected.move_to_end(question)
                return self._collected[question]
        collected = CollectedCells.of(plan, self.read(number, last), first, last, times)
        with self._lock:
            self._collected[question] = collected
            while len(self._collected) > MAX_COLLECTED or self._collected_bytes > self._largest:
                self._collected.popitem(last=False)
        return collected

    @property
    def _collected_bytes(self) -> int:
        return sum(each.grouped.by_cell.arrays.counts.nbytes for each in self._collected.values())

    def read(self, plan: int, last: int | None) -> Tallies:
        """The published tallies up to a slot, with how many homes of each cell every slot has."""
        with self._database.reading() as session:
            state = plan_state(session, plan)
            until = state.published if last is None else min(last, state.published)
            published = published_slots(session, plan)
            groups = self._groups(session, plan, state.published)
            noted = noted_cells(session, plan, until)
            cells, names = all_cells(session, plan), label_names(session, plan)
        if until < state.published:
            groups = {key: tally for key, tally in groups.items() if key.slot <= until}
        used = {key.cell for key in groups} | noted.keys()
        here = [each for each in cells if each.cell in used]
        slots = {key.slot for key in groups}
        homes = CellHomes.of(noted, {each.cell: number for number, each in enumerate(here, 1)})
        return Tallies(
            homes_then_or_now(published, until, state),
            renumbered(groups, [each.cell for each in here]),
            homes_then={slot: homes_then_or_now(published, slot, state) for slot in slots},
            closed=until,
            cells=known_cells(here, names),
            cell_homes=homes.at(until),
            cell_homes_then={slot: homes.at(slot) for slot in slots},
        )

    def _groups(self, session: Session, plan: int, published: int) -> Groups:
        """All tallies up to the last slot that is published."""
        with self._lock:
            cached = self._cached.get(plan, CachedTallies(-1, {}, 0))
        if cached.published >= published:
            return {key: tally for key, tally in cached.groups.items() if key.slot <= published}
        cached = cached.with_more(published, read_tallies(session, plan, cached.published + 1, published))
        with self._lock:
            self._cached.pop(plan, None)
            self._cached[plan] = cached
            while sum(each.size for each in self._cached.values()) > self._largest:
                self._cached.popitem(last=False)
        return cached.groups


@dataclass(frozen=True)
class CellHomes:
    """How many homes each cell has, from which slot on."""

    slots: Sequence[int]  # ascending; what holds from each on
    homes: Sequence[Mapping[int, int]]

    @classmethod
    def of(cls, noted: Mapping[int, Mapping[int, int]], numbers: Mapping[int, int]) -> "CellHomes":
        """From what was noted of each cell of the store, and the numbers that cells have here."""
        slots = sorted({slot for homes in noted.values() for slot in homes})
        current: dict[int, int] = {}
        homes = []
        for slot in slots:
            current = current | {numbers[cell]: each[slot] for cell, each in noted.items() if slot in each}
            homes.append(current)
        return cls(slots, homes)

    def at(self, slot: int) -> Mapping[int, int]:
        """How many each cell has in a slot.

        >>> homes = CellHomes.of({5: {0: 7, 9: 8}}, {5: 1})
        >>> homes.at(-1), homes.at(3), homes.at(9)
        ({}, {1: 7}, {1: 8})
        """
        index = bisect_right(self.slots, slot)
        return self.homes[index - 1] if index else {}


def known_cells(cells: Sequence[StoredCell], names: Sequence[str]) -> Cells:
    """Cells as answers name them: labels that none of them has are left out."""
    values = [each.labels.document() for each in cells]
    given = tuple(name for name in names if any(name in each for each in values))
    return Cells(given, tuple(tuple(each.get(name, "") for name in given) for each in values))


def renumbered(groups: Groups, cells: Sequence[int]) -> dict[TallyKey, Tally]:
    """Tallies whose cells are 1, 2, …, whichever numbers they have in the store."""
    if list(cells) == list(range(1, len(cells) + 1)):
        return dict(groups)
    numbers = {0: 0} | {cell: number for number, cell in enumerate(cells, 1)}
    return {key._replace(cell=numbers[key.cell]): tally for key, tally in groups.items()}


def homes_then_or_now(published: Sequence[PublishedSlot], slot: int, state: PlanState) -> int:
    """How many homes take part in a slot: when it was published, or now."""
    then = homes_when_published(published, slot) if slot <= state.published else None
    return state.homes if then is None else then
