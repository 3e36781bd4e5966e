"""The second opinion on every spend: adds up what went, and refuses what would be too much.

A ledger trusts no strategy.  It is charged before anything is drawn, it only goes
forward, and it gives nothing back.
"""

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from hushwatt.errors import OverBudget, StateError
from hushwatt.plan.plan import Plan

Amounts = NDArray[np.int64]
Members = NDArray[np.unsignedinteger]

TOGETHER = 1 << 16  # homes whose appliances are added up at once


@dataclass(frozen=True)
class Charge:
    """What some homes were charged in one slot, and for which appliances (None: all alike)."""

    slot: int
    homes: NDArray[np.int32]
    amounts: Amounts
    members: Members | None = None


@dataclass
class Ledger:
    """What every home of one plan spent in the last w slots.

    >>> ledger = Ledger(homes=1, epsilon=10, window=2)
    >>> ledger.charge(0, np.array([6]))
    >>> ledger.charge(1, np.array([6]))
    Traceback (most recent call last):
    hushwatt.errors.OverBudget: cannot spend ε 0.000006 in this slot: the 1 before it spent ε 0.000006, ...
    >>> ledger.charge(2, np.array([6]))
    """

    homes: int
    epsilon: int  # the most that a home may spend in any window, in millionths
    window: int
    appliances: int = 1
    appliance_total: int | None = None  # s times the most that one appliance may spend in any window
    charges: list[Charge] = field(default_factory=list)

    @classmethod
    def of(cls, plan: Plan, homes: int) -> "Ledger":
        """An empty ledger for a plan's two promises."""
        cap, asked = plan.appliance_epsilon, plan.appliances_per_report
        total = None if cap is None else cap * asked
        epsilon = plan.epsilon
        if total is not None and asked == len(plan.appliances):
            epsilon, total = min(epsilon, total), None  # every draw reaches every appliance alike
        return cls(homes, epsilon, plan.window, len(plan.appliances), total)

    def charge(self, slot: int, amounts: Amounts, members: Members | None = None) -> None:
        """Write down what each home spends in `slot`, or refuse it for all of them."""
        if self.charges and slot < self.charges[-1].slot:
            raise StateError(f"slot {slot} has passed: slot {self.charges[-1].slot} is charged already")
        who = np.flatnonzero(amounts).astype(np.int32)
        charge = Charge(slot, who, amounts[who], None if members is None else members[who])
        self._refuse(charge)
        if self.appliance_total is not None:
            self._refuse_appliances(charge, self.appliance_total)
        if len(who):  # only now is anything forgotten: a refused or empty charge changes nothing
            self.charges = [*self.recent(slot), charge]

    def recent(self, slot: int) -> list[Charge]:
        """The charges that share a window with `slot`."""
        return [charge for charge in self.charges if charge.slot > slot - self.window]

    def spent(self, slot: int) -> Amounts:
        """What each home has spent in `slot` and the w − 1 before it."""
        total = np.zeros(self.homes, dtype=np.int64)
        for charge in self.recent(slot):
            total[charge.homes] += charge.amounts
        return total

    def _refuse(self, charge: Charge) -> None:
        spent = self.spent(charge.slot)[charge.homes]
        wrong = (charge.amounts < 0) | (spent + charge.amounts > self.epsilon)
        if wrong.any():
            first = int(np.argmax(wrong))
            raise OverBudget(int(charge.amounts[first]), int(spent[first]), self.epsilon, self.window)

    def _refuse_appliances(self, charge: Charge, most: int) -> None:
        """Each appliance of a draw gets 1/s of it, so s times its spend is a sum of whole draws."""
        everything = np.arange(self.appliances)
        for start in range(0, self.homes, TOGETHER):
            table = np.zeros((min(TOGETHER, self.homes - start), self.appliances), dtype=np.int64)
            for one in [*self.recent(charge.slot), charge]:
                here = slice(*np.searchsorted(one.homes, (start, start + len(table))))
                named = everything if one.members is None else one.members[here]
                table[one.homes[here, None] - start, named] += one.amounts[here, None]
            if table.max(initial=0) > most:
                home = start + int(np.argmax(table.max(axis=1)))
                asked = int(charge.amounts[charge.homes == home].sum())
                raise OverBudget(asked, int(table.max()) - asked, most, self.window)

    def joined(self, homes: int) -> "Ledger":
        """The same ledger with `homes` new homes at its end, who have spent nothing."""
        return Ledger(
            self.homes + homes, self.epsilon, self.window, self.appliances, self.appliance_total, self.charges
        )

    def reordered(self, order: NDArray[np.intp]) -> "Ledger":
        """The same ledger for the same homes in another order."""
        places = np.empty(self.homes, dtype=np.int32)
        places[order] = np.arange(self.homes, dtype=np.int32)
        return replace(self, charges=[_moved(charge, places) for charge in self.charges])


def _moved(charge: Charge, places: NDArray[np.int32]) -> Charge:
    """The same charge when each home has a new place."""
    homes = places[charge.homes]
    order = np.argsort(homes)
    members = None if charge.members is None else charge.members[order]
    return Charge(charge.slot, homes[order], charge.amounts[order], members)


@dataclass(frozen=True)
class Spend:
    """One charge of a home, stamped with the time of its slot [start, end)."""

    start: int
    end: int
    amount: int


def dearest_interval(spends: list[Spend], length: int) -> int:
    """The most that the slots touching any interval of `length` spent together.

    An interval that begins at x touches [start, end) when start − length < x < end.
    """
    events = [(spend.start - length, 1, spend.amount) for spend in spends]
    events += [(spend.end, 0, -spend.amount) for spend in spends]
    total = dearest = 0
    for _, _, change in sorted(events):
        total += change
        dearest = max(dearest, total)
    return dearest


def dearest_with(spend: Spend, others: list[Spend], length: int) -> int:
    """The same for the intervals that one spend touches.

    >>> dearest_with(Spend(0, 1, 2), [Spend(1, 2, 3), Spend(9, 10, 8)], length=4)
    5
    """
    above = 1 + sum(other.amount for other in others)  # the dearest interval is then one that it touches
    raised = Spend(spend.start, spend.end, spend.amount + above)
    return dearest_interval([raised, *others], length) - above
