"""How long the slots behind a total lasted, in hours and in local days; a day may have 23 or 25 hours."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import numpy as np

from hushwatt.plan.plan import Plan
from hushwatt.plan.times import midnight, zone
from hushwatt.provider.estimate.array_types import Floats
from hushwatt.provider.estimate.arrays import SlotTimeline
from hushwatt.provider.estimate.times.time_filter import DAY_MINUTES, TimeFilter

HOUR = timedelta(hours=1)


@dataclass(frozen=True)
class CoveredTime:
    """How long every row of a timeline lasts."""

    hours: Floats
    days: Floats  # of the hours of a day that were asked for

    @classmethod
    def of(cls, plan: Plan, timeline: SlotTimeline) -> "CoveredTime":
        """In whole local days."""
        starts = [plan.calendar.start_of(int(slot)) for slot in timeline.slots]
        ends = [plan.calendar.end_of(plan.periods.last_of(int(slot))) for slot in timeline.slots]
        hours = np.array([(end - start) / HOUR for start, end in zip(starts, ends, strict=True)], dtype=float)
        where = zone(plan.timezone)
        days = [days_between(start, end, where) for start, end in zip(starts, ends, strict=True)]
        return cls(hours, np.array(days, dtype=float))

    def in_days_of(self, hours: float) -> "CoveredTime":
        """In days of so many hours, where only those were asked for."""
        return CoveredTime(self.hours, self.hours / hours)


def days_between(start: datetime, end: datetime, where: ZoneInfo) -> float:
    """The local days between two moments, each counting as one however long it is.

    >>> from hushwatt.plan.times import zone
    >>> start, end = (datetime.fromisoformat(f"2024-03-31T{hour}:00Z") for hour in ("00", "23"))
    >>> days_between(start, end, zone("Europe/London"))
    1.0
    """
    (first, before), (last, after) = _day_and_part(start, where), _day_and_part(end, where)
    return (last - first) + (after - before)


def _day_and_part(moment: datetime, where: ZoneInfo) -> tuple[int, float]:
    """The local day that holds a moment, and how much of it is over."""
    day = moment.astimezone(where).date()
    begin, end = midnight(day, where), midnight(day + timedelta(days=1), where)
    return day.toordinal(), (moment - begin) / (end - begin)


def hours_a_day(plan: Plan, times: TimeFilter | None, hour: int | None = None) -> float | None:
    """How many hours of a day are asked for, or of one `hour` of it; None: whole days.

    >>> from hushwatt.plan.presets import preset
    >>> hours_a_day(preset("advised"), TimeFilter.parse("17-21,22:30-6", None))
    11.5
    """
    if hour is None and (times is None or times.hours is None):
        return None
    spans = [(0, DAY_MINUTES)] if times is None or times.hours is None else times.hours
    asked = {
        minute % DAY_MINUTES for begin, end in spans for minute in range(begin, end + DAY_MINUTES * (end <= begin))
    }
    if hour is None:
        return len(asked) / 60
    lasts = plan.slot.seconds * plan.publish / 3600  # a slot belongs to the hour that it begins in
    return max(len(asked & set(range(60 * hour, 60 * hour + 60))) / 60, lasts if lasts > 1 else 0.0) or lasts
