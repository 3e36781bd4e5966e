"""What comes round again: how a slot differs from others by its time of day and its day of the week.

A season is learnt from the earlier slots of the same phase, on the clocks of the plan's
time zone, and is as sure as they are many.
"""

from collections.abc import Sequence

import numpy as np

from hushwatt.plan.plan import Plan
from hushwatt.plan.times import zone
from hushwatt.provider.estimate.array_types import Floats, Indices, Mask

DAY, WEEK = 86_400, 7 * 86_400  # seconds
MAX_ROUNDS = 20  # rounds that a season remembers
UNSEEN_VARIANCE = 1e4  # variance of a phase that was not seen yet, over that of the noise


def season_phases(plan: Plan, slots: Sequence[int]) -> list[Indices]:
    """The phase of every slot in each season that slots of this length can have.

    Slots shorter than a day have the time of day and the time of the week, whole days the weekday, and
    slots of a week or more none.  Slots that are published together are one.
    """
    length = plan.publish * plan.slot.seconds
    if length >= WEEK:
        return []
    timezone = zone(plan.timezone)
    starts = [plan.calendar.start_of(int(slot)).astimezone(timezone) for slot in slots]
    weekday = np.array([start.weekday() for start in starts], dtype=np.intp)
    if length >= DAY:
        return [weekday]
    seconds = np.array([start.hour * 3600 + start.minute * 60 + start.second for start in starts])
    time = (seconds // length).astype(np.intp)
    return [time, weekday * -(-DAY // length) + time]


class SeasonalProfiles:
    """The mean course of every season, and how many rounds each phase has behind it."""

    def __init__(self, phases: Sequence[Indices], series: int) -> None:
        counts = [int(each.max(initial=-1)) + 1 for each in phases]
        self._phases, self._series = phases, series
        self._means = [np.zeros((count, series)) for count in counts]
        self._rounds = [np.zeros((count, series)) for count in counts]

    def at(self, index: int) -> tuple[Floats, Floats]:
        """What every season adds in the slot, and its variance over that of the slot's noise.

        First of all, no season: nothing, and surely.
        """
        season, variance = np.zeros((2, len(self._phases) + 1, 1, self._series))
        for number, phases in enumerate(self._phases, start=1):
            rounds = self._rounds[number - 1][phases[index]]
            season[number, 0] = self._means[number - 1][phases[index]]
            variance[number, 0] = np.where(rounds > 0, 1 / np.maximum(rounds, 1), UNSEEN_VARIANCE)
        return season, variance

    def learn(self, index: int, estimate: Floats, deviation: Floats, series: Mask) -> None:
        """Take the slot into the means of its phases, less the `deviation` of the level, for these series."""
        for number, phases in enumerate(self._phases, start=1):
            means, rounds = self._means[number - 1], self._rounds[number - 1]
            phase = phases[index]
            rounds[phase] = np.minimum(rounds[phase] + series, MAX_ROUNDS)
            away = estimate - deviation[number] - means[phase]
            means[phase] += np.where(series, away / np.maximum(rounds[phase], 1), 0.0)
