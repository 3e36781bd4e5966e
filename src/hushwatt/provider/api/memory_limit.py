"""Memory for what clients have not finished, bounded for all of them together.

When there is no more, whoever has held some for the longest must go: an honest client is done
in a moment, one that dawdles is not.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

UNCOUNTED_BYTES = 4096  # bytes that are not worth counting


class Reservation:
    """What one client holds."""

    def __init__(self, memory: "MemoryLimit", timeout: asyncio.Timeout) -> None:
        self._memory, self.timeout, self.held = memory, timeout, 0

    def take(self, count: int) -> None:
        """Hold so many bytes more; others may have to go for it, or this one."""
        self.held += count
        if self.held > UNCOUNTED_BYTES:
            self._memory.make_room(self)


class MemoryLimit:
    """So many bytes for all."""

    def __init__(self, size: int) -> None:
        self._size, self.held = size, 0
        self._reservations: dict[Reservation, int] = {}  # and what each holds, oldest first

    @asynccontextmanager
    async def reserve(self, seconds: float | None = None) -> AsyncIterator[Reservation]:
        """Memory for one client; a TimeoutError inside when the time is over, or others need it."""
        async with asyncio.timeout(seconds) as timeout:
            reservation = Reservation(self, timeout)
            try:
                yield reservation
            finally:
                self._free(reservation)

    def make_room(self, reservation: Reservation) -> None:
        """Evict the oldest reservations until there is room for this one."""
        self.held += reservation.held - self._reservations.get(reservation, 0)
        self._reservations[reservation] = reservation.held
        while self.held > self._size:
            oldest = next(iter(self._reservations))
            self._free(oldest)
            if oldest is reservation:
                raise TimeoutError
            if not oldest.timeout.expired():
                oldest.timeout.reschedule(asyncio.get_running_loop().time())

    def _free(self, reservation: Reservation) -> None:
        self.held -= self._reservations.pop(reservation, 0)
