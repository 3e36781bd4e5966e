"""Invented homes like those of the IDEAL study: who owns what, how often it runs, and when.

Every home has residents, the appliances it owns, and habits of its own, drawn
once.  Every day it uses each appliance a Poisson number of times at moments
that follow the measured hours of the day; a use has a length and a course of
watts.  Fridges and freezers cycle day and night.  In some weeks nobody is at
home.  A reading is the mean watts over its slot, so the same homes can be
asked by day, by hour or by minute.
"""

from collections.abc import Iterator
from datetime import datetime
from functools import lru_cache
from typing import ClassVar
from zoneinfo import ZoneInfo

import numpy as np
from numpy.typing import NDArray

from hushwatt.evaluate.generators.appliance_facts import DAY, facts_for, household
from hushwatt.evaluate.generators.daily import Timetable, Uses, cooled, draw_uses, one_after_another, used
from hushwatt.evaluate.generators.habits import Habits, column, draw_habits
from hushwatt.evaluate.generators.home_generator import Watts
from hushwatt.evaluate.generators.streams import Streams, label
from hushwatt.plan.plan import Plan

LABEL_OFFSET = 1_000_000  # days and weeks are counted from 1970, labels of streams from 0
CACHED_BLOCKS = 64  # blocks of homes whose habits and whose day are kept at hand


class IdealHomes:
    """Homes like IDEAL's, at what appliances really draw over a day: tens of watts."""

    name: ClassVar[str] = "ideal"
    about: ClassVar[str] = "IDEAL-like homes: IDEAL's ownership, measured and published use"

    def __init__(self, plan: Plan, streams: Streams) -> None:
        self.plan, self.streams = plan, streams
        self.facts = tuple(facts_for(appliance) for appliance in plan.appliances)
        self.household = household()
        self.table = Timetable.of(self.facts)
        self.standby = column(self.facts, "standby")
        self.cools = bool(column(self.facts, "cold").any())
        self.habits = lru_cache(CACHED_BLOCKS)(self._habits)
        self.uses = lru_cache(CACHED_BLOCKS)(self._uses)

    def watts(self, slot: int, block: int, homes: int) -> Watts:
        """The mean watts of each home and appliance over one slot."""
        begin, lasts = self._when(slot)
        habits = self.habits(block, homes)
        joules = habits.owns * (self.standby * lasts)
        for day, since, until in days(begin, begin + lasts):
            joules += used(self.uses(block, homes, day), self.table, habits.watts, since, until)
            if self.cools:
                joules += cooled(self._open("cold", block, day), self.table, habits, since, until)
        watts = np.asarray(joules / lasts, dtype=np.float64)
        return np.where(habits.owns, watts, np.nan) if self.plan.answers_unmeasured else watts

    def _when(self, slot: int) -> tuple[float, float]:
        """The local second, since 1970, at which a slot begins, and the seconds it lasts."""
        start = self.plan.calendar.start_of(slot)
        local = start.astimezone(ZoneInfo(self.plan.timezone)).replace(tzinfo=None)
        lasts = self.plan.calendar.end_of(slot) - start
        return (local - datetime(1970, 1, 1)).total_seconds(), lasts.total_seconds()

    def _habits(self, block: int, homes: int) -> Habits:
        return draw_habits(self._open("habits", block), self.facts, self.household, homes)

    def _uses(self, block: int, homes: int, day: int) -> Uses:
        expected = self.habits(block, homes).uses * np.float32(self.household.on_day(day))
        expected *= ~self._away(block, homes, day)[:, None]
        uses = draw_uses(self._open("day", block, day), self.table, expected)
        return uses if self.plan.slot.unit == "d" else one_after_another(uses)  # within a day, order matters

    def _away(self, block: int, homes: int, day: int) -> NDArray[np.bool_]:
        """Which homes are empty in the week of `day`; weeks begin on Monday."""
        return self._open("week", block, (day + 3) // 7).random(homes) < self.household.away

    def _open(self, purpose: str, block: int, time: int = 0) -> np.random.Generator:
        return self.streams.open(label(self.name), label(purpose), block, time + LABEL_OFFSET)


def days(begin: float, end: float) -> Iterator[tuple[int, float, float]]:
    """The days that a time touches, each with the seconds of the day between which it does.

    >>> list(days(86_400 - 60, 86_400 + 120))
    [(0, 86340.0, 86400.0), (1, 0.0, 120.0)]
    """
    for day in range(int(begin // DAY), int(-(-end // DAY))):
        midnight = day * DAY
        yield day, max(begin - midnight, 0.0), min(end - midnight, DAY)
