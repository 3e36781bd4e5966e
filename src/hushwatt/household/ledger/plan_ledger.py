"""The plan's ledger with the home ledger behind it: charging it writes to disk.

`report` charges a ledger before it draws.  Given this one, what it charged is on the
disk, and under the owner's caps, before the first random bit is asked for.
"""

from copy import copy

import numpy as np

from hushwatt.errors import OverBudget
from hushwatt.household.clock import SECOND
from hushwatt.household.ledger.demand import window_length
from hushwatt.household.ledger.home_ledger import HomeLedger, SpendEntry
from hushwatt.household.ledger.monotonic_clock import TOLERANCE, MonotonicClock, SqlCondition
from hushwatt.plan.plan import Plan
from hushwatt.plan.times import nanoseconds
from hushwatt.privacy.ledger import Amounts, Charge, Ledger, Members

ONLY_HOME = np.zeros(1, dtype=np.int32)  # the only home there is


class PlanLedger(Ledger):
    """What a lone home spent under one plan; every charge is kept on disk first."""

    plan: Plan
    plan_key: int
    home_ledger: HomeLedger

    @classmethod
    def load(cls, plan: Plan, plan_key: int, home_ledger: HomeLedger, slot: int) -> "PlanLedger":
        """The ledger as the home ledger has it, for a home that is at `slot`."""
        first = Ledger.of(plan, homes=1)
        ledger = cls(1, first.epsilon, first.window, first.appliances, first.appliance_total)
        ledger.plan, ledger.plan_key, ledger.home_ledger = plan, plan_key, home_ledger
        rows = home_ledger.store.disk.execute(
            "SELECT slot, amount, members FROM spends WHERE place = ? AND slot > ? ORDER BY slot, rowid",
            (plan_key, slot - plan.window),
        )
        ledger.charges = [_charge(*row) for row in rows]
        return ledger

    def charge(self, slot: int, amounts: Amounts, members: Members | None = None) -> None:
        """Check the plan's window and the owner's caps, write to disk, and only then return."""
        super().charge(slot, amounts, members)
        amount = int(amounts.sum())
        if amount:  # where the home decides, the slot's first charge, now in memory, is the probe's
            probing = self.plan.decision == "household" and sum(each.slot == slot for each in self.charges) == 1
            self.home_ledger.charge(self.entry(slot, "probe" if probing else "publication", amount, members))

    def entry(self, slot: int, purpose: str, amount: int, members: Members | None) -> SpendEntry:
        """A spend of this plan, stamped with its slot's time."""
        start, end = (nanoseconds(self.plan.calendar.start_of(each)) for each in (slot, slot + 1))
        named = None if members is None else np.asarray(members[0], dtype="<u2").tobytes()
        monotonic = self.home_ledger.monotonic
        if monotonic.sample is not None:
            start = min(start, monotonic.sample.wall)  # of a slot ahead, which counts from now on
        return SpendEntry(self.plan_key, slot, purpose, start, end, amount, named, *monotonic.stamp(end))

    def recent(self, slot: int) -> list[Charge]:
        """The charges that share a window with `slot`, or would, had the clock not been moved."""
        moved, values = spends_before_window(self.plan, self.home_ledger.monotonic, slot)
        rows = self.home_ledger.store.rows(
            "SELECT max(slot) AS slot, sum(amount) AS amount, members FROM spends "
            f"WHERE place = ? AND {moved} GROUP BY members ORDER BY slot",
            (self.plan_key, *values),
        )
        return [*(_charge(**row) for row in rows), *super().recent(slot)]

    def can_afford(self, slot: int, amount: int, members: Members | None) -> bool:
        """Whether a charge would be accepted by the plan's window and by the owner's caps."""
        if not amount:
            return True
        trial = copy(self)  # its charges are replaced by `charge`, never changed
        try:
            Ledger.charge(trial, slot, np.array([amount]), members)
        except OverBudget:
            return False
        entry = self.entry(slot, "publication", amount, members)
        return self.home_ledger.objection_to(entry) is None

    def spent_in(self, slot: int) -> int:
        """What is charged in one slot."""
        return sum(int(charge.amounts.sum()) for charge in self.charges if charge.slot == slot)


def spends_before_window(plan: Plan, monotonic: MonotonicClock, slot: int) -> SqlCondition:
    """Spends of slots before the window that ends with `slot`, not shown to be that old."""
    first = slot - plan.window + 1
    if first <= 0:
        return "0", ()
    begins = nanoseconds(plan.calendar.start_of(first))
    moved, values = monotonic.since(begins, window_length(plan), clock_tolerance(plan))
    return f"(slot < ? AND {moved})", (first, *values)


def clock_tolerance(plan: Plan) -> int:
    """By how much a slot's beginning may be off: two looks at the clocks never agree to the nanosecond."""
    return min(TOLERANCE, plan.slot.seconds * SECOND // 60)


def _charge(slot: int, amount: int, members: bytes | None) -> Charge:
    named = None if members is None else np.frombuffer(members, dtype="<u2")[None, :]
    return Charge(slot, ONLY_HOME, np.array([amount]), named)
