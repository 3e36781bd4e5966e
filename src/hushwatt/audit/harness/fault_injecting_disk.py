"""A disk that fails from one step on, for a while: full, refusing to write, or unable to sync."""

import random
from dataclasses import dataclass
from typing import Any

import apsw

from hushwatt.audit.harness.power_loss_disk import PowerLossDisk

NEVER = 1 << 62  # a step that no disk reaches


@dataclass(frozen=True)
class DiskFault:
    """What goes wrong: with which calls, how SQLite is told, and for how many steps of the disk."""

    calls: tuple[str, ...]
    error: type[apsw.Error]
    code: int
    steps: int

    def failure(self) -> apsw.Error:
        failure: Any = self.error("the disk fails on purpose")
        failure.extendedresult = self.code
        raised: apsw.Error = failure
        return raised

    @property
    def unsure(self) -> bool:
        """Whether nobody can know what the disk holds afterwards."""
        return "sync" in self.calls


class FaultInjectingDisk(PowerLossDisk):
    """Fails at a step of its own counting; the first is 1."""

    def __init__(self, failing: DiskFault, first: int) -> None:
        super().__init__(self._fail)
        self.failing, self.first = failing, first
        self.failed = 0

    def mend(self) -> None:
        """It never fails again."""
        self.first = NEVER

    def _fail(self, kind: str) -> None:
        if kind in self.failing.calls and 0 <= self.steps - self.first < self.failing.steps:
            self.failed += 1
            raise self.failing.failure()


def random_fault(chance: random.Random) -> DiskFault:
    """One of the ways a disk fails, once or for long."""
    steps = chance.choice([1, 4, 1_000, 1_000])
    return chance.choice(
        [
            DiskFault(("write",), apsw.FullError, apsw.SQLITE_FULL, steps),
            DiskFault(("write", "truncate"), apsw.IOError, apsw.SQLITE_IOERR_WRITE, steps),
            DiskFault(("sync",), apsw.IOError, apsw.SQLITE_IOERR_FSYNC, steps),
        ]
    )


def evenly_spread(steps: int, count: int, chance: random.Random) -> list[int]:
    """So many of the steps, evenly over all of them; where it begins is chance.

    >>> evenly_spread(100, 4, random.Random(1))
    [4, 29, 54, 79]
    """
    offset = chance.random()
    return [1 + int((place + offset) * steps / count) for place in range(count)]
