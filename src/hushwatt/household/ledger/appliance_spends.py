"""What of the home's spends reaches each appliance, over all plans together.

A spend gives each of the s appliances that it speaks of 1/s of it.  Appliances of the same
name are one appliance, whichever plans ask about it.  Sums are exact: amounts are counted in
parts of a millionth that every s divides.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from math import lcm
from typing import Any

import numpy as np

from hushwatt.household.ledger.caps import DAY
from hushwatt.household.ledger.demand import window_length
from hushwatt.household.ledger.monotonic_clock import MonotonicClock, SqlCondition
from hushwatt.household.ledger.store import Store
from hushwatt.plan.plan import Plan
from hushwatt.plan.times import nanoseconds
from hushwatt.privacy.ledger import Spend, dearest_with

SpendRow = tuple[int, bytes | None, int, int, int]  # plan key, members, start, end, amount
SELECT_SPENDS = "SELECT place, members, start, end, running, boots, amount FROM spends WHERE"


@dataclass(frozen=True)
class SpendReach:
    """Whom the spends of one plan reach."""

    plan: Plan | None  # None: nobody knows, so a spend may be about any appliance, and about it alone

    @property
    def share(self) -> int:
        """s: a spend gives each of its appliances 1/s."""
        return 1 if self.plan is None else self.plan.appliances_per_report

    def names(self, members: bytes | None) -> set[str] | None:
        """The appliances that a spend speaks of: its members, or all of the plan; None: any."""
        if self.plan is None:
            return None
        if members is None:
            return set(self.plan.names)
        return {self.plan.names[number] for number in np.frombuffer(members, dtype="<u2")}


@dataclass
class ApplianceSpends:
    """The home's spends, seen from its appliances."""

    store: Store
    monotonic: MonotonicClock
    _asked: dict[int, SpendReach] = field(default_factory=dict)

    def cap_interval(self, start: int) -> int:
        """How long the cap on one appliance looks for a slot that begins at `start`, in nanoseconds.

        As long as the longest window of the home's plans, and a day at least.  A plan that
        is left or over counts until its last window is.
        """
        rows = self.store.rows("SELECT place, left IS NULL AS here FROM plans")
        lengths = [(row, window_length(plan)) for row in rows if (plan := self._of(row["place"]).plan)]
        longer = ((row, length) for row, length in lengths if length > DAY)
        return max([DAY, *(length for row, length in longer if self._counts(row, start, length))])

    def reach(self, plan_key: int) -> SpendReach:
        """Whom the spends of a plan reach."""
        return self._of(plan_key)

    def dearest(self, spend: SpendRow, length: int, most: int) -> tuple[str, Fraction] | None:
        """An appliance that has more than `most` in an interval that `spend` touches, and how much."""
        plan_key, members, start, *_ = spend
        if self._largest(spend, length) <= most:
            return None  # even all that touches such an interval is not too much for any of its appliances
        near = [spend, *self.near(start - length, length)]
        parts = lcm(*(self._of(row[0]).share for row in near))
        spoken = [self._of(row[0]).names(row[1]) for row in near]
        names = self._of(plan_key).names(members)
        if names is None:  # it may be about any
            names = {""}.union(*(named or () for named in spoken))
        for name in sorted(names):
            reached = (row for row, named in zip(near, spoken, strict=True) if named is None or name in named)
            mine, *others = (Spend(row[2], row[3], row[4] * parts // self._of(row[0]).share) for row in reached)
            amount = Fraction(dearest_with(mine, others, length), parts)
            if amount > most:
                return name, amount
        return None

    def spent_since(self, moment: int, length: int) -> dict[str, Fraction]:
        """What all slots not shown to have ended by a moment spent on each appliance of the home's plans."""
        spent: dict[str, Fraction] = {}
        after, values = self.after(moment, length)
        sums = f"SELECT place, members, sum(amount) FROM spends WHERE {after} GROUP BY place, members"
        for plan_key, members, amount in self._rows(sums, values):
            asked = self._of(plan_key)
            for name in asked.names(members) or ("",):  # "": it may be about any
                spent[name] = spent.get(name, Fraction(0)) + Fraction(amount, asked.share)
        return spent

    def after(self, moment: int, length: int) -> SqlCondition:
        """Spends that are not shown to be older than a moment, for a cap on any `length`."""
        moved, values = self.monotonic.since(moment, length)
        return f"(end > ? OR {moved})", (moment, *values)

    def near(self, moment: int, length: int) -> Iterator[SpendRow]:
        """The same, each lasting as long as it must be given."""
        after, values = self.after(moment, length)
        credits = self.monotonic.credits(length)
        for plan_key, members, start, end, running, boots, amount in self._rows(f"{SELECT_SPENDS} {after}", values):
            yield plan_key, members, *self.monotonic.lasting(start, end, running, boots, credits), amount

    def _rows(self, query: str, values: tuple[int, ...]) -> list[tuple[Any, ...]]:
        return [tuple(row.values()) for row in self.store.rows(query, values)]

    def _bound(self, spend: SpendRow, length: int) -> Fraction:
        """At most what one appliance can have: as if all that was spent so near were about it."""
        after, values = self.after(spend[2] - length, length)
        sums = self._rows(f"SELECT place, sum(amount) FROM spends WHERE {after} GROUP BY place", values)
        parts = [(spend[0], spend[4]), *sums]
        return sum((Fraction(amount, self._of(plan_key).share) for plan_key, amount in parts), Fraction(0))

    def _largest(self, spend: SpendRow, length: int) -> Fraction:
        """The most that one of the spend's appliances can have, with all that was spent so near."""
        plan_key, members, start, _, amount = spend
        names, single = self._of(plan_key).names(members), Fraction(amount, self._of(plan_key).share)
        spent = self.spent_since(start - length, length)
        if names is None or "" in spent:
            return self._bound(spend, length)
        return single + max(spent.get(name, Fraction(0)) for name in names)

    def _counts(self, row: dict[str, int], start: int, length: int) -> bool:
        """Whether a plan is lived under, or its spends lie no more than its window back."""
        plan = self._of(row["place"]).plan
        if row["here"] and plan is not None and start < nanoseconds(plan.expires):
            return True
        after, values = self.after(start - length, length)
        query = f"SELECT 1 FROM spends WHERE place = ? AND {after} LIMIT 1"
        return self.store.value(query, (row["place"], *values)) is not None

    def _of(self, plan_key: int) -> SpendReach:
        """A plan never changes, so it is read once."""
        if plan_key not in self._asked:
            canonical = self.store.value("SELECT canonical FROM plans WHERE place = ?", (plan_key,))
            if canonical is None:
                return SpendReach(None)
            self._asked[plan_key] = SpendReach(Plan.parse(canonical))
        return self._asked[plan_key]
