"""Sums over everything that ever left a home, not over what its ledger says."""

from collections.abc import Mapping

from hushwatt.audit.chaos.home import Left
from hushwatt.audit.chaos.scenario import expect
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


def check_real_time(left: Left, plan: Plan, drawn_at: Mapping[tuple[int, int], int]) -> None:
    """No window was refreshed early by the machine's own clock, which nobody can set."""
    costs = [(when, sum(row[0] for row in left[key])) for key, when in drawn_at.items()]
    length = int((plan.window - 1) * plan.slot.seconds * 1e9 * 0.85)  # a slot may be lived a tenth too short
    for start, _ in costs:
        cost = sum(spent for when, spent in costs if start <= when < start + length)
        expect(
            cost <= plan.epsilon,
            f"{cost} of {plan.epsilon} in {plan.window} slots of real time ({plan.method})",
        )
