"""The clocks of a home's machine, moved by hand."""

from dataclasses import dataclass
from datetime import UTC, datetime

from hushwatt.household.clock import SECOND, Moment
from hushwatt.plan.times import nanoseconds

START = nanoseconds(datetime(2024, 1, 1, tzinfo=UTC))


@dataclass
class MachineClock:
    """What the wall shows, how long the machine ran since its boot, and what nothing at home can see."""

    wall: int = START
    alive: int = 10**12
    boot: str = "first"
    true: int = 0  # what really passed
    boots: int = 0

    def look(self) -> Moment:
        return Moment(self.wall, self.alive, self.boot)

    def advance(self, seconds: float) -> None:
        for clock in ("wall", "alive", "true"):
            setattr(self, clock, getattr(self, clock) + round(seconds * SECOND))

    def reboot(self, off: float, wall: int | None = None) -> None:
        """Be off for a while; `wall` is what the clock shows then, on a machine without a battery for it."""
        self.advance(off)
        self.wall = self.wall if wall is None else wall
        self.boots += 1
        self.alive, self.boot = 20 * SECOND, f"boot {self.boots}"

    def jump(self, seconds: float) -> None:
        """Move the clock on the wall alone."""
        self.wall += int(seconds * SECOND)
