"""The periods that readings are averaged over, minutes and hours from 1970 on or local days; and local times."""

from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from functools import lru_cache
from zoneinfo import ZoneInfo

import numpy as np
from numpy.typing import NDArray

from hushwatt.plan.slot import SlotLength
from hushwatt.plan.times import local_day, midnight, nanoseconds, zone

SECOND = 1_000_000_000  # nanoseconds
HOUR = 3_600 * SECOND

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


def to_utc(wall: Moments, clocks: ZoneInfo) -> tuple[Moments, NDArray[np.bool_]]:
    """The moments at which clocks showed these times, and which of them exist at all.

    `wall` counts nanoseconds as if the clocks were in UTC.  An hour that the
    clocks skip in spring does not exist; one that they show twice in autumn
    means the first of the two.

    >>> shown = np.array([1, 2]) * HOUR + np.datetime64("2013-03-31", "ns").astype(np.int64)
    >>> moments, exist = to_utc(shown, ZoneInfo("Europe/Berlin"))
    >>> str(moments[:1].astype("datetime64[ns]")[0])[:16], exist.tolist()
    ('2013-03-31T00:00', [True, False])
    """
    hours, hour_of = np.unique(wall // HOUR, return_inverse=True)
    known = [_offset(int(hour), clocks) for hour in hours]
    offsets = np.array([offset or 0 for offset in known], dtype=np.int64)
    exist = np.array([offset is not None for offset in known], dtype=bool)
    return wall - offsets[hour_of] * SECOND, exist[hour_of]


def _offset(hour: int, clocks: ZoneInfo) -> int | None:
    """Seconds that the clocks are ahead of UTC when they show this hour; None when they never do."""
    shown = datetime(1970, 1, 1) + timedelta(hours=hour)
    local = shown.replace(tzinfo=clocks)
    if local.astimezone(UTC).astimezone(clocks).replace(tzinfo=None) != shown:
        return None
    ahead = local.utcoffset()
    return int(ahead.total_seconds()) if ahead is not None else None
