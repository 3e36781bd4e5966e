"""What `hushwatt household` tells the owner, line by line."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import timedelta
from typing import Any

from hushwatt.household.ledger.caps import Caps
from hushwatt.household.ledger.objections import earlier_terms
from hushwatt.household.status import BudgetMeter, PlanStatus
from hushwatt.household.troubles import Trouble
from hushwatt.household.words.consent_text import WHILE_PAUSED, filed_sentence, successor_terms
from hushwatt.plan.amounts import plain
from hushwatt.plan.plan import Plan
from hushwatt.plan.times import EPOCH, nanoseconds, show_instant, zoned_time
from hushwatt.sanitise import quoted, sanitised


def plan_table(each: PlanStatus, beyond: Mapping[str, list[str]]) -> dict[str, Any]:
    return {
        "plan": each.plan.id,
        "name": each.plan.name,
        "address": each.address,
        "state": each.state,
        "next_slot": each.next_slot,
        "window_spent": each.window_spent,
        "window_why": each.window_why,
        "epsilon": each.plan.epsilon,
        "spent": each.spent,
        "reports": each.reports,
        "waiting": each.waiting,
        "last_report": each.last_report,
        "last_report_at": iso(each.last_report_at),
        "next_report_at": iso(each.next_report_at),
        "beyond_caps": beyond.get(each.plan.id, []),
        "labels": each.labels.document(),
        "retired": each.retired if each.state == "retired" else None,
        "agreed_before": each.agreed_before,
        "successors": list(each.successors),
        "silences": [{"first": a, "last": b, "reason": why} for a, b, why in each.silences],
    }


def status_lines(
    budgets: list[BudgetMeter],
    joined: list[PlanStatus],
    beyond: Mapping[str, list[str]],
    health: Any,
    now: int,
    caps: Caps,
    wrong: Sequence[Trouble] = (),
) -> Iterator[str]:
    yield from trouble_lines(wrong)
    for each in joined:
        yield from _plan_lines(each, beyond.get(each.plan.id, []), caps)
    yield "all plans together"
    for budget in budgets:
        cap = f" of at most {plain(budget.cap)}" if budget.cap else ""
        words = f"any one appliance, {budget.when}" if budget.when else budget.words
        yield f"  {words}: ε {plain(budget.spent)}{cap}"
    yield f"successors: {successor_terms(caps.follow_successors)[1]}"
    yield from source_lines(health, now)


def trouble_lines(wrong: Sequence[Trouble]) -> Iterator[str]:
    """What is wrong, and what to do about it."""
    for each in wrong:
        yield f"TROUBLE  {sanitised(each.words, 1_000)}"
        yield f"         {sanitised(each.remedy, 1_000)}"


def _plan_lines(each: PlanStatus, beyond: list[str], caps: Caps) -> Iterator[str]:
    zone = each.plan.timezone
    yield f"{quoted(each.plan.name)}  ({each.plan.id[:12]}, {each.address}): {each.state}"
    window = f"ε {plain(each.window_spent)} of {plain(each.plan.epsilon)} in this window"
    yield f"  {window}, ε {plain(each.spent)} so far"
    if each.labels:
        yield f"  {filed_sentence(each.labels)}"
    if each.window_why:
        yield f"  {each.window_why}"
    latest = "" if each.last_report_at is None else f", last at {zoned_time(each.last_report_at, zone)}"
    yield f"  {each.reports} reports, {each.waiting} waiting{latest}"
    if each.next_report_at is not None:
        yield f"  next report at {zoned_time(each.next_report_at, zone)}"
    for line in beyond:
        yield f"  held back by your caps: {line}"
    if each.retired is not None and each.state == "retired":
        yield f"  {each.retired}"
    if each.agreed_before and each.state in ("taking part", "paused") and (terms := earlier_terms(caps)):
        yield f"  {terms}"
    if each.state == "paused":
        yield f"  {WHILE_PAUSED}"
    for line in each.successors:
        yield f"  {line}"
    for first, last, why in each.silences[:3]:
        yield f"  silent from {slot_span(each.plan, first, last)}: {why}"


def slot_span(plan: Plan, first: int, last: int) -> str:
    """Slots by the plan's own clock, from the start of the first to the end of the last.

    >>> from hushwatt.plan.presets import preset
    >>> slot_span(preset("paper"), 0, 1)
    '2024-01-01 00:00 UTC to 2024-01-03 00:00 UTC'
    """
    start, end = plan.calendar.start_of(first), plan.calendar.end_of(last)
    return " to ".join(zoned_time(nanoseconds(each), plan.timezone) for each in (start, end))


def iso(moment: int | None) -> str | None:
    """A moment, in nanoseconds since 1970, for a program."""
    return None if moment is None else show_instant(EPOCH + timedelta(microseconds=moment // 1_000))


def source_lines(health: Any, now: int) -> Iterator[str]:
    if not health:
        yield "sources: none heard yet; is the agent running?"
    for each in health:
        if not each.get("measured", True):
            yield sanitised(f"not measured  {each['appliance']}: it has no source, and your home answers so")
            continue
        heard = "never heard" if each["heard"] is None else f"heard {_ago(now - each['heard'])} ago"
        trouble = f", {each['trouble']}" if each["trouble"] else ""
        word = "fresh" if each["fresh"] else "STALE"
        yield sanitised(f"{word}  {each['appliance']}: {each['name']}, {heard}{trouble}")


def _ago(nanoseconds: int) -> str:
    seconds = max(0, nanoseconds) // 1_000_000_000
    for length, unit in ((86_400, "d"), (3_600, "h"), (60, "min")):
        if seconds >= length:
            return f"{seconds // length} {unit}"
    return f"{seconds} s"
