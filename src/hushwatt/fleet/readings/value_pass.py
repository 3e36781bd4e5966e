"""The second pass over a table of readings: what.

It reads appliances and watts, and follows the runs of the first pass to know
whose they are and when.
"""

from collections import Counter
from collections.abc import Iterator

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from hushwatt.errors import ReadingsError
from hushwatt.fleet.progress import ProgressStage
from hushwatt.fleet.readings.bucket_sort import Rows
from hushwatt.fleet.readings.columns import CellError, EncodedNames, encode_names, to_watts
from hushwatt.fleet.readings.files import ReadingsFile, refusal
from hushwatt.parallel import prefetch
from hushwatt.plan.shown import printable

SHOWN = 5  # names in an error
MAX_OUTSIDE = 100_000  # appliances that are not in the plan, each counted by its name
Owners = tuple[NDArray[np.int32], NDArray[np.int32]]  # of each row, its home's place and its slot


class ValuePass:
    """Goes through the files once more, and counts what it leaves out."""

    def __init__(self, appliances: tuple[str, ...], slots: int, nulls: bool = False) -> None:
        """`nulls` says that a row without watts is one that was not measured, and no error."""
        self._appliances = pa.array(appliances, pa.string())
        self._slots, self._nulls = slots, nulls
        self.outside: Counter[str] = Counter()
        self.used = self.negative = 0  # rows, and those of them that are below 0 W

    def rows(self, files: list[ReadingsFile], owners: Iterator[Owners], progress: ProgressStage) -> Iterator[Rows]:
        """The rows that count, batch by batch, in the order of the files."""
        buffer = OwnerBuffer(owners)
        for file in files:
            first = 0
            for batch, _ in prefetch(file.batches(("appliance", "watts"))):
                try:
                    rows = self._rows(batch, buffer.take(batch.num_rows))
                except CellError as fault:
                    raise refusal(file, first, fault) from None
                except StopIteration:
                    raise _changed(file) from None
                first += batch.num_rows
                yield rows
                progress.advance(batch.num_rows)
        if buffer.any_left():
            raise _changed(files[-1])
        if self.outside and not self.used:
            raise ReadingsError(f"no row is of an appliance of the plan, but of {self._other_names()}")

    def _rows(self, batch: pa.RecordBatch, owners: Owners) -> Rows:
        appliances = encode_names("appliance", batch.column("appliance"))
        homes, slots = owners
        columns = self._column_of(appliances)[appliances.codes]
        counted = (slots >= 0) & (slots < self._slots)
        present, measured = self._measured(batch.column("watts"))
        if (unknown := counted & (columns < 0)).any():
            self._count_outside(appliances, unknown)
            counted &= ~unknown
        cells = homes * np.int64(len(self._appliances)) + columns
        self.used += int(np.count_nonzero(counted))
        counted &= present
        if not counted.all():
            slots, cells, measured = slots[counted], cells[counted], measured[counted]
        return slots, cells, self._not_negative(measured)

    def _measured(self, watts: pa.Array) -> tuple[NDArray[np.bool_] | np.bool_, NDArray[np.float64]]:
        """Which rows were measured, and their watts."""
        if not (self._nulls and watts.null_count):
            return np.True_, to_watts(watts)
        present = watts.is_valid().to_numpy(zero_copy_only=False)
        return present, to_watts(watts.cast(pa.float64(), safe=False).fill_null(0.0))

    def _column_of(self, appliances: EncodedNames) -> NDArray[np.int64]:
        """Where each name stands in the plan; −1 for one that does not."""
        indices = pc.index_in(appliances.texts, value_set=self._appliances).cast(pa.int64())
        return np.asarray(indices.fill_null(-1))

    def _count_outside(self, appliances: EncodedNames, unknown: NDArray[np.bool_]) -> None:
        for count in pc.value_counts(appliances.texts.take(pa.array(appliances.codes[unknown]))).to_pylist():
            self.outside[count["values"]] += count["counts"]
        if len(self.outside) > MAX_OUTSIDE:
            raise ReadingsError(f"more than {MAX_OUTSIDE:,} appliances are not in the plan: {self._other_names()}")

    def _other_names(self) -> str:
        names = [printable(name) for name in sorted(self.outside)]
        return ", ".join(names[:SHOWN]) + (f" and {len(names) - SHOWN} more" if len(names) > SHOWN else "")

    def _not_negative(self, measured: NDArray[np.float64]) -> NDArray[np.float64]:
        below = int(np.count_nonzero(measured < 0))
        self.negative += below
        return np.maximum(measured, 0.0) if below else measured


class OwnerBuffer:
    """Deals out the owners of rows, however many are asked for."""

    def __init__(self, pieces: Iterator[Owners]) -> None:
        self._pieces = pieces
        self._left: Owners = (np.zeros(0, np.int32), np.zeros(0, np.int32))

    def take(self, count: int) -> Owners:
        """The owners of the next `count` rows; StopIteration when there are not as many."""
        homes, slots = self._left
        while len(homes) < count:
            more_homes, more_slots = next(self._pieces)
            homes = np.concatenate([homes, more_homes]) if len(homes) else more_homes
            slots = np.concatenate([slots, more_slots]) if len(slots) else more_slots
        self._left = homes[count:], slots[count:]
        return homes[:count], slots[:count]

    def any_left(self) -> bool:
        """Are there owners of rows that did not come?"""
        return len(self._left[0]) > 0 or any(len(homes) for homes, _ in self._pieces)


def _changed(file: ReadingsFile) -> ReadingsError:
    return ReadingsError(f"{file.path}: its rows changed while they were read")
