"""The second opinion on every spend: adds up what went, and refuses what would be too much.

A ledger trusts no strategy.  It is charged before anything is drawn, it only goes
forward, and it gives nothing back.  What it keeps does not grow with the window, but
with what was really charged differently from home to home.
"""

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from hushwatt.errors import OverBudget, StateError
from hushwatt.plan.plan import Plan
from hushwatt.privacy.charge_lines import Amounts, Members
from hushwatt.privacy.charge_log import Charge, ChargeLog

TOGETHER = 1 << 16  # homes whose appliances are added up at once


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
    log: ChargeLog = field(default_factory=lambda: ChargeLog.empty(0))
    table: Amounts | None = None  # the log by home and appliance, once a home was charged twice in a window

    def __post_init__(self) -> None:
        if not self.log.homes:
            self.log = ChargeLog.empty(self.homes)

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
        who = np.flatnonzero(amounts).astype(np.int32)
        charge = self.as_kept(Charge(slot, who, amounts[who], None if members is None else members[who]))
        self.check(charge)
        if len(who):  # only now is anything forgotten: a refused or empty charge changes nothing
            self._write(charge)

    def as_kept(self, charge: Charge) -> Charge:
        """A charge with no more than matters: its appliances only where they have a cap."""
        return replace(charge, members=None) if self.appliance_total is None else charge

    def check(self, charge: Charge) -> None:
        """Refuse a charge that is too much, or too late; nothing is written down."""
        if self.log.last is not None and charge.slot < self.log.last:
            raise StateError(f"slot {charge.slot} has passed: slot {self.log.last} is charged already")
        spent = self.spent(charge.slot)[charge.homes]
        wrong = (charge.amounts < 0) | (spent + charge.amounts > self.epsilon)
        if wrong.any():
            first = int(np.argmax(wrong))
            raise OverBudget(int(charge.amounts[first]), int(spent[first]), self.epsilon, self.window)
        if self.appliance_total is not None:
            self._refuse_appliances(charge, spent, self.appliance_total)

    def first_slot(self, slot: int) -> int:
        """Where the window begins that ends with a slot."""
        return slot - self.window + 1

    def older(self, slot: int) -> list[Charge]:
        """Charges from elsewhere that count in the window that ends with `slot`; there are none in a fleet."""
        return []

    def spent(self, slot: int) -> Amounts:
        """What each home has spent in `slot` and the w − 1 before it."""
        total = self.log.spent(self.first_slot(slot))
        for charge in self.older(slot):
            total[charge.homes] += charge.amounts
        return total

    def _write(self, charge: Charge) -> None:
        first = self.first_slot(charge.slot)
        if self.table is not None:
            for one in self.log.before(first):
                _add(self.table, one, -1)
            _add(self.table, charge, 1)
        self.log = self.log.since(first).added(charge)

    def _refuse_appliances(self, charge: Charge, spent: Amounts, most: int) -> None:
        """Each appliance of a draw gets 1/s of it, so s times its spend is a sum of whole draws."""
        if not spent.any():  # nobody was charged in this window yet
            if (charge.amounts > most).any():
                raise OverBudget(int(charge.amounts.max()), 0, most, self.window)
            return
        if self.table is None:
            self.table = self.log.by_appliance(self.appliances)
        gone, more = list(self.log.before(self.first_slot(charge.slot))), [*self.older(charge.slot), charge]
        for start in range(0, self.homes, TOGETHER):
            table = self.table[start : start + TOGETHER].copy()
            for one, sign in [*((each, -1) for each in gone), *((each, 1) for each in more)]:
                _add(table, _between(one, start, start + len(table)), sign)
            if table.max(initial=0) > most:
                home = start + int(np.argmax(table.max(axis=1)))
                asked = int(charge.amounts[charge.homes == home].sum())
                raise OverBudget(asked, int(table.max()) - asked, most, self.window)

    def joined(self, homes: int) -> "Ledger":
        """The same ledger with `homes` new homes at its end, who have spent nothing."""
        return replace(self, homes=self.homes + homes, log=self.log.joined(homes), table=None)

    def reordered(self, order: NDArray[np.intp]) -> "Ledger":
        """The same ledger for the same homes in another order."""
        return replace(self, log=self.log.reordered(order), table=None)


def _between(charge: Charge, start: int, end: int) -> Charge:
    """What homes from one number to another were charged, numbered from the first."""
    here = slice(*np.searchsorted(charge.homes, (start, end)))
    members = None if charge.members is None else charge.members[here]
    return Charge(charge.slot, charge.homes[here] - start, charge.amounts[here], members)


def _add(table: Amounts, charge: Charge, sign: int) -> None:
    """Add a charge to every appliance that it names, or take it away."""
    if charge.members is None:
        table[charge.homes] += sign * charge.amounts[:, None]
    else:
        table[charge.homes[:, None], charge.members] += sign * charge.amounts[:, None]


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
