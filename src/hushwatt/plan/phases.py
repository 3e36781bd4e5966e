"""Which times of the day and of the week a plan measures, and which it never sees.

Under `lsp` all homes draw in slots 0, w, 2w, …: where w slots and a day, or a week, have a common cycle, some
hours or weekdays never come up (aliasing).  Where a method's step is one slot, some homes draw in every slot.
"""

from datetime import timedelta
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from hushwatt.plan.choices import METHODS
from hushwatt.plan.plan import Plan
from hushwatt.plan.slot import SECONDS
from hushwatt.plan.times import EPOCH, nanoseconds, zone

DAY, WEEK = SECONDS["d"], 7 * SECONDS["d"]
MONDAY = 3 * DAY  # 1970 began on a Thursday: seconds since then are those of a week that began so much earlier
WEEKDAYS = ("Mondays", "Tuesdays", "Wednesdays", "Thursdays", "Fridays", "Saturdays", "Sundays")
FEW = 4  # spans of the day that are told one by one
Slots = NDArray[np.int64]
Mask = NDArray[np.bool_]


def drawn_slots(plan: Plan, slots: int | None = None) -> Slots:
    """The slots, of the first `slots` or of all, in which homes draw; at most one cycle with the week."""
    count = plan.calendar.slots if slots is None else min(slots, plan.calendar.slots)
    return np.arange(0, count, _step(plan), dtype=np.int64)[:WEEK]


def _step(plan: Plan) -> int:
    return METHODS[plan.method].step(plan.window)


def week_seen(plan: Plan, slots: Slots, clocks_change: bool = True) -> Mask:
    """For every second of the local week, from Monday midnight on, whether one of `slots` covers it.

    Clocks that are put forward or back move a slot of hours to other hours of the day; with `clocks_change`
    off they stay as they are in the plan's first slot.
    """
    length = min(plan.slot.seconds, WEEK)
    begins = _local_starts(plan, np.unique(slots), clocks_change) % WEEK
    edges = np.zeros(2 * WEEK + 1, dtype=np.int64)
    np.add.at(edges, begins, 1)
    np.add.at(edges, begins + length, -1)
    covered = np.cumsum(edges[:-1]) > 0
    return covered[:WEEK] | covered[WEEK:]


def aliases(plan: Plan, slots: int | None = None) -> bool:
    """Whether some time of the week that the first `slots` slots contain is never measured in them.

    >>> from dataclasses import replace
    >>> from hushwatt.plan.presets import preset
    >>> weekly = replace(preset("advised"), method="lsp", window=7)
    >>> aliases(weekly), aliases(replace(weekly, window=3)), aliases(replace(weekly, method="lpu"))
    (True, False, False)
    """
    return blind_spot(plan, slots) is not None


def blind_spot(plan: Plan, slots: int | None = None) -> str | None:
    """What the first `slots` slots of a plan leave unseen, in words; None when nothing is.

    >>> from dataclasses import replace
    >>> from hushwatt.plan.presets import preset
    >>> blind_spot(replace(preset("advised"), method="lsp", window=7))
    'it only ever measures Mondays'
    """
    if _step(plan) == 1:
        return None
    count = plan.calendar.slots if slots is None else min(slots, plan.calendar.slots)
    drawn, there = drawn_slots(plan, slots), np.arange(min(count, WEEK // plan.slot.seconds + 1))
    for clocks_change in (True, False):
        told = unseen(plan, week_seen(plan, drawn, clocks_change), week_seen(plan, there, clocks_change))
        if told is not None:
            return told if clocks_change else f"between two changes of the clocks {told}"
    return None


def unseen_between(plan: Plan, measured: Slots, asked: Slots) -> str | None:
    """What the slots `measured` leave unseen of the times of day and week that the slots `asked` contain."""
    return unseen(plan, week_seen(plan, measured), week_seen(plan, asked))


def unseen(plan: Plan, seen: Mask, there: Mask) -> str | None:
    """In words, which part of the times that are `there` is not `seen`: of the day, else of the week."""
    if not (there & ~seen).any():
        return None
    by_day, day_there = (np.asarray(mask.reshape(7, DAY).any(axis=0)) for mask in (seen, there))
    by_weekday, weekday_there = (np.asarray(mask.reshape(7, DAY).any(axis=1)) for mask in (seen, there))
    if (day_there & ~by_day).any():
        return f"it only ever measures {_of_day(by_day)}{_where(plan)}"
    if (weekday_there & ~by_weekday).any():
        return f"it only ever measures {_listed([WEEKDAYS[day] for day in np.flatnonzero(by_weekday)])}"
    share = (seen & there).sum() / there.sum()
    return (
        f"it measures every hour on some weekdays only, {share:.0%} of the hours of a week{_where(plan)}, "
        "always the same ones"
    )


def _local_starts(plan: Plan, slots: Slots, clocks_change: bool) -> NDArray[np.int64]:
    """When slots begin by the clocks of the plan's time zone, in seconds since a Monday's midnight."""
    first = nanoseconds(plan.calendar.start_of(0)) // 1_000_000_000
    starts = first + slots * plan.slot.seconds
    if plan.slot.unit == "d" or not clocks_change:  # days begin at local midnight, whatever the clocks do
        return np.asarray(starts + _offset(plan, first) + MONDAY)
    hours, which = np.unique(starts // 3600, return_inverse=True)
    offsets = np.array([_offset(plan, int(hour) * 3600) for hour in hours.tolist()], dtype=np.int64)
    return np.asarray(starts + offsets[which] + MONDAY)


def _offset(plan: Plan, seconds: int) -> int:
    """How far the clocks are ahead of UTC, in seconds."""
    ahead = (EPOCH + timedelta(seconds=seconds)).astimezone(zone(plan.timezone)).utcoffset()
    return 0 if ahead is None else int(ahead.total_seconds())


def _of_day(seen: Mask) -> str:
    """Spans of the day, such as 00:00 to 01:00."""
    changes = np.flatnonzero(np.diff(np.concatenate([[False], seen, [False]]).astype(np.int8)))
    spans = [(int(begin), int(end)) for begin, end in pairwise(changes)][::2]
    if len(spans) > FEW:
        return f"{seen.sum() / 3600:.3g} hours of the day, in {len(spans)} pieces"
    return _listed([f"{_clock(begin)} to {_clock(end)}" for begin, end in spans])


def _clock(second: int) -> str:
    """A time of day, 24:00 for its end."""
    text = f"{second // 3600:02}:{second // 60 % 60:02}"
    return f"{text}:{second % 60:02}" if second % 60 else text


def _where(plan: Plan) -> str:
    return f" ({plan.timezone})" if plan.slot.unit != "d" else ""


def _listed(texts: list[str]) -> str:
    return texts[0] if len(texts) == 1 else f"{', '.join(texts[:-1])} and {texts[-1]}"
