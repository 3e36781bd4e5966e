"""From rows that come when they come to means over periods: hold the last value, and integrate.

A row says what an appliance draws from its time on.  It is held until the
next row; rows are never summed and never plainly averaged, because many rows
come when much changes.  When the next row is later than the longest gap, what
happened in between is unknown: the time is unmeasured, and the row before it
is not held at all.  The last row of all is held as long as the one before it
was.  A NaN is a row that says: from now on, unmeasured.

The mean of a period is taken over the measured part of it.
"""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from hushwatt.evaluate.datasets.time_grid import SECOND, Moments, TimeGrid

MAX_STRETCH_GAP = 86_400.0  # seconds without a row after which the periods in between are not even looked at

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class PeriodEnergy:
    """What one meter measured, period by period."""

    starts: Moments
    lengths: Floats  # seconds
    joules: Floats
    seconds: Floats  # that were measured

    def means(self, coverage: float) -> tuple[Moments, Floats]:
        """Mean watts of the periods of which at least this share was measured, and any at all."""
        enough = self._enough(coverage)
        return self.starts[enough], self.joules[enough] / self.seconds[enough]

    def left_out(self, coverage: float) -> int:
        """How many periods were measured, but too little of them."""
        return int(((self.seconds > 0) & ~self._enough(coverage)).sum())

    def partly(self, coverage: float) -> int:
        """How many periods have a mean although less than half of them was measured."""
        return int((self._enough(coverage) & (self.seconds < 0.5 * self.lengths)).sum())

    def _enough(self, coverage: float) -> NDArray[np.bool_]:
        return (self.seconds > 0) & (self.seconds >= coverage * self.lengths)


class ZeroOrderHold:
    """The means of one or several meters that are read at the same times, fed piece by piece.

    >>> from hushwatt.plan.slot import SlotLength
    >>> hold = ZeroOrderHold(TimeGrid(SlotLength(1, "h")), meters=1, longest_gap=7_200)
    >>> hold.add(np.array([0, 3_000, 5_400]) * SECOND, np.array([[10.0], [100.0], [0.0]]))
    >>> [periods] = hold.finish()
    >>> periods.means(coverage=0)[1].tolist()  # first 3000 s of 10 W and 600 s of 100 W
    [25.0, 50.0, 0.0]
    """

    def __init__(self, grid: TimeGrid, meters: int, longest_gap: float) -> None:
        self.grid, self.meters, self.longest_gap = grid, meters, longest_gap
        self.late = 0  # rows left out because an earlier piece had later ones
        self._times: Moments = np.empty(0, dtype=np.int64)  # the last row, and the one before it
        self._watts: Floats = np.empty((0, meters))
        self._pieces: list[tuple[Moments, Floats, Floats, Floats]] = []

    def add(self, times: Moments, watts: Floats) -> None:
        """Take more rows, rows × meters; within one piece they may be in any order."""
        order = np.argsort(times, kind="stable")
        times, watts = times[order], watts[order]
        if self._times.size:
            fresh = int(np.searchsorted(times, self._times[-1]))
            self.late += fresh
            times, watts = times[fresh:], watts[fresh:]
        if times.size:
            self._integrate(np.concatenate([self._times[-1:], times]), np.concatenate([self._watts[-1:], watts]))
            self._times = np.concatenate([self._times, times])[-2:]
            self._watts = np.concatenate([self._watts, watts])[-2:]

    def finish(self) -> list[PeriodEnergy]:
        """What each meter measured."""
        if self._times.size == 2:
            end = 2 * self._times[-1] - self._times[-2]
            self._integrate(np.array([self._times[-1], end]), self._watts[[-1, -1]])
        if not self._pieces:
            nothing = np.empty(0)
            return [PeriodEnergy(nothing.astype(np.int64), nothing, nothing, nothing)] * self.meters
        starts, lengths, joules, seconds = (np.concatenate(parts) for parts in zip(*self._pieces, strict=True))
        starts, first, period = np.unique(starts, return_index=True, return_inverse=True)
        return [
            PeriodEnergy(starts, lengths[first], summed(period, joules[:, meter]), summed(period, seconds[:, meter]))
            for meter in range(self.meters)
        ]

    def _integrate(self, times: Moments, watts: Floats) -> None:
        """Add what was drawn from the first time to the last."""
        for begin, end in _stretches(times, max(MAX_STRETCH_GAP, self.longest_gap)):
            self._stretch(times[begin:end], watts[begin:end])

    def _stretch(self, times: Moments, watts: Floats) -> None:
        """Energy grows in straight lines from row to row, so periods read it off at their borders."""
        elapsed = (times - times[0]) / SECOND
        held = np.diff(elapsed)[:, None]
        known = (held <= self.longest_gap) & ~np.isnan(watts[:-1])
        edges = self.grid.edges(int(times[0]), int(times[-1]))
        at = np.clip((edges - times[0]) / SECOND, 0.0, elapsed[-1])
        joules = _at_borders(at, elapsed, np.where(known, watts[:-1] * held, 0.0))
        seconds = _at_borders(at, elapsed, np.where(known, held, 0.0))
        self._pieces.append((edges[:-1], np.diff(edges) / SECOND, joules, seconds))


def summed(places: NDArray[np.intp], numbers: Floats) -> Floats:
    """The sum of the numbers of each place."""
    return np.asarray(np.bincount(places, weights=numbers), dtype=np.float64)


def _stretches(times: Moments, apart: float) -> list[tuple[int, int]]:
    """Runs of at least two rows without a gap of more than `apart`, as first and past-the-last row."""
    breaks = np.flatnonzero(np.diff(times) > apart * SECOND) + 1
    borders = [0, *breaks.tolist(), len(times)]
    return [(begin, end) for begin, end in pairwise(borders) if end - begin > 1]


def _at_borders(at: Floats, elapsed: Floats, steps: Floats) -> Floats:
    """How much of what grows by `steps` from row to row falls between neighbouring borders."""
    grown = np.vstack([np.zeros((1, steps.shape[1])), np.cumsum(steps, axis=0)])
    return np.stack([np.diff(np.interp(at, elapsed, meter)) for meter in grown.T], axis=1)
