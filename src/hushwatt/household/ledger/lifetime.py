"""What counts as spent in the home's lifetime, kept as running totals beside the spends.

Every spend adds what it cost, and slots that nobody knows about add the most they could have cost.
Where homes decide whether to publish, what they spend tells what they decided.  There every window
[k·w, (k+1)·w) of the plan's slots in which the home takes part adds all of the window's ε at its first slot,
whatever is spent in it.  So what counts depends on clocks, plans and the owner alone, and so does the
moment at which a lifetime is used up.  (docs/proofs/lifetime.md)
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from hushwatt.household.ledger.appliance_spends import SpendReach
from hushwatt.household.ledger.caps import Caps, LifetimeCap
from hushwatt.household.ledger.objections import LifetimeSpent
from hushwatt.household.ledger.store import Store
from hushwatt.privacy.strategies import affordable

ADD_SQL = (
    "INSERT INTO totals VALUES (?, coalesce(?, x''), ?, ?) "
    "ON CONFLICT DO UPDATE SET amount = amount + excluded.amount, last = max(last, excluded.last)"
)
NO_WINDOW = -1


@dataclass
class LifetimeTotals:
    """The totals of one home, by plan and by the appliances that were spoken of."""

    store: Store
    reach: Callable[[int], SpendReach]  # whom the spends of a plan reach, by its key

    @property
    def spent(self) -> LifetimeSpent:
        """What counts so far."""
        appliances: dict[str, Fraction] = {}
        total = 0
        for row in self.store.rows("SELECT place, members, amount FROM totals"):
            reach, total = self.reach(row["place"]), total + row["amount"]
            for name in reach.names(row["members"] or None) or ("",):  # "": it may be about any
                appliances[name] = appliances.get(name, Fraction(0)) + Fraction(row["amount"], reach.share)
        unknown = appliances.pop("", Fraction(0))
        return LifetimeSpent(total, {name: amount + unknown for name, amount in appliances.items()} | {"": unknown})

    def cost(self, plan_key: int, slot: int, amount: int) -> int:
        """What a spend in a slot adds."""
        plan = self.reach(plan_key).plan
        if plan is None or plan.decision is None:
            return amount
        return affordable(plan) if slot // plan.window > self._last_window(plan_key) else 0

    def _window(self, plan_key: int) -> int | None:
        """The slots of a window, where windows count rather than spends."""
        plan = self.reach(plan_key).plan
        return None if plan is None or plan.decision is None else plan.window

    def refusal(
        self, caps: Caps, plan_key: int, members: bytes | None, cost: int
    ) -> tuple[LifetimeCap, str | None] | None:
        """The cap that leaves no room for a spend that adds `cost`, and the appliance it is about, if any."""
        spent, reach = self.spent, self.reach(plan_key)
        if spent.home + cost > caps.lifetime.amount:
            return caps.lifetime, None
        single = Fraction(cost, reach.share)
        for name in sorted(reach.names(members) or spent.appliances):
            before = spent.appliances.get(name, spent.appliances[""])
            if before + single > caps.appliance_lifetime.amount:
                return caps.appliance_lifetime, name
        return None

    def add(self, plan_key: int, slot: int, members: bytes | None, amount: int) -> None:
        """Count a spend, as part of a running change."""
        window = self._window(plan_key)
        last = NO_WINDOW if window is None else slot // window
        self.add_amount(plan_key, members, self.cost(plan_key, slot, amount), last)

    def add_windows(self, plan_key: int, first: int, last: int, lived: int) -> bool:
        """Count every window that slots `first` to `last` belong to; False: windows do not count in this plan.

        Clocks that showed any time may have seen `lived` slots beside the first, and their windows.
        """
        window = self._window(plan_key)
        if window is None:
            return False
        begin, end = first // window, last // window
        new = max(0, end - max(begin - 1, self._last_window(plan_key)))
        unseen = max(0, -(-lived // window) - (end - begin)) if lived else 0
        plan = self.reach(plan_key).plan
        assert plan is not None
        self.add_amount(plan_key, None, (new + unseen) * affordable(plan), end)
        return True

    def add_amount(self, plan_key: int, members: bytes | None, amount: int, last: int = NO_WINDOW) -> None:
        """Count so much, whatever it was spent for."""
        self.store.disk.execute(ADD_SQL, (plan_key, members, amount, last))

    def _last_window(self, plan_key: int) -> int:
        found = self.store.value("SELECT max(last) FROM totals WHERE place = ?", (plan_key,))
        return NO_WINDOW if found is None else int(found)
