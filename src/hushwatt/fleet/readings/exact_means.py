"""The mean of the readings of each home and appliance in one slot.

Several readings are summed exactly, so the mean does not depend on the order
of the rows, not even in its last bit: an edge is crossed in any order or in none.
"""

import numpy as np
from numpy.typing import NDArray

COARSE = 2.0**20  # multiples of 2⁻²⁰ W sum up exactly below 2³³ W
FINE = 2.0**60  # and what they leave of a reading, in multiples of 2⁻⁶⁰ W
HUGE_WATTS = 2.0**33  # W
STEP_CELLS = 1 << 20  # cells changed at a time, to save memory

Cells = NDArray[np.int64]
Watts = NDArray[np.float64]


class ExactMeans:
    """Sums the readings of one slot, cell by cell; a cell is one appliance in one home.

    >>> means = ExactMeans(3)
    >>> means.add(np.array([2, 0, 2, 2]), np.array([1.0, 5, 2, 6]))
    >>> means.result().tolist()
    [5.0, 0.0, 3.0]
    """

    def __init__(self, cells: int, missing: float = 0.0) -> None:
        """For as many cells; `missing` stands where nothing was measured."""
        self._sums, self._missing = np.zeros(cells), missing
        self._seen = np.zeros(cells, dtype=np.bool_)
        self._several: tuple[Watts, NDArray[np.int32]] | None = None  # see `_parted`

    def add(self, cells: Cells, watts: Watts) -> None:
        """Take in one reading for each of these cells, which may repeat."""
        if self._several is None and self._all_new(cells):
            self._sums[cells] = watts
        else:
            self._add_exactly(cells, watts)

    def result(self) -> Watts:
        """The means, and `missing` where nothing was measured; the sums are used up by this."""
        seen = self._seen
        if self._several is not None:
            rest, rows = self._several
            self._sums += rest
            np.divide(self._sums, rows, out=self._sums, where=rows > 1)
            seen = rows > 0
        if self._missing:
            self._sums[~seen] = self._missing
        return self._sums

    def _all_new(self, cells: Cells) -> bool:
        """Mark cells that are all new and all different as seen, and say whether they are."""
        if not len(cells):
            return True
        touched = self._seen[cells.min() : cells.max() + 1]
        before = np.count_nonzero(touched)
        if before and self._seen[cells].any():
            return False
        self._seen[cells] = True
        if np.count_nonzero(touched) - before == len(cells):
            return True
        self._seen[cells] = False
        return False

    def _add_exactly(self, cells: Cells, watts: Watts) -> None:
        rest, rows = self._several = self._several or self._parted()
        coarse, fine = _split(watts)
        with np.errstate(over="ignore"):
            np.add.at(self._sums, cells, coarse)
        np.add.at(rest, cells, fine)
        np.add.at(rows, cells, 1)

    def _parted(self) -> tuple[Watts, NDArray[np.int32]]:
        """Leave the coarse part of every sum; give the fine part, and how many readings it has."""
        rest = np.zeros_like(self._sums)
        for start in range(0, len(rest), STEP_CELLS):
            part = slice(start, start + STEP_CELLS)
            self._sums[part], rest[part] = _split(self._sums[part])
        return rest, self._seen.astype(np.int32)


def _split(watts: Watts) -> tuple[Watts, Watts]:
    """A coarse and a fine part that add up to the reading, to within 2⁻⁶¹ W."""
    within = np.minimum(watts, HUGE_WATTS)
    coarse = np.rint(within * COARSE) / COARSE
    fine = np.rint((within - coarse) * FINE) / FINE
    return np.where(watts < HUGE_WATTS, coarse, watts), fine
