"""The periods that readings are averaged over: minutes and hours from 1970 on, or local days."""

from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from hushwatt.plan.slot import SlotLength
from hushwatt.plan.times import local_day, midnight, nanoseconds, zone

SECOND = 1_000_000_000  # nanoseconds

Moments = NDArray[np.int64]  # nanoseconds since 1970, UTC


@dataclass(frozen=True)
class TimeGrid:
    """Periods of one length, back to back.

    >>> hours = TimeGrid(SlotLength(1, "h"))
    >>> (hours.edges(1_800 * SECOND, 3_601 * SECOND) // SECOND).tolist()
    [0, 3600, 7200]
    """

    every: SlotLength
    timezone: str = "UTC"  # of whole days; shorter periods know none

    def edges(self, first: int, last: int) -> Moments:
        """The borders of the periods from the one that holds `first` to the one that holds `last`."""
        if self.every.unit == "d":
            return self._midnights(first, last)
        step = self.every.seconds * SECOND
        return np.arange(first // step, last // step + 2, dtype=np.int64) * step

    def _midnights(self, first: int, last: int) -> Moments:
        days = self.every.count
        begin = self._day(first) // days
        end = self._day(last) // days
        return np.array([_midnight(number * days, self.timezone) for number in range(begin, end + 2)], dtype=np.int64)

    def _day(self, moment: int) -> int:
        """The number of the local day that holds a moment; 1970-01-01 is 0."""
        instant = datetime.fromtimestamp(moment // SECOND, UTC)
        return (local_day(instant, zone(self.timezone)) - date(1970, 1, 1)).days


@lru_cache(maxsize=4096)
def _midnight(day: int, timezone: str) -> int:
    return nanoseconds(midnight(date(1970, 1, 1) + timedelta(days=day), zone(timezone)))
