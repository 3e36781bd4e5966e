"""What the clocks on the wall showed, as moments in UTC."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import numpy as np
from numpy.typing import NDArray

from hushwatt.evaluate.datasets.time_grid import SECOND, Moments

HOUR = 3_600 * SECOND
EPOCH = datetime(1970, 1, 1)


def to_utc(wall: Moments, zone: ZoneInfo) -> tuple[Moments, NDArray[np.bool_]]:
    """The moments at which clocks showed these times, and which of them exist at all.

    `wall` counts nanoseconds as if the clocks were in UTC.  An hour that the
    clocks skip in spring does not exist; one that they show twice in autumn
    means the first of the two.

    >>> shown = np.array([1, 2]) * HOUR + np.datetime64("2013-03-31", "ns").astype(np.int64)
    >>> moments, exist = to_utc(shown, ZoneInfo("Europe/Berlin"))
    >>> str(moments[:1].astype("datetime64[ns]")[0])[:16], exist.tolist()
    ('2013-03-31T00:00', [True, False])
    """
    hours, place = np.unique(wall // HOUR, return_inverse=True)
    known = [_offset(int(hour), zone) for hour in hours]
    offsets = np.array([offset or 0 for offset in known], dtype=np.int64)
    exist = np.array([offset is not None for offset in known], dtype=bool)
    return wall - offsets[place] * SECOND, exist[place]


def _offset(hour: int, zone: ZoneInfo) -> int | None:
    """Seconds that the clocks are ahead of UTC when they show this hour; None when they never do."""
    shown = EPOCH + timedelta(hours=hour)
    local = shown.replace(tzinfo=zone)
    if local.astimezone(UTC).astimezone(zone).replace(tzinfo=None) != shown:
        return None
    ahead = local.utcoffset()
    return int(ahead.total_seconds()) if ahead is not None else None
