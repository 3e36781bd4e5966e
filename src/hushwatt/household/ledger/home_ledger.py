"""The home's one ledger: every spend of every plan, on disk before anything is drawn.

It is a third opinion.  A plan's strategy offers, the plan's ledger checks the plan's
window, and this ledger checks the owner's caps over all plans together.  What is in it
is never given back.
"""

from collections.abc import Iterable
from dataclasses import astuple, dataclass

from hushwatt.errors import HushwattError, StateError
from hushwatt.household.ledger.appliance_spends import ApplianceSpends
from hushwatt.household.ledger.caps import DAY, Caps, IntervalCap, LifetimeCap
from hushwatt.household.ledger.lifetime import LifetimeTotals
from hushwatt.household.ledger.monotonic_clock import MonotonicClock
from hushwatt.household.ledger.store import DEFAULTS, Store
from hushwatt.plan.amounts import plain
from hushwatt.plan.shown import shown
from hushwatt.privacy.ledger import Spend, dearest_with

OLD_SPENDS = "place = ? AND slot < ? AND end < ? AND purpose != 'earlier'"
MERGE_SQL = (
    "INSERT INTO spends SELECT place, max(slot), 'earlier', min(start), max(end), sum(amount), members, "
    "max(running), max(boots) "
    f"FROM spends WHERE {OLD_SPENDS} GROUP BY start / ?, members"
)
INSERT_SQL = "INSERT INTO spends VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"


class OverCap(HushwattError):
    """A spend would break a cap that the home's owner set."""

    def __init__(self, asked: int, limit: IntervalCap | LifetimeCap, appliance: str | None = None) -> None:
        self.asked, self.limit, self.appliance = asked, limit, appliance
        about = "" if appliance is None else f" on one appliance, here {shown(appliance)},"
        super().__init__(
            f"cannot spend ε {plain(asked)} now: the owner's cap{about} is ε {plain(limit.amount)} {limit.when}, "
            "over all plans"
        )


@dataclass(frozen=True)
class SpendEntry:
    """One spend of one plan, stamped with the time of its slot [start, end)."""

    plan_key: int  # of the plan
    slot: int
    purpose: str  # probe, publication, lost (counted though perhaps never spent), or earlier (a day of them)
    start: int
    end: int
    amount: int
    members: bytes | None = None  # which appliances, when not all were asked
    running: int | None = None  # at its slot's end, when that was known
    boots: int | None = None  # how many there had been

    @property
    def row(self) -> tuple[int | str | bytes | None, ...]:
        return astuple(self)


class HomeLedger:
    """All spends of a home, under its owner's caps."""

    def __init__(self, store: Store, caps: Caps, monotonic: MonotonicClock | None = None) -> None:
        self.store, self.caps = store, caps
        self.monotonic = monotonic or MonotonicClock(store)
        self.appliances = ApplianceSpends(store, self.monotonic)
        self.totals = LifetimeTotals(store, self.appliances.reach)

    def caps_for(self, plan_key: int) -> Caps:
        """The caps that bind the spends of a plan: those that hold now, or those that held when it was joined."""
        return self.caps.as_agreed_before() if self.agreed_before(plan_key) else self.caps

    def agreed_before(self, plan_key: int) -> bool:
        """Whether a plan was joined before there were caps on a lifetime."""
        defaults = self.store.value("SELECT defaults FROM plans WHERE place = ?", (plan_key,))
        return defaults is not None and defaults < DEFAULTS

    def objection_to(self, entry: SpendEntry) -> OverCap | None:
        """Why a spend is not allowed, if it is not: for the home, or for one appliance; for ever, or for now."""
        caps = self.caps_for(entry.plan_key)
        return (
            self.lifetime_refusal(entry)
            or self.refusal(entry.start, entry.end, entry.amount, caps)
            or self._appliance_refusal(entry, caps)
        )

    def lifetime_refusal(self, entry: SpendEntry) -> OverCap | None:
        """Why a spend is not allowed for ever, if it is not."""
        cost = self.totals.cost(entry.plan_key, entry.slot, entry.amount)
        beyond = self.totals.refusal(self.caps_for(entry.plan_key), entry.plan_key, entry.members, cost)
        return None if beyond is None else OverCap(entry.amount, *beyond)

    def refusal(self, start: int, end: int, amount: int, caps: Caps | None = None) -> OverCap | None:
        """Why the home as a whole may not spend this much in [start, end), if it may not."""
        for limit in (caps or self.caps).limits:
            if amount + self.spent_since(start - limit.length, limit.length) <= limit.amount:
                continue  # even all that touches the widest interval together is below the cap
            if self._dearest(Spend(start, end, amount), limit.length) > limit.amount:
                return OverCap(amount, limit)
        return None

    def charge(self, entry: SpendEntry) -> None:
        """Write one spend down, on disk when this returns, or refuse it."""
        if entry.amount < 0:
            raise StateError("a spend below zero: what is in the ledger is never given back")
        with self.store.transaction() as disk:
            if refused := self.objection_to(entry):
                raise refused
            disk.execute(INSERT_SQL, entry.row)
            self.totals.add(entry.plan_key, entry.slot, entry.members, entry.amount)
            self.monotonic.write(disk)

    def record(self, entries: Iterable[SpendEntry], counted: bool = False) -> None:
        """Write down what may have been spent, whatever the caps say; part of a running change.

        What is `counted` for the home's lifetime already is not counted again.
        """
        rows = [entry for entry in entries if entry.amount > 0]
        self.store.disk.executemany(INSERT_SQL, (entry.row for entry in rows))
        for entry in rows if not counted else ():
            self.totals.add_amount(entry.plan_key, entry.members, entry.amount)

    def compact(self, plan_key: int, slot: int, moment: int) -> None:
        """Write old spends of a plan, before a slot and a moment, as one row a day.

        Such a row lasts from the first to the last of its slots, so it only ever counts for more.
        """
        values = (plan_key, slot, moment)
        with self.store.transaction() as disk:
            disk.execute(MERGE_SQL, (*values, DAY))
            disk.execute(f"DELETE FROM spends WHERE {OLD_SPENDS}", values)

    def spent_since(self, moment: int, length: int) -> int:
        """What all slots that are not shown to have ended by a moment spent, for a cap on any `length`."""
        after, values = self.appliances.after(moment, length)
        return self.store.value(f"SELECT coalesce(sum(amount), 0) FROM spends WHERE {after}", values) or 0

    @property
    def lifetime(self) -> int:
        """Everything this home ever spent, or may have spent, as it counts for its lifetime."""
        return self.totals.spent.home

    def _dearest(self, spend: Spend, length: int) -> int:
        near = [Spend(*row[2:]) for row in self.appliances.near(spend.start - length, length)]
        return dearest_with(spend, near, length)

    def _appliance_refusal(self, entry: SpendEntry, caps: Caps) -> OverCap | None:
        """Every interval of each cap's length, for each appliance that the spend speaks of."""
        row = (entry.plan_key, entry.members, entry.start, entry.end, entry.amount)
        for limit in caps.appliance_limits(self.appliances.cap_interval(entry.start)):
            if beyond := self.appliances.dearest(row, limit.length, limit.amount):
                return OverCap(entry.amount, limit, beyond[0])
        return None
