"""The labels of homes that files name: a new home gets them from a table, one that is known keeps its own."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from hushwatt.errors import UsageError
from hushwatt.provider.intake.delivery import Delivery
from hushwatt.provider.intake.device_cache import DeviceCache
from hushwatt.provider.intake.device_names import DeviceIndex, unique_devices
from hushwatt.provider.store.cells import NO_CELL, all_cells, cell_of
from hushwatt.provider.store.session import Database, HomeNumbers, Session
from hushwatt.provider.tally.label_table import LabelTable, read_labels
from hushwatt.wire.labels import Labels

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True)
class FileLabels:
    """A table of labels, and where it was read."""

    path: Path
    table: LabelTable

    @classmethod
    def read(cls, path: Path) -> "FileLabels":
        return cls(path, read_labels(path))

    def cells_of(self, session: Session, plan: int, households: "pa.Array") -> HomeNumbers:
        """The cell of each of these homes in the store, new ones noted; 0 for those that the table does not name."""
        numbers, which = np.unique(self.table.cells_of(households), return_inverse=True)
        cells = [cell_of(session, plan, self._labels(number)) for number in numbers.tolist()]
        return np.array(cells, dtype=np.int64)[which]

    def check(self, database: Database, plan: int, file: Delivery) -> None:
        """Refuse a file some of whose homes came with other labels than the table says, before anything is kept."""
        index, cache, first, homes = DeviceIndex(), DeviceCache(file.plan), -1, 0
        with database.reading() as session:
            known = {each.labels.canonical(): each.cell for each in all_cells(session, plan)}
            stored = [known.get(self._labels(number).canonical(), -1) for number in range(len(self.table.cells))]
            stored[0] = NO_CELL
            for start, batch in file.batches(0):
                devices = cache.devices(batch)
                unknown = np.flatnonzero(index.find(devices)[0] < 0)
                unique, which = unique_devices(devices[unknown])
                _, _, cells = session.find_devices(plan, unique)
                index.add(unique, np.zeros(len(unique), dtype=np.int64), cells)
                said = np.array(stored)[self.table.cells_of(batch.households)[unknown]]
                wrong = contradicted(cells[which], said)
                if wrong.any():
                    first = start + int(unknown[wrong.argmax()]) if first < 0 else first
                    homes += len(np.unique(which[wrong]))
        if homes:
            raise self.refusal(file, homes, first)

    def refusal(self, file: Delivery, homes: int, row: int) -> UsageError:
        count = "1 home of it" if homes == 1 else f"{homes:,} homes of it"
        return UsageError(
            f"{self.path}: it says otherwise than what is known of homes in {file.path}, the first in row {row + 1}: "
            f"{count} came with other labels or with none, and a home keeps what it came with; "
            "take these homes out of the table"
        )

    def _labels(self, number: int) -> Labels:
        if not number:
            return Labels()
        cells = self.table.cells
        return Labels(
            tuple((name, value) for name, value in zip(cells.names, cells.values[number - 1], strict=True) if value)
        )


def contradicted(cells: HomeNumbers, said: HomeNumbers) -> NDArray[np.bool_]:
    """Which known homes have another cell than a table says, where it says anything."""
    wrong: NDArray[np.bool_] = (cells >= 0) & (said != NO_CELL) & (cells != said)
    return wrong
