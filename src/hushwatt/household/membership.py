"""One plan that this home takes part in, slot after slot, and never one twice.

Every slot ends in one of three ways, and each is one transaction:

    closed   the readings were randomised; state, bytes and outbox are kept together
    silent   nothing was spent: paused, or a cap stood in the way
    lost     nobody knows: it counts as the most that could have been spent in it

A slot that begins to spend and does not end is found lost by whoever looks next.
"""

from dataclasses import dataclass, field, replace

import numpy as np

from hushwatt.household.ledger.home_ledger import HomeLedger, OverCap, SpendEntry
from hushwatt.household.ledger.plan_ledger import PlanLedger
from hushwatt.household.ledger.store import Store
from hushwatt.household.report.homes import Homes, enrol
from hushwatt.household.report.levels import Watts
from hushwatt.household.report.randomise import Randomiser, randomise
from hushwatt.household.report.report import SlotReports, levels_of, report
from hushwatt.household.report.serialise import dump_home, load_home, strategy_of
from hushwatt.plan.plan import Plan
from hushwatt.privacy.charge_lines import Members
from hushwatt.privacy.entropy import Source
from hushwatt.privacy.ledger import Ledger
from hushwatt.privacy.strategies import affordable

EXTEND_SILENCE = "UPDATE silences SET last = ? WHERE place = ? AND last = ? AND reason = ?"
NOT_RUNNING = "the agent was not running"
UNKNOWN_CLOCK = "the clock was wrong since the machine started"
MAX_LOST_ROWS = 1_000  # lost slots are written one by one up to this many, and in stretches beyond


@dataclass
class Membership:
    """A plan, its key in the store, and where the home is in it."""

    plan: Plan
    plan_key: int
    home_ledger: HomeLedger
    source: Source
    randomiser: Randomiser = randomise
    homes: Homes = field(init=False)

    def __post_init__(self) -> None:
        self.reload()

    @property
    def store(self) -> Store:
        return self.home_ledger.store

    @property
    def slot(self) -> int:
        """The next slot to end; it only goes up."""
        return self.homes.slot

    @property
    def ledger(self) -> PlanLedger:
        assert isinstance(self.homes.ledger, PlanLedger)
        return self.homes.ledger

    def reload(self) -> None:
        """Forget what is in memory, and believe the disk."""
        row = self.store.rows("SELECT slot, memory FROM plans WHERE place = ?", (self.plan_key,))[0]
        ledger = PlanLedger.load(self.plan, self.plan_key, self.home_ledger, row["slot"])
        homes = load_home(self.plan, row["slot"], row["memory"], ledger)
        self.homes = replace(homes, randomiser=self.randomiser)

    def report_slot(self, watts: Watts, due: int) -> None:
        """End the slot with a report of these mean watts, one for each appliance; sent when `due`."""
        slot = self.slot
        if not self.can_afford():
            self.skip_slots(slot, "a cap of the owner or of the plan stands in the way")
            return
        try:
            levels = levels_of(self.plan, slot, watts[None, :], self.source)
            sent = report(self.homes, slot, levels, self.source)
            self._commit_report(sent, due)
        except BaseException:
            self.reload()  # the slot has no bytes: whoever looks next counts it as lost
            raise

    def can_afford(self) -> bool:
        """Whether plan and owner leave room for the dearest that the next slot to end could cost."""
        return self.ledger.can_afford(self.slot, self._max_cost(), self._next_members())

    def lifetime_refusal(self) -> OverCap | None:
        """Why no lifetime cap leaves room for the dearest that the next slot to end could cost, if none does."""
        cost = self._max_cost()
        if not cost:
            return None
        entry = self.ledger.entry(self.slot, "publication", cost, self._next_members())
        return self.home_ledger.lifetime_refusal(entry)

    def skip_slots(self, last: int, reason: str) -> None:
        """End the slots up to `last` without a word; nothing is spent in them."""
        first = self.slot
        while self.slot <= last:
            self._advance(publish=False)
        self._commit_silence(first, last, reason, [])

    def charge_lost_slots(self, last: int, reason: str, unseen: int = 0) -> None:
        """Count the slots up to `last` as the most that could have been spent in them.

        So many as `unseen` may have been lived through by clocks that showed any time, beside the first,
        which had perhaps begun.  What they can have cost beyond the slots and the last window counts for
        as long as all of them lasted.
        """
        first, slots = self.slot, list[tuple[int, Members | None]]()
        largest = strategy_of(self.homes).probe + strategy_of(self.homes).largest
        while self.slot <= last:
            slots.append((self._max_cost(), self._next_members()))
            self._advance(publish=self.slot == last)
        epsilon = affordable(self.plan)
        counted = worst_case_spends([most for most, _ in slots], self.plan.window, epsilon)
        paid = self.ledger.spent_in(first)  # by a draw that did not come to its end
        entries = [
            self.ledger.entry(slot, "lost", amount - paid * (slot == first), members)
            for slot, amount, (_, members) in zip(range(first, last + 1), counted, slots, strict=True)
            if amount > paid * (slot == first)
        ]
        entries = merge_old_entries(entries, self.plan.window)
        if slots and (missing := shortfall(counted[1:], unseen, largest, epsilon)):
            entries.append(self.ledger.entry(last, "lost", missing, None))
            counted.append(missing)
        whole = min(-(-unseen // self.plan.window) * epsilon, unseen * largest)  # of all that ran unseen
        if slots and (earlier := whole - sum(counted[1:])) > 0:
            end = self.ledger.entry(last, "lost", 0, None).end
            entries.append(replace(self.ledger.entry(first, "lost", earlier, None), end=end))
        self._commit_silence(first, last, reason, entries, unseen)
        if entries:
            self.reload()

    def _max_cost(self) -> int:
        state = strategy_of(self.homes)
        return state.probe + state.offer()

    def _next_members(self) -> Members | None:
        """The appliances that a draw in this slot would ask."""
        if not strategy_of(self.homes).offer():
            return None
        return self.homes.next_members(np.zeros(1, dtype=np.intp))

    def _advance(self, publish: bool) -> None:
        """Pass a slot without a report; turns and orders move on as if there had been one."""
        self.homes.forget_older_turn()
        self.homes.strategies = self.homes.strategies.after(np.array([publish]))
        self.homes.slot += 1

    def _commit_report(self, sent: SlotReports, due: int) -> None:
        """State, bytes and outbox in one transaction."""
        with self.store.transaction() as disk:
            if len(sent.homes):
                row = (self.plan_key, sent.slot, int(sent.spent[0]), int(sent.drawn[0]))
                disk.execute(
                    "INSERT INTO reports (place, slot, spent, drawn, payload, due) VALUES (?, ?, ?, ?, ?, ?)",
                    (*row, sent.payloads[0].tobytes(), due),
                )
            self._save()

    def _commit_silence(
        self, first: int, last: int, reason: str, entries: list[SpendEntry], lost: int | None = None
    ) -> None:
        """Slots without a report; of `lost` ones, the spends that may have been, and how many more ran unseen."""
        if first > last:
            return
        totals = self.home_ledger.totals
        try:
            with self.store.transaction() as disk:
                counted = lost is not None and totals.add_windows(self.plan_key, first, last, lost)
                self.home_ledger.record(entries, counted)
                disk.execute(EXTEND_SILENCE, (last, self.plan_key, first - 1, reason))
                if not disk.changes():
                    disk.execute("INSERT INTO silences VALUES (?, ?, ?, ?)", (self.plan_key, first, last, reason))
                self._save()
        except BaseException:
            self.reload()
            raise

    def _save(self) -> None:
        self.store.disk.execute(
            "UPDATE plans SET slot = ?, memory = ? WHERE place = ?", (self.slot, dump_home(self.homes), self.plan_key)
        )
        self.home_ledger.monotonic.write(self.store.disk)


def first_memory(plan: Plan, slot: int, source: Source) -> tuple[int, str]:
    """The first slot and the memory of a home that is new to a plan."""
    return slot, dump_home(enrol(plan, 1, slot, source))


def worst_case_spends(most: list[int], window: int, epsilon: int) -> list[int]:
    """The most that could have been spent in these slots, as late as can be, and ε in any window.

    Whatever was really spent in the last of them, however many, this is at least as much: backwards,
    each sum is the smaller of what its slot adds to the one before and ε more than a window before.

    >>> worst_case_spends([10, 10, 10, 2], window=2, epsilon=12)
    [10, 2, 10, 2]
    """
    counted, total = list[int](), 0
    for amount in reversed(most):
        total -= counted[-window] if len(counted) >= window else 0
        counted.append(min(amount, epsilon - total))
        total += counted[-1]
    return counted[::-1]


def shortfall(counted: list[int], lived: int, largest: int, epsilon: int) -> int:
    """What is missing in the last slots if as many as `lived` could have spent `largest` each.

    >>> shortfall([0, 4, 0], lived=2, largest=4, epsilon=4), shortfall([1, 1], lived=2, largest=1, epsilon=4)
    (4, 0)
    """
    total = missing = 0
    for slots in range(1, min(lived, -(-epsilon // largest)) + 1):
        total += counted[-slots] if slots <= len(counted) else 0
        missing = max(missing, min(epsilon, slots * largest) - total)
    return missing


def with_turn(plan: Plan, slot: int, memory: str, turn: int | None, order: Members) -> str:
    """The memory of a home before `slot`, with another turn and order; what it spent stays in the ledger."""
    homes = load_home(plan, slot, memory, Ledger.of(plan, 1))
    homes.take_place(turn, order)
    return dump_home(homes)


def merge_old_entries(entries: list[SpendEntry], window: int) -> list[SpendEntry]:
    """The same spends in fewer rows: old neighbours become one that lasts as long as all of them.

    Such a row touches more intervals than its slots did, so it only ever counts for more.
    """
    old, recent = entries[: -max(window, MAX_LOST_ROWS)], entries[-max(window, MAX_LOST_ROWS) :]
    step = -(-len(old) // MAX_LOST_ROWS) or 1
    groups = [old[start : start + step] for start in range(0, len(old), step)]
    joined = [
        replace(each[-1], start=each[0].start, amount=sum(e.amount for e in each), members=None) for each in groups
    ]
    return joined + recent
