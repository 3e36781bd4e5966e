"""The fields in which times are chosen, and how times are told in a sentence."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime

from hushwatt.plan.plan import Plan
from hushwatt.plan.times import zone
from hushwatt.provider.dashboard import formatting
from hushwatt.provider.dashboard.query import TIMES
from hushwatt.provider.estimate.times.time_filter import TimeFilter
from hushwatt.provider.estimate.times.time_range import parse_query_range

DAY = formatting.DAY
WEEKDAYS = {
    "": "All days",
    "mon-fri": "Mon to Fri",
    "sat,sun": "Sat and Sun",
    **{day[:3].lower(): day for day in ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")},
}
ALWAYS = "all the time"
HOURS = ("17-21", "6-10", "10-17", "22-6")  # suggested


@dataclass(frozen=True)
class TimeFields:
    """What stands in the fields of a form."""

    start: str
    end: str
    kinds: tuple[str, str]  # of these two fields
    hours: str
    weekdays: str
    days: tuple[tuple[str, str], ...]  # to choose from
    clock: bool  # whether hours can be told apart

    @classmethod
    def of(cls, plan: Plan, given: Mapping[str, str], prefix: str = "") -> "TimeFields":
        """The fields of a page, or with a prefix those of one side of a comparison."""
        start, end, hours, weekdays = (given.get(prefix + name, "") for name in TIMES)
        first, last = parse_query_range(plan, start, end)
        fields = [_field(plan, word, slot) for word, slot in ((start, first), (end, last))]
        days = WEEKDAYS if weekdays in WEEKDAYS else {**WEEKDAYS, weekdays: weekdays}
        clock = plan.publish * plan.slot.seconds < DAY
        (start, one), (end, other) = fields
        return cls(start, end, (one, other), hours, weekdays, tuple(days.items()), clock)


def _field(plan: Plan, word: str, slot: int | None) -> tuple[str, str]:
    """What a field holds, and its kind: a date, a date with a time where slots are shorter, or text for all else."""
    kind = "datetime-local" if plan.publish * plan.slot.seconds < DAY else "date"
    if not word or slot is None:
        return "", kind
    if kind == "date":
        return word, "date" if _is_date(word) else "text"
    if not 0 <= slot < plan.calendar.slots:
        return word, "text"
    local = formatting.local(plan.calendar.start_of(slot), plan)
    again = datetime.fromisoformat(f"{local:%Y-%m-%dT%H:%M:%S}").replace(tzinfo=zone(plan.timezone))
    if local.second or again.timestamp() != local.timestamp():  # an hour that comes twice
        return word, "text"
    return f"{local:%Y-%m-%dT%H:%M}", kind


def _is_date(word: str) -> bool:
    try:
        date.fromisoformat(word)
    except ValueError:
        return False
    return True


def times_text(plan: Plan, first: int | None, last: int | None, times: TimeFilter) -> str:
    """Some times in the words of a sentence: "on mon–fri between 17 and 21 h from 3 Jan 2024 to 9 Jan 2024"."""
    words = [_days_text(times), _hours_text(times), _range_text(plan, first, last)]
    return " ".join(filter(None, words)) or ALWAYS


def _hours_text(times: TimeFilter) -> str:
    spans = [f"between {_clock(begins)} and {_clock(ends)} h" for begins, ends in times.hours or ()]
    return " or ".join(spans)


def _days_text(times: TimeFilter) -> str:
    if times.weekdays is None:
        return ""
    names = [day[:3].title() for day in ("mon", "tue", "wed", "thu", "fri", "sat", "sun")]
    known = {frozenset(range(5)): "from Mon to Fri", frozenset((5, 6)): "at weekends"}
    return known.get(times.weekdays) or "on " + ", ".join(names[day] for day in sorted(times.weekdays))


def _range_text(plan: Plan, first: int | None, last: int | None) -> str:
    if first is not None and last is not None and _moment(plan, first, end=False) == _moment(plan, last, end=True):
        return f"on {_moment(plan, last, end=True)}"
    start = "" if first is None else f"from {_moment(plan, max(first, 0), end=False)}"
    end = "" if last is None else f"to {_moment(plan, min(last, plan.calendar.slots - 1), end=True)}"
    return " ".join(filter(None, (start, end)))


def _moment(plan: Plan, slot: int, end: bool) -> str:
    slot = min(max(slot, 0), plan.calendar.slots - 1)
    at = formatting.local(plan.calendar.end_of(slot) if end else plan.calendar.start_of(slot), plan)
    if formatting.clock(at) != "00:00":
        return f"{formatting.clock(at)} on {formatting.day(at)}"
    last = formatting.local(plan.calendar.start_of(slot), plan) if end else at
    return formatting.day(last)


def _clock(minutes: int) -> str:
    return f"{minutes // 60}" if minutes % 60 == 0 else f"{minutes // 60}:{minutes % 60:02}"
