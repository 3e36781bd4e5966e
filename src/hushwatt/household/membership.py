"""One plan that this home takes part in, slot after slot, and never one twice.

Every slot ends in one of three ways, and each is one transaction:

    closed   the readings were randomised; state, bytes and outbox are kept together
    silent   nothing was spent: paused, or a cap stood in the way
    lost     nobody knows: it counts as the most that could have been spent in it

A slot that begins to spend and does not end is found lost by whoever looks next.
"""

from dataclasses import dataclass, field

import numpy as np

from hushwatt.household.book import Book, Entry
from hushwatt.household.charges import KeptLedger
from hushwatt.household.homes import Homes, enrol
from hushwatt.household.levels import Watts
from hushwatt.household.memory import from_text, strategy_of, to_text
from hushwatt.household.report import Sent, levels_of, report
from hushwatt.household.store import Store
from hushwatt.plan.plan import Plan
from hushwatt.privacy.entropy import Source
from hushwatt.privacy.ledger import Ledger, Members
from hushwatt.privacy.strategies import affordable

LONGER = "UPDATE silences SET last = ? WHERE place = ? AND last = ? AND reason = ?"
ROWS = 1_000  # lost slots are written one by one up to this many, and in stretches beyond


@dataclass
class Membership:
    """A plan, its place in the store, and where the home is in it."""

    plan: Plan
    place: int
    book: Book
    source: Source
    homes: Homes = field(init=False)

    def __post_init__(self) -> None:
        self.reload()

    @property
    def store(self) -> Store:
        return self.book.store

    @property
    def slot(self) -> int:
        """The next slot to end; it only goes up."""
        return self.homes.slot

    @property
    def ledger(self) -> KeptLedger:
        assert isinstance(self.homes.ledger, KeptLedger)
        return self.homes.ledger

    def reload(self) -> None:
        """Forget what is in memory, and believe the disk."""
        row = self.store.rows("SELECT slot, memory FROM plans WHERE place = ?", (self.place,))[0]
        ledger = KeptLedger.kept(self.plan, self.place, self.book, row["slot"])
        self.homes = from_text(self.plan, row["slot"], row["memory"], ledger)

    def close(self, watts: Watts, due: int) -> None:
        """End the slot with a report of these mean watts, one for each appliance; sent when `due`."""
        slot = self.slot
        if not self.ledger.affords(slot, self._most(), self._peek()):
            self.silent(slot, "a cap of the owner or of the plan stands in the way")
            return
        try:
            levels = levels_of(self.plan, slot, watts[None, :], self.source)
            sent = report(self.homes, slot, levels, self.source)
            self._keep(sent, due)
        except BaseException:
            self.reload()  # the slot has no bytes: whoever looks next counts it as lost
            raise

    def silent(self, last: int, reason: str) -> None:
        """End the slots up to `last` without a word; nothing is spent in them."""
        first = self.slot
        while self.slot <= last:
            self._move_on(publish=False)
        self._write(first, last, reason, [])

    def lost(self, last: int, reason: str, everything: bool = False) -> None:
        """Count the slots up to `last` as the most that could have been spent in each.

        With `everything` the last one counts as a whole window, so that the next w − 1 are silent.
        """
        first, entries = self.slot, list[Entry]()
        while self.slot <= last:
            ending = self.slot == last
            whole = everything and ending
            members = None if whole else self._peek()
            most = affordable(self.plan) if whole else self._most()
            rest = max(0, most - self.ledger.spent_in(self.slot))
            self.ledger.remember(self.slot, rest, members)
            if rest:
                entries.append(self.ledger.entry(self.slot, "lost", rest, members))
            self._move_on(publish=ending)
        self._write(first, last, reason, stretches(entries, self.plan.window))

    def _most(self) -> int:
        state = strategy_of(self.homes)
        return state.probe + state.offer()

    def _peek(self) -> Members | None:
        """The appliances that a draw in this slot would ask."""
        if not strategy_of(self.homes).offer():
            return None
        return self.homes.next_members(np.zeros(1, dtype=np.intp))

    def _move_on(self, publish: bool) -> None:
        """Pass a slot without a report; turns and orders move on as if there had been one."""
        self.homes.forget_older_turn()
        self.homes.strategies = self.homes.strategies.after(np.array([publish]))
        self.homes.slot += 1

    def _keep(self, sent: Sent, due: int) -> None:
        """State, bytes and outbox in one transaction."""
        with self.store.change() as disk:
            if len(sent.homes):
                row = (self.place, sent.slot, int(sent.spent[0]), int(sent.drawn[0]))
                disk.execute(
                    "INSERT INTO reports (place, slot, spent, drawn, payload, due) VALUES (?, ?, ?, ?, ?, ?)",
                    (*row, sent.payloads[0].tobytes(), due),
                )
            self._save()

    def _write(self, first: int, last: int, reason: str, entries: list[Entry]) -> None:
        if first > last:
            return
        try:
            with self.store.change() as disk:
                self.book.count(entries)
                disk.execute(LONGER, (last, self.place, first - 1, reason))
                if not disk.changes():
                    disk.execute(
                        "INSERT INTO silences VALUES (?, ?, ?, ?)", (self.place, first, last, reason)
                    )
                self._save()
        except BaseException:
            self.reload()
            raise

    def _save(self) -> None:
        self.store.disk.execute(
            "UPDATE plans SET slot = ?, memory = ? WHERE place = ?",
            (self.slot, to_text(self.homes), self.place),
        )


def begin(plan: Plan, slot: int, source: Source) -> tuple[int, str]:
    """The first slot and the memory of a home that is new to a plan."""
    homes = enrol(plan, 1, slot, source)
    return slot, to_text(homes)


def placed(plan: Plan, slot: int, memory: str, turn: int | None, order: Members) -> str:
    """The memory of a home before `slot`, with another turn and order; what it spent stays in the book."""
    homes = from_text(plan, slot, memory, Ledger.of(plan, 1))
    homes.take_place(turn, order)
    return to_text(homes)


def stretches(entries: list[Entry], window: int) -> list[Entry]:
    """The same spends in fewer rows: old neighbours become one that lasts as long as all of them.

    Such a row touches more intervals than its slots did, so it only ever counts for more.
    """
    old, recent = entries[: -max(window, ROWS)], entries[-max(window, ROWS) :]
    step = -(-len(old) // ROWS) or 1
    groups = [old[start : start + step] for start in range(0, len(old), step)]
    joined = [
        Entry(each[0].place, each[-1].slot, "lost", each[0].start, each[-1].end, sum(e.amount for e in each))
        for each in groups
    ]
    return joined + recent
