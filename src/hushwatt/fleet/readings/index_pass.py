"""The first pass over a table of readings: who, and when.

It reads households and times, numbers the homes, and keeps for the second
pass only the runs of rows that belong together.
"""

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from hushwatt.fleet.progress import ProgressStage
from hushwatt.fleet.readings.columns import CellError, encode_names, to_nanoseconds
from hushwatt.fleet.readings.files import ReadingsFile, refusal
from hushwatt.fleet.readings.household_index import HouseholdIndex
from hushwatt.fleet.readings.run_lengths import RunLengths, run_lengths
from hushwatt.fleet.readings.slot_histogram import SlotHistogram
from hushwatt.parallel import prefetch
from hushwatt.plan.calendar import Calendar


@dataclass(frozen=True)
class UnnumberedBatch:
    """A batch whose households have no numbers yet: its names, and its runs by their place there."""

    names: pa.Array
    runs: NDArray[np.void]


class IndexPass:
    """Goes through the files once, in their order."""

    def __init__(self, calendar: Calendar, known: pa.Array | None) -> None:
        self._calendar = calendar
        self._index = HouseholdIndex(known)
        self.histogram = SlotHistogram(calendar.slots)
        self.runs = RunLengths()

    def read(self, files: list[ReadingsFile], progress: ProgressStage) -> None:
        """Go through all the files."""
        for file in files:
            first = 0
            for batch, fraction in prefetch(file.batches(("household", "time"))):
                try:
                    self._add_batch(batch)
                except CellError as fault:
                    raise refusal(file, first, fault) from None
                first += batch.num_rows
                progress.reached(file.size * fraction)
            progress.advance(file.size)

    def homes(self) -> tuple[pa.Array, NDArray[np.int32]]:
        """All homes in ascending order, and for each number in the runs its place there."""
        return self._index.sorted()

    def _add_batch(self, batch: pa.RecordBatch) -> None:
        households = encode_names("household", batch.column("household"))
        runs = run_lengths(self._calendar, households, to_nanoseconds(batch.column("time")))
        self.histogram.add(runs)
        unnumbered = _used_names(households.texts, runs)
        numbers = self._index.in_order(unnumbered.names)
        numbers = self._index.numbers(unnumbered.names) if numbers is None else numbers
        unnumbered.runs["home"] = numbers[unnumbered.runs["home"]]
        self.runs.append(unnumbered.runs)


def _used_names(texts: pa.Array, runs: NDArray[np.void]) -> UnnumberedBatch:
    """Leave out names that a file's dictionary has and none of these rows."""
    used = np.zeros(len(texts), dtype=np.bool_)
    used[runs["home"]] = True
    if used.sum() == len(runs):  # each home once: in the order of the rows
        texts = texts.take(pa.array(runs["home"]))
        runs["home"] = np.arange(len(runs))
    elif not used.all():
        texts = texts.filter(pa.array(used))
        runs["home"] = (np.cumsum(used) - 1)[runs["home"]]
    return UnnumberedBatch(texts, runs)
