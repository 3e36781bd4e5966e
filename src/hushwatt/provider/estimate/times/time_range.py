"""A stretch of time in slots: what `--from` and `--to` mean."""

from datetime import date, timedelta

from hushwatt.errors import HushwattError, UsageError
from hushwatt.plan.periods import how_often
from hushwatt.plan.plan import Plan
from hushwatt.plan.times import local_day, midnight, nanoseconds, parse_instant, zone

MAX_NANOSECONDS = 2**63 - 1  # nanoseconds since 1970 that a calendar counts: the year 2262


def parse_time_range(plan: Plan, start: str | None, end: str | None) -> tuple[int | None, int | None]:
    """The first and the last slot between two dates or times, both included; None is open.

    Without an offset a time is local to the plan.  A date means the whole day.

    >>> from hushwatt.plan.presets import preset
    >>> parse_time_range(preset("paper"), "2024-01-03", "2024-01-05T12:00Z")
    (2, 4)
    """
    first = None if start is None else _slot(plan, nanoseconds(parse_instant("--from", start, zone(plan.timezone))))
    last = None if end is None else _slot(plan, _end(plan, end))
    if first is not None and last is not None and first > last:
        raise UsageError(f"--from {start} is after --to {end}")
    _refuse_parts(plan, first, last, start, end)
    return first, last


def _refuse_parts(plan: Plan, first: int | None, last: int | None, start: str | None, end: str | None) -> None:
    """Refuse a stretch that holds a part of what is published together, and name where the nearest ones lie."""
    periods = plan.periods
    why = f"is within a period, and results are published {how_often(plan.publish, plan.slot)}; write"
    if first is not None and 0 < first < periods.slots and periods.first_of(first) != first:
        begins = [periods.first_of(first), periods.last_of(first) + 1]
        near = [written_start(plan, slot) for slot in begins if slot < periods.slots]
        raise UsageError(f"--from {start} {why} {' or '.join(near)}")
    if last is not None and 0 <= last < periods.slots and periods.last_of(last) != last:
        ends = [periods.first_of(last) - 1, periods.last_of(last)]
        near = [written_end(plan, slot) for slot in ends if slot >= 0]
        raise UsageError(f"--to {end} {why} {' or '.join(near)}")


def written_start(plan: Plan, slot: int) -> str:
    """How to write that a stretch begins with a slot: a local date when it begins one, else the local time."""
    where, start = zone(plan.timezone), plan.calendar.start_of(slot)
    day = local_day(start, where)
    return day.isoformat() if midnight(day, where) == start else start.astimezone(where).isoformat()


def written_end(plan: Plan, slot: int) -> str:
    """How to write that a stretch ends with a slot: by the day that ends with it, else by its beginning."""
    where, end = zone(plan.timezone), plan.calendar.end_of(slot)
    if midnight(local_day(end, where), where) == end:
        return local_day(end - timedelta(microseconds=1), where).isoformat()
    return written_start(plan, slot)


def parse_query_range(plan: Plan, start: str | None, end: str | None) -> tuple[int | None, int | None]:
    """The same for what stands in an address: empty is open too, and a refusal speaks of no options."""
    try:
        return parse_time_range(plan, start or None, end or None)
    except HushwattError as wrong:
        raise UsageError(str(wrong).replace("--", "")) from None


def _slot(plan: Plan, moment: int) -> int:
    return int(plan.calendar.slot_of(max(-MAX_NANOSECONDS, min(moment, MAX_NANOSECONDS))))


def _end(plan: Plan, word: str) -> int:
    """The moment that is still meant: the last one of a day, or the time itself."""
    try:
        day = date.fromisoformat(word)
    except ValueError:
        return nanoseconds(parse_instant("--to", word, zone(plan.timezone)))
    try:
        return nanoseconds(midnight(day + timedelta(days=1), zone(plan.timezone))) - 1
    except OverflowError:  # the last day of the calendar
        return MAX_NANOSECONDS
