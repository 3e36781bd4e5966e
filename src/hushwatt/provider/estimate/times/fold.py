"""Time that repeats: all slots of the same hour, weekday, hour of the week or month taken together.

Times are by the clocks of the plan's time zone.  A fold is a period like any other, of slots that do not
follow each other: where the same homes speak in all of them, it is no surer than asking these once.
Likewise each hour, day, week or month of the calendar may be taken by itself.
"""

from collections.abc import Callable
from datetime import UTC, date, datetime, time, timedelta, timezone

import numpy as np

from hushwatt.errors import UsageError
from hushwatt.plan.plan import Plan
from hushwatt.provider.estimate.array_types import Mask
from hushwatt.provider.estimate.arrays import SlotTimeline
from hushwatt.provider.estimate.times.time_filter import TICK, WEEKDAYS, local_spans

MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
DAY = timedelta(days=1)

FOLDS: dict[str, tuple[Callable[[datetime], tuple[int, ...]], Callable[[tuple[int, ...]], str]]] = {
    "hour": (lambda at: (at.hour,), lambda key: f"{key[0]:02}"),
    "weekday": (lambda at: (at.weekday(),), lambda key: WEEKDAYS[key[0]]),
    "hour-of-week": (lambda at: (at.weekday(), at.hour), lambda key: f"{WEEKDAYS[key[0]]} {key[1]:02}"),
    "month": (lambda at: (at.month - 1,), lambda key: MONTHS[key[0]]),
    "each-hour": (lambda at: (at.toordinal(), at.hour, _offset(at)), lambda key: _moment(*key)),
    "each-day": (lambda at: (at.toordinal(),), lambda key: _date(key)),
    "each-week": (lambda at: (at.toordinal() - at.weekday(),), lambda key: _date(key)),  # by its Monday
    "each-month": (lambda at: (at.replace(day=1).toordinal(),), lambda key: _date(key)[:7]),
}


def _date(key: tuple[int, ...]) -> str:
    return date.fromordinal(key[0]).isoformat()


def _moment(day: int, hour: int, behind: int) -> str:
    at = datetime.combine(date.fromordinal(day), time(hour), timezone(timedelta(minutes=-behind)))
    return at.isoformat(timespec="minutes")


def _offset(at: datetime) -> int:
    """Minutes behind the world's clock: an hour that comes twice comes in its order."""
    return -int((at.utcoffset() or timedelta()).total_seconds()) // 60


def fold_key(fold: str, start: datetime) -> str:
    """The key of what begins then, by the plan's clocks."""
    key_of, name_of = FOLDS[fold]
    return name_of(key_of(start))


def fold_rows(plan: Plan, timeline: SlotTimeline, fold: str) -> dict[str, Mask]:
    """The rows of a timeline that belong to each key, in the order of the clock; refused where keys cannot be told.

    Slots longer than an hour belong to the hour that they begin in.
    """
    if fold not in FOLDS:
        raise UsageError(f"fold is {fold!r}; choose one of {', '.join(FOLDS)}")
    key_of, name_of = FOLDS[fold]
    by_hour = fold in ("hour", "hour-of-week")
    keys = []
    for start, end in local_spans(plan, timeline):
        last = (end.astimezone(UTC) - TICK).astimezone(end.tzinfo)
        together = end - start < DAY if by_hour else name_of(key_of(start)) == name_of(key_of(last))
        if not together:
            lasting = plan.slot.lasting(plan.publish)
            raise UsageError(f"fold {fold}: a {plan.periods.word} lasts {lasting}, which cannot be told apart by that")
        keys.append(key_of(start))
    requested = timeline.requested.tolist()
    present = sorted({key for key, asked in zip(keys, requested, strict=True) if asked})
    places = {key: place for place, key in enumerate(present)}
    rows = np.array([places.get(key, -1) for key in keys], dtype=np.int64)
    return {name_of(key): np.asarray(rows == place) for key, place in places.items()}


def hour_of(fold: str | None, key: str) -> int | None:
    """The hour of the day that a key stands for, where it does.

    >>> hour_of("hour", "07"), hour_of("hour-of-week", "mon 18"), hour_of("weekday", "mon")
    (7, 18, None)
    >>> hour_of("each-hour", "2024-01-03T17:00+01:00")
    17
    """
    if fold == "each-hour":
        return int(key[11:13])
    return int(key[-2:]) if fold in ("hour", "hour-of-week") else None
