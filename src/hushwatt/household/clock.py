"""What time it is: the one door to the clock.

Two clocks are read.  The wall's says which slot it is, and anyone can set it.  The
machine's counts the time since it was switched on, sleep included, and nobody can:
it tells how much time has really passed.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

SECOND = 1_000_000_000  # nanoseconds, the unit of all times here
MAX_READ_GAP = SECOND // 50  # both clocks are read within this time of each other, or read again
BOOT_ID = Path("/proc/sys/kernel/random/boot_id")
BOOT_CLOCK = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)


@dataclass(frozen=True)
class Moment:
    """One look at both clocks, in nanoseconds."""

    wall: int  # since 1970, UTC
    alive: int  # since the machine was switched on
    boot: str  # names that switching on; empty when nobody can know


class HomeClock(Protocol):
    def look(self) -> Moment: ...


class SystemHomeClock:
    """The clocks of this machine.

    >>> clock = SystemHomeClock()
    >>> one, two = clock.look(), clock.look()
    >>> abs((two.wall - one.wall) - (two.alive - one.alive)) < SECOND
    True
    """

    def __init__(
        self,
        wall: Callable[[], int] = time.time_ns,
        alive: Callable[[], int] = lambda: time.clock_gettime_ns(BOOT_CLOCK),
    ) -> None:
        self.wall, self.alive = wall, alive
        self.boot = BOOT_ID.read_text().strip() if BOOT_ID.exists() else ""

    def look(self) -> Moment:
        """Both clocks at one time, even on a machine that is busy or falls asleep in between."""
        while True:
            alive, wall = self.alive(), self.wall()
            if self.alive() - alive < MAX_READ_GAP:
                return Moment(wall, alive, self.boot)
