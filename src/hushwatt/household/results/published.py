"""What was published about all homes, as this home has fetched it: checked against the plan, and kept in its ledger.

It is the provider's word.  Whatever it says, nothing but numbers about appliances of the plan, over stretches that
the plan's own calendar has, gets through; and nothing of it is about this home.
"""

import json
from dataclasses import dataclass
from typing import Any

from hushwatt.household.ledger.store import Store
from hushwatt.household.untrusted_json import Malformed, as_count, as_finite, as_list, as_table, parse_json
from hushwatt.plan.plan import Plan
from hushwatt.plan.sharing import TRAILING, SlotRange, shared_ranges
from hushwatt.plan.times import nanoseconds
from hushwatt.privacy.tails import is_real

ENOUGH = 0.75  # of a stretch of time that a mean must be of, to stand for it


@dataclass(frozen=True)
class PublishedMean:
    """The 95 % limits of the homes' mean watts."""

    low: float
    high: float


@dataclass(frozen=True)
class PublishedResult:
    """What was published of one stretch of time."""

    span: SlotRange
    homes: int  # taking part
    means: dict[str, PublishedMean]  # by appliance; those with an answer


def read_results(plan: Plan, answer: Any, now: int) -> list[PublishedResult]:
    """The results in an answer; what does not fit the plan, its calendar or the time is passed over."""
    body = as_table(answer)
    if body.get("plan") != plan.id:
        raise Malformed("is not about this plan")
    found = [_result(plan, as_table(each), now) for each in as_list(body.get("results"))[: len(TRAILING)]]
    return [each for each in found if each is not None]


def keep_results(store: Store, plan: Plan, results: list[PublishedResult]) -> None:
    """Keep what was fetched last in the place of what was fetched before."""
    body = {"plan": plan.id, "results": [_table(plan, each) for each in results]}
    store.write_value(f"results {plan.id}", json.dumps(body))


def kept_results(store: Store, plan: Plan, now: int) -> list[PublishedResult]:
    """What was fetched last, the shortest stretch first; a damaged note is none."""
    text = store.read_value(f"results {plan.id}")
    try:
        return [] if text is None else read_results(plan, parse_json(str(text).encode()), now)
    except Malformed:
        return []


def _result(plan: Plan, table: dict[str, Any], now: int) -> PublishedResult | None:
    first, slots, homes = (as_count(table.get(key)) for key in ("slot", "slots", "homes"))
    if first is None or not slots or homes is None or first + slots > plan.calendar.slots:
        return None
    span = SlotRange(first, first + slots - 1)
    if span not in shared_ranges(plan, span.last) or nanoseconds(plan.calendar.end_of(span.last)) > now:
        return None
    tables = as_table(table.get("appliances"))
    means = {name: _mean(plan, number, span, tables.get(name)) for number, name in enumerate(plan.names)}
    return PublishedResult(span, homes, {name: each for name, each in means.items() if each is not None})


def _mean(plan: Plan, appliance: int, span: SlotRange, value: Any) -> PublishedMean | None:
    """The mean of an appliance, if it is of most of the time, and of the watts that the plan says it is of."""
    table = as_table(value)
    limits, counted = as_list(table.get("ci95")), as_count(table.get("counted"))
    if len(limits) != 2 or counted is None or (table.get("clipped") is True) == is_real(plan, appliance):
        return None
    periods = -(-span.slots // plan.publish)
    if not ENOUGH * periods <= counted <= periods:
        return None
    try:
        low, high = (as_finite(each) for each in limits)
    except (Malformed, TypeError, ValueError):
        return None
    return PublishedMean(low, high) if low <= high else None


def _table(plan: Plan, result: PublishedResult) -> dict[str, Any]:
    """A result as `read_results` reads it."""
    periods = -(-result.span.slots // plan.publish)
    clipped = {name: not is_real(plan, number) for number, name in enumerate(plan.names)}
    means = {
        name: {"ci95": [each.low, each.high], "counted": periods, "clipped": clipped[name]}
        for name, each in result.means.items()
    }
    return {"slot": result.span.first, "slots": result.span.slots, "homes": result.homes, "appliances": means}
