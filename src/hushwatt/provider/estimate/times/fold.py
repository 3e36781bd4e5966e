"""Time that repeats: all slots of the same hour, weekday, hour of the week or month taken together.

Times are by the clocks of the plan's time zone.  A fold is a period like any other, of slots that do not
follow each other: where the same homes speak in all of them, it is no surer than asking these once.
"""

from collections.abc import Callable
from datetime import datetime, timedelta

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
}


def fold_rows(plan: Plan, timeline: SlotTimeline, fold: str) -> dict[str, Mask]:
    """The rows of a timeline that belong to each key, in the order of the clock; refused where keys cannot be told.

    Slots longer than an hour belong to the hour that they begin in.
    """
    if fold not in FOLDS:
        raise UsageError(f"fold is {fold!r}; choose one of {', '.join(FOLDS)}")
    key_of, name_of = FOLDS[fold]
    by_hour = "hour" in fold
    keys = []
    for start, end in local_spans(plan, timeline):
        together = end - start < DAY if by_hour else name_of(key_of(start)) == name_of(key_of(end - TICK))
        if not together:
            lasting = plan.slot.lasting(plan.publish)
            raise UsageError(f"fold {fold}: a {plan.periods.word} lasts {lasting}, which cannot be told apart by that")
        keys.append(key_of(start))
    requested = timeline.requested.tolist()
    present = sorted({key for key, asked in zip(keys, requested, strict=True) if asked})
    return {name_of(key): np.array([each == key for each in keys], dtype=bool) for key in present}


def hour_of(fold: str | None, key: str) -> int | None:
    """The hour of the day that a key stands for, where it does.

    >>> hour_of("hour", "07"), hour_of("hour-of-week", "mon 18"), hour_of("weekday", "mon")
    (7, 18, None)
    """
    return int(key[-2:]) if fold is not None and "hour" in fold else None
