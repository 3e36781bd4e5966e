"""What time it is: the one door to the clock.

Two clocks are read.  The wall's says which slot it is, and anyone can set it.  The
machine's counts the time since it was switched on, sleep included, and nobody can:
it tells whether a slot was really lived through.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, Self

SECOND = 1_000_000_000  # nanoseconds, the unit of all times here
BOOT_ID = Path("/proc/sys/kernel/random/boot_id")
BOOT_CLOCK = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)


@dataclass(frozen=True)
class Moment:
    """One look at both clocks, in nanoseconds."""

    wall: int  # since 1970, UTC
    alive: int  # since the machine was switched on
    boot: str  # names that switching on

    def jumped(self, earlier: Self) -> int:
        """By how much the wall's clock was moved forward since `earlier`; 0 when nobody can know."""
        if self.boot != earlier.boot or not self.boot:
            return 0
        return (self.wall - earlier.wall) - (self.alive - earlier.alive)


class Clock(Protocol):
    def look(self) -> Moment: ...


class SystemClock:
    """The clocks of this machine.

    >>> clock = SystemClock()
    >>> abs(clock.look().jumped(clock.look())) < SECOND
    True
    """

    def __init__(self, wall: Callable[[], int] = time.time_ns) -> None:
        self.wall = wall
        self.boot = BOOT_ID.read_text().strip() if BOOT_ID.exists() else ""

    def look(self) -> Moment:
        return Moment(self.wall(), time.clock_gettime_ns(BOOT_CLOCK), self.boot)
