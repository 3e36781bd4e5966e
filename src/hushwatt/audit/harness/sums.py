"""Sums over everything that ever left a home, not over what its ledger says."""

from hushwatt.audit.harness.clocked_home import Left
from hushwatt.audit.harness.expect import expect
from hushwatt.plan.plan import Plan


def dearest(left: Left, place: int, window: int) -> int:
    """The most that any window cost if all that could have left the home did.

    A slot that left in two different forms costs both.

    >>> dearest({(1, 0): {(5, 5, b"a"), (5, 5, b"b")}, (1, 2): {(7, 7, b"c")}}, place=1, window=2)
    10
    """
    costs = {slot: sum(row[0] for row in rows) for (here, slot), rows in left.items() if here == place}
    windows = (range(start, start + window) for start in costs)
    return max((sum(costs.get(slot, 0) for slot in slots) for slots in windows), default=0)


def check_windows(left: Left, plan: Plan, place: int = 1) -> None:
    """No window cost more than promised, and no slot left in two different forms."""
    cost = dearest(left, place, plan.window)
    expect(cost <= plan.epsilon, f"a window of {plan.method} cost {cost} of {plan.epsilon}")
    twice = [slot for (here, slot), rows in left.items() if here == place and len(rows) > 1]
    expect(not twice, f"slot {twice} left the home twice, in different bytes")
