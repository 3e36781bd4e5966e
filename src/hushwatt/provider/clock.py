"""What time it is: the service's one door to the clock, so that others can hold it still."""

from datetime import UTC, datetime, timedelta
from typing import Protocol


class UtcClock(Protocol):
    """Tells the time in UTC."""

    def now(self) -> datetime: ...


class SystemUtcClock:
    """The machine's own clock."""

    def now(self) -> datetime:
        return datetime.now(UTC)


class ManualClock:
    """A clock that moves only by hand, for rehearsals and simulations.

    >>> clock = ManualClock(datetime(2024, 1, 1, tzinfo=UTC))
    >>> clock.forward(hours=36)
    >>> clock.now().isoformat()
    '2024-01-02T12:00:00+00:00'
    """

    def __init__(self, now: datetime) -> None:
        self._now = now

    def now(self) -> datetime:
        return self._now

    def set(self, now: datetime) -> None:
        self._now = now

    def forward(self, **step: float) -> None:
        self._now += timedelta(**step)
