"""The home's one ledger: every spend of every plan, on disk before anything is drawn.

It is a third opinion.  A plan's strategy offers, the plan's ledger checks the plan's
window, and this ledger checks the owner's caps over all plans together.  What is in it
is never given back.
"""

from collections.abc import Iterable
from dataclasses import astuple, dataclass

from hushwatt.errors import HushwattError, StateError
from hushwatt.household.ledger.appliance_spends import ApplianceSpends
from hushwatt.household.ledger.caps import DAY, Caps, IntervalCap
from hushwatt.household.ledger.monotonic_clock import MonotonicClock
from hushwatt.household.ledger.store import Store
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

    def __init__(self, asked: int, limit: IntervalCap, appliance: str | None = None) -> None:
        self.asked, self.limit, self.appliance = asked, limit, appliance
        about = "" if appliance is None else f" on one appliance, here {shown(appliance)},"
        super().__init__(
            f"cannot spend ε {plain(asked)} now: the owner's cap{about} is ε {plain(limit.amount)} in any "
            f"{limit.words}, over all plans"
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

    def objection_to(self, entry: SpendEntry) -> OverCap | None:
        """Why a spend is not allowed, if it is not: for the home, or for one appliance."""
        return self.refusal(entry.start, entry.end, entry.amount) or self._appliance_refusal(entry)

    def refusal(self, start: int, end: int, amount: int) -> OverCap | None:
        """Why the home as a whole may not spend this much in [start, end), if it may not."""
        for limit in self.caps.limits:
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
            self.monotonic.write(disk)

    def record(self, entries: Iterable[SpendEntry]) -> None:
        """Write down what may have been spent, whatever the caps say; part of a running change."""
        self.store.disk.executemany(INSERT_SQL, (entry.row for entry in entries if entry.amount > 0))

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
        """Everything this home ever spent, or may have spent."""
        return self.store.value("SELECT coalesce(sum(amount), 0) FROM spends") or 0

    def _dearest(self, spend: Spend, length: int) -> int:
        near = [Spend(*row[2:]) for row in self.appliances.near(spend.start - length, length)]
        return dearest_with(spend, near, length)

    def _appliance_refusal(self, entry: SpendEntry) -> OverCap | None:
        """Every interval of the stretch's length, for each appliance that the spend speaks of."""
        limit = self.caps.appliance_limit(self.appliances.cap_interval(entry.start))
        row = (entry.plan_key, entry.members, entry.start, entry.end, entry.amount)
        beyond = self.appliances.dearest(row, limit.length, limit.amount)
        return None if beyond is None else OverCap(entry.amount, limit, beyond[0])
