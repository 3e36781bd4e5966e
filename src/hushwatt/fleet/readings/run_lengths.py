"""Who and when, without what, run-length encoded.

Consecutive rows of one household in one slot are a run.  A table sorted by
time and household has few of them, so the names need to be read only once;
the second pass, which reads the watts, follows the runs.
"""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from hushwatt.fleet.readings.columns import EncodedNames
from hushwatt.fleet.spill_store import scratch_file
from hushwatt.plan.calendar import Calendar

RUN = np.dtype([("home", np.int32), ("slot", np.int32), ("rows", np.int32)])
MEMORY_RUNS = 1 << 22  # runs kept in memory, 48 MiB; more of them wait on disk
BLOCK_RUNS = 1 << 14


def run_lengths(calendar: Calendar, households: EncodedNames, moments: NDArray[np.int64]) -> NDArray[np.void]:
    """The runs of one batch; `home` is the household's code in this batch.

    Slot −1 is before the plan's start, and `calendar.slots` is after it expires.
    """
    heads = _changes(households.codes, moments)
    homes, slots = households.codes[heads], calendar.slot_of(moments[heads])
    kept = _changes(homes, slots)
    runs = np.empty(len(kept), dtype=RUN)
    runs["home"], runs["slot"] = homes[kept], slots[kept]
    runs["rows"] = np.diff(heads[kept], append=len(moments))
    return runs


def _changes(*columns: NDArray[np.int64] | NDArray[np.int32]) -> NDArray[np.intp]:
    """Where a row differs from the one before it; the first row always does."""
    differs = np.zeros(len(columns[0]), dtype=np.bool_)
    differs[:1] = True
    for column in columns:
        differs[1:] |= column[1:] != column[:-1]
    return np.flatnonzero(differs)


class RunLengths:
    """All runs of a table, in the order of its rows.

    What does not fit in memory goes to a file without a name, which is gone
    when the process is, however it ends.
    """

    def __init__(self, memory: int = MEMORY_RUNS) -> None:
        self._memory, self._in_memory, self._spilled = memory, 0, 0
        self._parts: list[NDArray[np.void]] = []
        self._file = scratch_file(self)

    def append(self, runs: NDArray[np.void]) -> None:
        """Add the runs of the rows that follow."""
        self._parts.append(runs)
        self._in_memory += len(runs)
        if self._in_memory > self._memory:
            for part in self._parts:
                self._file.write(part.tobytes())
            self._spilled += self._in_memory
            self._parts, self._in_memory = [], 0

    def rows(self, places: NDArray[np.int32]) -> Iterator[tuple[NDArray[np.int32], NDArray[np.int32]]]:
        """For every row its household's place and its slot, piece by piece."""
        for runs in self.blocks():
            yield np.repeat(places[runs["home"]], runs["rows"]), np.repeat(runs["slot"], runs["rows"])

    def blocks(self) -> Iterator[NDArray[np.void]]:
        """The runs, piece by piece."""
        for start in range(0, self._spilled, BLOCK_RUNS):
            self._file.seek(start * RUN.itemsize)
            yield np.frombuffer(self._file.read(BLOCK_RUNS * RUN.itemsize), dtype=RUN)
        yield from self._parts
