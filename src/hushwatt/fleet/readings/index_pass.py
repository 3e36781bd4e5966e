"""The first look at a table of readings: who, and when.

It reads households and times, numbers the homes, and keeps for the second
look only the runs of rows that belong together.
"""

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from hushwatt.fleet.progress import Stage
from hushwatt.fleet.readings.columns import Fault, moments, names
from hushwatt.fleet.readings.files import ReadingsFile, refusal
from hushwatt.fleet.readings.numbering import Numbering
from hushwatt.fleet.readings.runs import Runs, runs_of
from hushwatt.fleet.readings.survey import Survey
from hushwatt.parallel import prefetch
from hushwatt.plan.calendar import Calendar

TOGETHER = 1 << 20  # names looked up at once, at least: a look-up costs as much as all homes together


@dataclass(frozen=True)
class Waiting:
    """A batch whose households have no numbers yet: its names, and its runs by their place there."""

    names: pa.Array
    runs: NDArray[np.void]


class IndexPass:
    """Goes through the files once, in their order."""

    def __init__(self, calendar: Calendar, known: pa.Array | None) -> None:
        self._calendar = calendar
        self._numbering = Numbering(known)
        self._waiting: list[Waiting] = []
        self.survey = Survey(calendar.slots)
        self.runs = Runs()

    def read(self, files: list[ReadingsFile], progress: Stage) -> None:
        """Look at all the files."""
        for file in files:
            first = 0
            for batch, fraction in prefetch(file.batches(("household", "time"))):
                try:
                    self._note(batch)
                except Fault as fault:
                    raise refusal(file, first, fault) from None
                first += batch.num_rows
                progress.reached(file.size * fraction)
            progress.passed(file.size)
        self._number()

    def homes(self) -> tuple[pa.Array, NDArray[np.int32]]:
        """All homes in ascending order, and for each number in the runs its place there."""
        return self._numbering.sorted()

    def _note(self, batch: pa.RecordBatch) -> None:
        households = names("household", batch.column("household"))
        runs = runs_of(self._calendar, households, moments(batch.column("time")))
        self.survey.note(runs)
        waiting = _used(households.texts, runs)
        numbers = None if self._waiting else self._numbering.in_order(waiting.names)
        if numbers is not None:
            self._keep(waiting, numbers)
            return
        self._waiting.append(waiting)
        if sum(len(batch.names) for batch in self._waiting) >= max(TOGETHER, len(self._numbering)):
            self._number()

    def _number(self) -> None:
        """Give the households that wait their numbers."""
        waiting, self._waiting = self._waiting, []
        if waiting:
            for batch, numbers in zip(
                waiting, self._numbering.numbers([w.names for w in waiting]), strict=True
            ):
                self._keep(batch, numbers)

    def _keep(self, batch: Waiting, numbers: NDArray[np.int32]) -> None:
        batch.runs["home"] = numbers[batch.runs["home"]]
        self.runs.append(batch.runs)


def _used(texts: pa.Array, runs: NDArray[np.void]) -> Waiting:
    """Leave out names that a file's dictionary has and none of these rows."""
    used = np.zeros(len(texts), dtype=np.bool_)
    used[runs["home"]] = True
    if used.sum() == len(runs):  # each home once: in the order of the rows
        texts = texts.take(pa.array(runs["home"]))
        runs["home"] = np.arange(len(runs))
    elif not used.all():
        texts = texts.filter(pa.array(used))
        runs["home"] = (np.cumsum(used) - 1)[runs["home"]]
    return Waiting(texts, runs)
