"""Everything that ever left a home, and what it cost: sums over that, not over what its ledger says."""

from hushwatt.audit.harness.expect import expect
from hushwatt.household.ledger.store import Store
from hushwatt.plan.plan import Plan

Row = tuple[int, int, bytes]  # spent, drawn, payload
Released = dict[tuple[int, int], set[Row]]  # what ever could have left a home, by plan and slot


def record_released(store: Store, released: Released) -> None:
    """Add everything that is in the outbox, sent or waiting, to what could have left."""
    for plan, slot, *row in store.disk.execute("SELECT place, slot, spent, drawn, payload FROM reports"):
        released.setdefault((plan, slot), set()).add((row[0], row[1], row[2]))


def dearest(released: Released, place: int, window: int) -> int:
    """The most that any window cost if all that could have left the home did.

    A slot that left in two different forms costs both.

    >>> dearest({(1, 0): {(5, 5, b"a"), (5, 5, b"b")}, (1, 2): {(7, 7, b"c")}}, place=1, window=2)
    10
    """
    costs = {slot: sum(row[0] for row in rows) for (plan, slot), rows in released.items() if plan == place}
    windows = (range(start, start + window) for start in costs)
    return max((sum(cost for slot, cost in costs.items() if slot in slots) for slots in windows), default=0)


def total_cost(released: Released) -> int:
    """What everything that ever could have left cost together, under all plans.

    >>> total_cost({(1, 0): {(5, 5, b"a"), (5, 5, b"b")}, (2, 2): {(7, 7, b"c")}})
    17
    """
    return sum(row[0] for rows in released.values() for row in rows)


def check_windows(released: Released, plan: Plan, place: int = 1) -> None:
    """No window cost more than promised, and no slot left in two different forms."""
    cost = dearest(released, place, plan.window)
    expect(cost <= plan.epsilon, f"a window of {plan.method} cost {cost} of {plan.epsilon}")
    twice = [slot for (number, slot), rows in released.items() if number == place and len(rows) > 1]
    expect(not twice, f"slot {twice} left the home twice, in different bytes")
