"""Some hours and some weekdays only: what `--hours` and `--weekdays` mean.

Both are by the clocks of the plan's time zone, daylight saving included.  A slot belongs to the hours or the
weekday that it lies in whole.
"""

import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import numpy as np

from hushwatt.errors import UsageError
from hushwatt.plan.plan import Plan
from hushwatt.plan.times import zone
from hushwatt.provider.estimate.array_types import Mask
from hushwatt.provider.estimate.arrays import SlotTimeline

WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
DAY_MINUTES = 24 * 60
CLOCK = re.compile(r"(\d{1,2})(?::(\d{2}))?")
TICK = timedelta(microseconds=1)


@dataclass(frozen=True)
class TimeFilter:
    """The times of day and the weekdays that count; None: all."""

    hours: tuple[tuple[int, int], ...] | None = None  # minutes of the day, from and up to; over midnight it turns round
    weekdays: frozenset[int] | None = None  # 0: Monday

    @classmethod
    def parse(cls, hours: str | None, weekdays: str | None) -> "TimeFilter":
        """From what a person writes.

        >>> TimeFilter.parse("17-21", "mon-fri").hours, sorted(TimeFilter.parse(None, "sat,sun").weekdays)
        (((1020, 1260),), [5, 6])
        """
        return cls(
            None if hours is None else tuple(_parse_hours(each) for each in hours.split(",")),
            None if weekdays is None else frozenset(day for each in weekdays.split(",") for day in _parse_days(each)),
        )

    @property
    def everything(self) -> bool:
        return self.hours is None and self.weekdays is None

    def rows(self, plan: Plan, timeline: SlotTimeline) -> Mask:
        """Whether each row of a timeline lies in these times; refused where none ever can."""
        spans = local_spans(plan, timeline)
        kept = np.array([self.keeps(*span) for span in spans], dtype=bool)
        if len(kept) and not kept.any():
            raise UsageError(f"{self}: no {plan.periods.word} lies in that whole; {_lasting(plan)}")
        return kept

    def __str__(self) -> str:
        """As it is written.

        >>> str(TimeFilter.parse("17-21,22:30-6", "mon-fri"))
        'hours 17-21,22:30-6, weekdays mon,tue,wed,thu,fri'
        """
        words = []
        if self.hours is not None:
            words.append("hours " + ",".join("-".join(map(_clock, each)) for each in self.hours))
        if self.weekdays is not None:
            words.append("weekdays " + ",".join(WEEKDAYS[day] for day in sorted(self.weekdays)))
        return ", ".join(words) or "all times"

    def keeps(self, start: datetime, end: datetime) -> bool:
        """Whether what begins and ends so, by the plan's clocks, lies in these times."""
        last = end - TICK
        if self.weekdays is not None and (start.weekday() not in self.weekdays or last.date() != start.date()):
            return False
        return self.hours is None or any(_inside(start, end, *each) for each in self.hours)


def local_span(plan: Plan, slot: int) -> tuple[datetime, datetime]:
    """When a slot, with those that are published with it, begins and ends by the plan's clocks."""
    where, calendar = zone(plan.timezone), plan.calendar
    last = slot + plan.periods.length - 1
    return calendar.start_of(slot).astimezone(where), calendar.end_of(last).astimezone(where)


def local_spans(plan: Plan, timeline: SlotTimeline) -> list[tuple[datetime, datetime]]:
    """When each row begins and ends by the plan's clocks."""
    where, calendar = zone(plan.timezone), plan.calendar
    pairs = zip(timeline.slots.tolist(), timeline.ends.tolist(), strict=True)
    return [(calendar.start_of(a).astimezone(where), calendar.end_of(b).astimezone(where)) for a, b in pairs]


def _inside(start: datetime, end: datetime, begins: int, ends: int) -> bool:
    """Whether a span lies in the hours whole; 22-6 are those of a night."""
    lasts = (ends - begins) % DAY_MINUTES or DAY_MINUTES
    after = (_minute(start) - begins) % DAY_MINUTES
    seconds = (end.replace(tzinfo=None) - start.replace(tzinfo=None)).total_seconds()
    if seconds <= 0:  # the hour that clocks go back in: as long as it really was
        seconds = (end - start).total_seconds()
    return after * 60 + seconds <= lasts * 60


def _minute(moment: datetime) -> float:
    return moment.hour * 60 + moment.minute + moment.second / 60


def _parse_hours(text: str) -> tuple[int, int]:
    begins, dash, ends = text.strip().partition("-")
    if not dash:
        raise UsageError(f"hours {text.strip()!r}: write them as 17-21 (17:00 to 21:00)")
    span = _parse_clock(begins, text), _parse_clock(ends, text)
    if span[0] == span[1] or span[0] == DAY_MINUTES:
        raise UsageError(f"hours {text.strip()!r}: they end when they begin")
    return span


def _parse_clock(word: str, text: str) -> int:
    found = CLOCK.fullmatch(word.strip())
    hour, minute = (int(found[1]), int(found[2] or 0)) if found else (99, 0)
    if hour * 60 + minute > DAY_MINUTES or minute > 59:
        raise UsageError(f"hours {text.strip()!r}: write them as 17-21 or 17:30-21:00, from 0 to 24")
    return hour * 60 + minute


def _clock(minutes: int) -> str:
    return f"{minutes // 60}" if minutes % 60 == 0 else f"{minutes // 60}:{minutes % 60:02}"


def _parse_days(text: str) -> list[int]:
    names = [each.strip().lower()[:3] for each in text.split("-")]
    if not 1 <= len(names) <= 2 or any(name not in WEEKDAYS for name in names):
        raise UsageError(f"weekdays {text.strip()!r}: write them as mon-fri or sat,sun")
    first, last = WEEKDAYS.index(names[0]), WEEKDAYS.index(names[-1])
    return [day % 7 for day in range(first, first + (last - first) % 7 + 1)]


def _lasting(plan: Plan) -> str:
    """How long what is published lasts."""
    word: Any = plan.periods.word
    return f"a {word} lasts {plan.slot.lasting(plan.publish)}, and its times are those of {plan.timezone}"
