"""What leaving a plan does and leaves behind, in the words of the owner's page."""

from collections.abc import Iterator
from typing import Any

from hushwatt.household.ledger.store import Store
from hushwatt.household.page.leaving import LEDGER, PUBLISHED
from hushwatt.household.status import PlanStatus, plan_statuses
from hushwatt.plan.amounts import plain
from hushwatt.sanitise import quoted


def leaving_lines(store: Store, row: dict[str, Any], forget: bool, now: int) -> Iterator[str]:
    """What is about to happen to one plan of the ledger."""
    each = next(one for one in plan_statuses(store, now) if one.plan.id == row["plan"])
    yield f"Leave {quoted(each.plan.name)} ({each.plan.id[:12]}, {each.address})"
    yield from (f"  {line}" for line in _happens(each, row["device"] is not None, forget))
    yield "What stays"
    yield f"  {PUBLISHED}"
    yield f"  {LEDGER}"
    yield f"  Spent under this plan: ε {plain(each.spent)}. The list of what left this home stays, for you."


def _happens(each: PlanStatus, enrolled: bool, forget: bool) -> Iterator[str]:
    yield "At once, nothing more is sent."
    if each.waiting:
        yield f"{each.waiting:,} reports that wait here are never sent."
    if forget:
        yield f"The provider is NOT asked to erase anything: {each.sent:,} reports stay with it for good."
    elif enrolled:
        yield f"The provider is asked to erase every report of this home: {each.sent:,} so far."
    yield "The keys with which this home signed its reports are deleted."
