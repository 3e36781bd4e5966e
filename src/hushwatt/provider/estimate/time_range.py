"""A stretch of time in slots: what `--from` and `--to` mean."""

from datetime import date, timedelta

from hushwatt.errors import HushwattError, UsageError
from hushwatt.plan.plan import Plan
from hushwatt.plan.times import midnight, nanoseconds, parse_instant, zone

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
    return first, last


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
