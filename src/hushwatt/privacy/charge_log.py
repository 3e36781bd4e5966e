"""What was charged, as long as it counts: once where all homes paid alike, else a line for each payment.

Slots in a row in which everybody paid the same are one run, so a year of equal charges takes
as much room as one.  Where homes also named appliances, going round the same few tables of
them, a run has the number of a table for each of its slots.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import repeat
from typing import Self

import numpy as np
from numpy.typing import NDArray

from hushwatt.privacy.charge_lines import Amounts, ChargeBook, Members

UNNAMED = np.uint16(65_535)  # in the tables that a home named nothing from: it came later
MOST_PAGES = 1_000  # tables of named appliances that are kept for runs; as many as a plan has appliances


@dataclass(frozen=True)
class Charge:
    """What some homes were charged in one slot, and for which appliances (None: all alike)."""

    slot: int
    homes: NDArray[np.int32]  # ascending
    amounts: Amounts
    members: Members | None = None


@dataclass(frozen=True)
class Run:
    """Slots in a row, from first to last, in each of which all homes were charged the same amount once."""

    first: int
    last: int
    amount: int
    pages: tuple[int, ...] | None = None  # which table of appliances they named in each slot; None: all alike

    def since(self, slot: int) -> Self:
        """What of it is not over before a slot."""
        gone = max(slot - self.first, 0)
        return replace(self, first=self.first + gone, pages=None if self.pages is None else self.pages[gone:])

    def before(self, slot: int) -> Self:
        """What of it is over before a slot."""
        kept = max(min(self.last + 1, slot) - self.first, 0)
        return replace(self, last=self.first + kept - 1, pages=None if self.pages is None else self.pages[:kept])

    def goes_on(self, slot: int, amount: int, page: int | None) -> bool:
        """Whether a charge of a slot is the next of this run."""
        return (slot, amount, page is None) == (self.last + 1, self.amount, self.pages is None)


@dataclass(frozen=True)
class ChargeLog:
    """The charges of the homes of one ledger.

    >>> log = ChargeLog.empty(2)
    >>> for slot in range(1_000):
    ...     log = log.added(Charge(slot, np.array([0, 1]), np.array([3, 3])))
    >>> log.runs, log.spent(since=990).tolist()
    ((Run(first=0, last=999, amount=3, pages=None),), [30, 30])
    """

    total: Amounts  # of each home, of all that is kept here
    runs: tuple[Run, ...] = ()  # in the order of their first slots
    pages: tuple[Members, ...] = ()  # tables of appliances, a row for each home
    lines: ChargeBook = field(default_factory=ChargeBook)  # of charges for all appliances
    named: ChargeBook = field(default_factory=ChargeBook)  # of charges for some appliances
    began: NDArray[np.int32] | None = None  # the first slot whose runs a home is in; None: all are in all

    @classmethod
    def empty(cls, homes: int) -> Self:
        return cls(np.zeros(homes, dtype=np.int64))

    @classmethod
    def of(cls, homes: int, charges: Iterable[Charge]) -> Self:
        """Charges in the order of their slots."""
        log = cls.empty(homes)
        for charge in charges:
            log = log.added(charge)
        return log

    @property
    def homes(self) -> int:
        return len(self.total)

    @property
    def last(self) -> int | None:
        """The last slot in which anything was charged."""
        slots = [*(run.last for run in self.runs[-1:]), self.lines.last, self.named.last]
        return max((slot for slot in slots if slot is not None), default=None)

    def spent(self, since: int) -> Amounts:
        """What each home was charged in a slot and later."""
        total = self.total.copy()
        for run in self._runs_before(since):
            total -= run.amount * self._times(run)
        for lines in (self.lines, self.named):
            if len(gone := lines.before(since)):
                total -= gone.sums(self.homes)
        return total

    def since(self, slot: int) -> Self:
        """The same log without what was charged earlier."""
        if not self._runs_before(slot) and not any(len(each.before(slot)) for each in (self.lines, self.named)):
            return self
        runs = tuple(run.since(slot) if run.first < slot else run for run in self.runs if run.last >= slot)
        pages = self.pages if any(run.pages for run in runs) else ()
        lines, named = self.lines.since(slot), self.named.since(slot)
        return replace(self, total=self.spent(slot), runs=runs, pages=pages, lines=lines, named=named)

    def before(self, slot: int) -> Iterator[Charge]:
        """What was charged before a slot, charge by charge."""
        for run in self._runs_before(slot):
            yield from self._charges(run)
        for lines in (self.lines, self.named):
            yield from _by_slot(lines.before(slot))

    def in_slot(self, slot: int) -> list[Charge]:
        """What was charged in one slot."""
        runs = [run.since(slot).before(slot + 1) for run in self.runs if run.first <= slot <= run.last]
        parts = [lines.since(slot).before(slot + 1) for lines in (self.lines, self.named)]
        shared = [each for run in runs for each in self._charges(run)]
        return shared + [each for part in parts for each in _by_slot(part)]

    def added(self, charge: Charge) -> Self:
        """This log and one more charge, of the last slot or a later one."""
        if self._is_shared(charge):
            with_page, page = self._page(charge.members)
            if charge.members is None or page is not None:
                return with_page.with_shared(charge.slot, int(charge.amounts[0]), page)
        total = self.total.copy()
        total[charge.homes] += charge.amounts
        if charge.members is None:
            return replace(self, total=total, lines=self.lines.added(charge.slot, charge.homes, charge.amounts))
        named = self.named.added(charge.slot, charge.homes, charge.amounts, charge.members)
        return replace(self, total=total, named=named)

    def joined(self, homes: int) -> Self:
        """The same log with new homes at its end, whom nothing of it concerns."""
        last = -1 if self.last is None else self.last
        began = np.zeros(self.homes, dtype=np.int32) if self.began is None else self.began
        return replace(
            self,
            total=np.concatenate([self.total, np.zeros(homes, dtype=np.int64)]),
            began=np.concatenate([began, np.full(homes, last + 1, dtype=np.int32)]),
            pages=tuple(np.concatenate([page, np.full((homes, page.shape[1]), UNNAMED)]) for page in self.pages),
        )

    def reordered(self, order: NDArray[np.intp]) -> Self:
        """The same log for the same homes in another order."""
        places = np.empty(self.homes, dtype=np.int32)
        places[order] = np.arange(self.homes, dtype=np.int32)
        return replace(
            self,
            total=self.total[order],
            pages=tuple(page[order] for page in self.pages),
            lines=self.lines.moved(places),
            named=self.named.moved(places),
            began=None if self.began is None else self.began[order],
        )

    def shared_totals(self) -> Amounts:
        """What the runs come to for each home."""
        total = np.zeros(self.homes, dtype=np.int64)
        for run in self.runs:
            total += run.amount * self._times(run)
        return total

    def shared_but(self, others: Counter[tuple[int, int, int]]) -> Iterator[Charge]:
        """The charges of runs, but for those of `others`: so many of a slot, amount and page (−1: none)."""
        left = others.copy()
        for run in self.runs:
            for charge, page in zip(self._charges(run), run.pages or repeat(-1), strict=False):
                left[charge.slot, run.amount, page] -= 1
                if left[charge.slot, run.amount, page] < 0:
                    yield charge

    def by_appliance(self, appliances: int) -> Amounts:
        """What each home was charged for each appliance, in full for each that a charge named."""
        table = np.zeros((self.homes, appliances), dtype=np.int64)
        table += self.lines.sums(self.homes)[:, None]
        for run in self.runs:
            if run.pages is None:
                table += run.amount * np.reshape(self._times(run), (-1, 1))
        self._add_pages(table)
        for part in self.named.parts:
            if part.members is not None:
                np.add.at(table, (part.homes[:, None], part.members), part.amounts[:, None])
        return table

    def _add_pages(self, table: Amounts) -> None:
        """Runs with pages, page by page: in how many slots each home named it."""
        everyone = np.arange(self.homes)[:, None]
        for run in (run for run in self.runs if run.pages is not None):
            slots, pages = np.arange(run.first, run.last + 1), np.array(run.pages)
            for page in np.unique(pages):
                held = slots[pages == page]
                times = len(held) - (0 if self.began is None else np.searchsorted(held, self.began))
                table[everyone, self._named(page)] += run.amount * np.broadcast_to(times, self.homes)[:, None]

    def _named(self, page: int) -> Members:
        """A table of appliances, with any in the rows of homes who came later: for these it counts nowhere yet."""
        named = self.pages[page]
        return named if self.began is None else np.where(named == UNNAMED, np.uint16(0), named)

    def _runs_before(self, slot: int) -> list[Run]:
        return [run.before(slot) for run in self.runs if run.first < slot]

    def _times(self, run: Run) -> NDArray[np.int64] | int:
        """In how many of a run's slots each home was charged."""
        if self.began is None:
            return run.last - run.first + 1
        since: NDArray[np.int64] = np.maximum(run.first, self.began.astype(np.int64))
        return np.maximum(run.last + 1 - since, 0)

    def _charges(self, run: Run) -> Iterator[Charge]:
        for place, slot in enumerate(range(run.first, run.last + 1)):
            who = np.arange(self.homes, dtype=np.int32)
            if self.began is not None:
                who = who[self.began <= slot]
            members = None if run.pages is None else self.pages[run.pages[place]][who]
            yield Charge(slot, who, np.full(len(who), run.amount, dtype=np.int64), members)

    def _is_shared(self, charge: Charge) -> bool:
        """Whether every home pays the same, and none began later than this slot."""
        everyone = 0 < len(charge.homes) == self.homes and bool((charge.amounts == charge.amounts[0]).all())
        return everyone and (self.began is None or int(self.began.max()) <= charge.slot)

    def with_shared(self, slot: int, amount: int, page: int | None) -> Self:
        """This log and a charge of every home."""
        total = self.total + amount
        pages = None if page is None else (page,)
        if self.runs and (run := self.runs[-1]).goes_on(slot, amount, page):
            longer = replace(run, last=slot, pages=None if run.pages is None or pages is None else run.pages + pages)
            return replace(self, total=total, runs=(*self.runs[:-1], longer))
        return replace(self, total=total, runs=(*self.runs, Run(slot, slot, amount, pages)))

    def _page(self, members: Members | None) -> tuple[Self, int | None]:
        """The number of a table of appliances, new ones added; none where there are too many."""
        if members is None:
            return self, None
        used = self.runs[-1].pages[-1] if self.runs and self.runs[-1].pages else -1
        for page in [*range(used + 1, len(self.pages)), *range(used + 1)]:
            if np.array_equal(self.pages[page], members):
                return self, page
            if self.began is not None and ((self.pages[page] == members) | (self.pages[page] == UNNAMED)).all():
                return replace(self, pages=(*self.pages[:page], members, *self.pages[page + 1 :])), page
        if len(self.pages) == MOST_PAGES:
            return self, None
        return replace(self, pages=(*self.pages, members)), len(self.pages)


def _by_slot(book: ChargeBook) -> Iterator[Charge]:
    """Lines as charges; homes that were charged twice in a slot are in two of them."""
    lines = book.lines
    repeats = (np.diff(lines.slots) != 0) | (np.diff(lines.homes) <= 0)
    for part in np.split(np.arange(len(lines)), np.flatnonzero(repeats) + 1) if len(lines) else []:
        members = None if lines.members is None else lines.members[part]
        yield Charge(int(lines.slots[part[0]]), lines.homes[part], lines.amounts[part], members)
