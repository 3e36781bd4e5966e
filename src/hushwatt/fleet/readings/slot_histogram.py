"""What the first pass over a table tells: how many rows, which slots, in which order."""

import numpy as np
from numpy.typing import NDArray

MAX_BINS = 1 << 16  # of the histogram of rows over slots


class SlotHistogram:
    """Counts rows by slot, run by run."""

    def __init__(self, slots: int) -> None:
        self.slots = slots
        self.rows = self.before = self.after = 0  # rows in all; before the start; after the plan expires
        self.first: int | None = None
        self.last: int | None = None
        self.in_order = True  # no row of a slot comes after one of a later slot
        self.width = -(-slots // MAX_BINS) or 1  # slots in a bin of the histogram
        self.histogram = np.zeros(-(-slots // self.width), dtype=np.int64)
        self._latest = 0

    def add(self, runs: NDArray[np.void]) -> None:
        """Count the rows of these runs, which follow those before."""
        before, after = runs["slot"] < 0, runs["slot"] >= self.slots
        self.rows += int(runs["rows"].sum())
        self.before += int(runs["rows"][before].sum())
        self.after += int(runs["rows"][after].sum())
        inside = runs[~(before | after)]
        if len(inside):
            self._add_slots(inside["slot"], inside["rows"])

    def _add_slots(self, slots: NDArray[np.int32], rows: NDArray[np.int32]) -> None:
        first, last = int(slots.min()), int(slots.max())
        self.first = first if self.first is None else min(self.first, first)
        self.last = last if self.last is None else max(self.last, last)
        self.in_order &= self._latest <= int(slots[0]) and bool((slots[1:] >= slots[:-1]).all())
        self._latest = int(slots[-1])
        bins = np.bincount(slots // self.width, weights=rows, minlength=len(self.histogram))
        self.histogram += bins.astype(np.int64)  # exact: a batch has fewer than 2⁵³ rows
