"""The plan's ledger with the home ledger behind it: charging it writes to disk.

`report` charges a ledger before it draws.  Given this one, what it charged is on the
disk, and under the owner's caps, before the first random bit is asked for.
"""

from datetime import timedelta

import numpy as np

from hushwatt.errors import OverBudget
from hushwatt.household.clock import SECOND
from hushwatt.household.ledger.demand import window_length
from hushwatt.household.ledger.home_ledger import HomeLedger, SpendEntry
from hushwatt.household.ledger.monotonic_clock import TOLERANCE, MonotonicClock, SqlCondition
from hushwatt.household.ledger.store import Store
from hushwatt.plan.plan import Plan
from hushwatt.plan.times import local_day, midnight, nanoseconds, zone
from hushwatt.privacy.charge_lines import Amounts, Members
from hushwatt.privacy.charge_log import Charge, ChargeLog
from hushwatt.privacy.ledger import Ledger
from hushwatt.privacy.successor import same_clock

ONLY_HOME = np.zeros(1, dtype=np.int32)  # the only home there is
LONG_AGO = -(1 << 40)  # the slot of charges of other plans: they are looked up anew each time


class PlanLedger(Ledger):
    """What a lone home spent under one plan; every charge is kept on disk first."""

    plan: Plan
    plan_key: int
    home_ledger: HomeLedger
    predecessors: tuple[tuple[int, Plan], ...]  # the plans that it takes the place of, and their keys in the store

    @classmethod
    def load(cls, plan: Plan, plan_key: int, home_ledger: HomeLedger, slot: int) -> "PlanLedger":
        """The ledger as the home ledger has it, for a home that is at `slot`."""
        first = Ledger.of(plan, homes=1)
        ledger = cls(1, first.epsilon, first.window, first.appliances, first.appliance_total)
        ledger.plan, ledger.plan_key, ledger.home_ledger = plan, plan_key, home_ledger
        ledger.predecessors = predecessors(plan, home_ledger)
        rows = home_ledger.store.disk.execute(
            "SELECT slot, amount, members FROM spends WHERE place = ? AND slot > ? ORDER BY slot, rowid",
            (plan_key, slot - plan.window),
        )
        ledger.log = ChargeLog.of(1, (ledger.as_kept(_charge(*row)) for row in rows))
        return ledger

    def charge(self, slot: int, amounts: Amounts, members: Members | None = None) -> None:
        """Check the plan's window and the owner's caps, write to disk, and only then return."""
        super().charge(slot, amounts, members)
        amount = int(amounts.sum())
        if amount:  # where the home decides, the slot's first charge, now in memory, is the probe's
            probing = self.plan.decision == "household" and len(self.log.in_slot(slot)) == 1
            self.home_ledger.charge(self.entry(slot, "probe" if probing else "publication", amount, members))

    def entry(self, slot: int, purpose: str, amount: int, members: Members | None) -> SpendEntry:
        """A spend of this plan, stamped with its slot's time."""
        start, end = (nanoseconds(self.plan.calendar.start_of(each)) for each in (slot, slot + 1))
        named = None if members is None else np.asarray(members[0], dtype="<u2").tobytes()
        monotonic = self.home_ledger.monotonic
        if monotonic.sample is not None:
            start = min(start, monotonic.sample.wall)  # of a slot ahead, which counts from now on
        return SpendEntry(self.plan_key, slot, purpose, start, end, amount, named, *monotonic.stamp(end))

    def older(self, slot: int) -> list[Charge]:
        """What replaced plans, and slots before the window, spent that counts in it: clocks may have been moved."""
        moved, values = spends_before_window(self.plan, self.home_ledger.monotonic, slot)
        rows = self.home_ledger.store.rows(
            "SELECT max(slot) AS slot, sum(amount) AS amount, members FROM spends "
            f"WHERE place = ? AND {moved} GROUP BY members ORDER BY slot",
            (self.plan_key, *values),
        )
        replaced = [charge for each in self.predecessors for charge in self._replaced(slot, *each)]
        return [*replaced, *(_charge(**row) for row in rows)]

    def _replaced(self, slot: int, plan_key: int, old: Plan) -> list[Charge]:
        """What was spent under a plan that this one takes the place of, in or not shown to be before the window.

        A slot longer than the old ones may begin anywhere among them, so that one more is looked at.
        """
        begins = window_start(self.plan, slot, extra=not divides(self.plan, old))
        monotonic, length = self.home_ledger.monotonic, window_length(self.plan)
        moved, values = monotonic.since(begins, length, clock_tolerance(self.plan))
        rows = self.home_ledger.store.rows(
            f"SELECT amount, members FROM spends WHERE place = ? AND (end > ? OR {moved})", (plan_key, begins, *values)
        )
        return [self._translated(old, **row) for row in rows]

    def _translated(self, old: Plan, amount: int, members: bytes | None) -> Charge:
        """A charge of another plan in the terms of this one: its appliances by name, their parts no smaller."""
        asked = np.arange(len(old.appliances)) if members is None else np.frombuffer(members, dtype="<u2")
        places = {name: place for place, name in enumerate(self.plan.names)}
        named = [places[old.names[each]] for each in asked if old.names[each] in places]
        if self.appliance_total is not None:
            amount = max(amount, -(-amount * self.plan.appliances_per_report // old.appliances_per_report))
        return Charge(LONG_AGO, ONLY_HOME, np.array([amount]), np.array([named], dtype="<u2"))

    def can_afford(self, slot: int, amount: int, members: Members | None) -> bool:
        """Whether a charge would be accepted by the plan's window and by the owner's caps."""
        if not amount:
            return True
        try:
            self.check(self.as_kept(Charge(slot, ONLY_HOME, np.array([amount]), members)))
        except OverBudget:
            return False
        entry = self.entry(slot, "publication", amount, members)
        return self.home_ledger.objection_to(entry) is None

    def spent_in(self, slot: int) -> int:
        """What is charged in one slot."""
        return sum(int(charge.amounts.sum()) for charge in self.log.in_slot(slot))


def spends_before_window(plan: Plan, monotonic: MonotonicClock, slot: int) -> SqlCondition:
    """Spends of slots before the window that ends with `slot`, not shown to be that old."""
    first = slot - plan.window + 1
    if first <= 0:
        return "0", ()
    begins = nanoseconds(plan.calendar.start_of(first))
    moved, values = monotonic.since(begins, window_length(plan), clock_tolerance(plan))
    return f"(slot < ? AND {moved})", (first, *values)


def predecessors(plan: Plan, home_ledger: HomeLedger) -> tuple[tuple[int, Plan], ...]:
    """The plans of this home that a plan takes the place of; what was spent there still counts.

    Those are the plans that it replaces, one after the other, those that replace it, as the home may have come
    back from them, and those that its provider gave the same name.
    """
    store = home_ledger.store
    rows = store.rows(
        "SELECT place, canonical, provider IS (SELECT provider FROM plans WHERE plan = ?) AS near FROM plans "
        "WHERE plan != ? ORDER BY place",
        (plan.id, plan.id),
    )
    others, before = [(row, Plan.parse(row["canonical"])) for row in rows], chain(plan, store)
    return tuple(
        (row["place"], other)
        for row, other in others
        if other in before or plan in chain(other, store) or (row["near"] and other.name == plan.name)
    )


def chain(plan: Plan, store: Store) -> list[Plan]:
    """The plans of this home that a plan replaces, one after the other."""
    found: list[Plan] = []
    while plan.replaces is not None:  # an id is a hash of what it names, so there is no circle
        canonical = store.value("SELECT canonical FROM plans WHERE plan = ?", (plan.replaces,))
        if canonical is None:
            break
        plan = Plan.parse(canonical)
        found.append(plan)
    return found


def window_start(plan: Plan, slot: int, extra: bool) -> int:
    """When the window that ends with a slot begins, if need be before the plan does; or a slot earlier."""
    begins, slots = plan.calendar.start_of(slot), plan.window - 1 + extra
    if plan.slot.unit != "d":
        return nanoseconds(begins) - slots * plan.slot.seconds * SECOND
    where = zone(plan.timezone)
    return nanoseconds(midnight(local_day(begins, where) - timedelta(days=slots * plan.slot.count), where))


def divides(new: Plan, old: Plan) -> bool:
    """Whether slots of one plan are never longer than those of another."""
    return new.slot.seconds <= old.slot.seconds and same_clock(old, new)


def clock_tolerance(plan: Plan) -> int:
    """By how much a slot's beginning may be off: two looks at the clocks never agree to the nanosecond."""
    return min(TOLERANCE, plan.slot.seconds * SECOND // 60)


def _charge(slot: int, amount: int, members: bytes | None) -> Charge:
    named = None if members is None else np.frombuffer(members, dtype="<u2")[None, :]
    return Charge(slot, ONLY_HOME, np.array([amount]), named)
