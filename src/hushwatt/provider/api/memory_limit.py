"""Memory for what clients have not finished, bounded for all of them together.

When there is no more, whoever has held some for the longest must go: an honest client is done
in a moment, one that dawdles is not.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

SMALL = 4096  # bytes that are not worth counting


class Reservation:
    """What one client holds."""

    def __init__(self, room: "MemoryLimit", limit: asyncio.Timeout) -> None:
        self._room, self.limit, self.held = room, limit, 0

    def take(self, count: int) -> None:
        """Hold so many bytes more; others may have to go for it, or this one."""
        self.held += count
        if self.held > SMALL:
            self._room.make(self)


class MemoryLimit:
    """So many bytes for all."""

    def __init__(self, size: int) -> None:
        self._size, self.held = size, 0
        self._places: dict[Reservation, int] = {}  # and what each holds, oldest first

    @asynccontextmanager
    async def place(self, seconds: float | None = None) -> AsyncIterator[Reservation]:
        """A place in the room; a TimeoutError inside when the time is over, or the place is needed."""
        async with asyncio.timeout(seconds) as limit:
            place = Reservation(self, limit)
            try:
                yield place
            finally:
                self._free(place)

    def make(self, place: Reservation) -> None:
        """Make room for what a place holds."""
        self.held += place.held - self._places.get(place, 0)
        self._places[place] = place.held
        while self.held > self._size:
            oldest = next(iter(self._places))
            self._free(oldest)
            if oldest is place:
                raise TimeoutError
            if not oldest.limit.expired():
                oldest.limit.reschedule(asyncio.get_running_loop().time())

    def _free(self, place: Reservation) -> None:
        self.held -= self._places.pop(place, 0)
