"""The times that a profile is told by in a sentence: parts of the day, or the fold's own keys when they are few."""

from collections.abc import Sequence

import numpy as np

from hushwatt.provider.dashboard.differences import Times
from hushwatt.provider.estimate.collected import CollectedSlots
from hushwatt.provider.estimate.times.fold import fold_rows
from hushwatt.provider.estimate.times.time_filter import WEEKDAYS, TimeFilter, local_spans

DAY_PARTS = ((0, 6), (6, 10), (10, 17), (17, 21), (21, 24))  # hours
WEEK_PARTS = (("from Mon to Fri", range(5)), ("at weekends", (5, 6)))
FEW = 7  # keys that are told one by one


def told_times(collected: CollectedSlots, fold: str) -> list[Times]:
    """The times that a fold's sentence compares; no two hold the same slot."""
    rows = fold_rows(collected.plan, collected.timeline, fold)
    if len(rows) <= FEW:
        return [Times(key_words(fold, key), mask) for key, mask in rows.items()]
    weeks: Sequence[tuple[str, Sequence[int]]] = WEEK_PARTS if fold == "hour-of-week" else (("", range(7)),)
    filters = {
        f"between {begins} and {ends} h {words}".strip(): TimeFilter(((60 * begins, 60 * ends),), frozenset(days))
        for words, days in weeks
        for begins, ends in DAY_PARTS
    }
    spans, asked = local_spans(collected.plan, collected.timeline), collected.timeline.requested
    masks = {
        words: asked & np.array([times.keeps(*span) for span in spans], dtype=bool) for words, times in filters.items()
    }
    return [Times(words, mask) for words, mask in masks.items() if mask.any()]


def key_words(fold: str, key: str) -> str:
    """A fold's key in a sentence."""
    if fold == "hour":
        return f"from {int(key)} h on"
    if fold == "weekday":
        return f"on {key.title()}"
    day, hour = key.split()
    return f"on {day.title()} from {int(hour)} h on"


def key_name(fold: str, key: str) -> str:
    """A fold's key in a table.

    >>> key_name("hour", "07"), key_name("weekday", "mon"), key_name("hour-of-week", "mon 07")
    ('07:00', 'Mon', 'Mon 07:00')
    """
    words = [word.title() if word in WEEKDAYS else f"{word}:00" for word in key.split()]
    return " ".join(words)
