"""All appliances' slots side by side: the shares of every level, then the watts, of one after the other."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hushwatt.provider.estimate.slots import Slots

Numbers = NDArray[np.float64]
LEAST = 1e-12  # variance of a share below which nothing is to be gained


@dataclass(frozen=True)
class Panel:
    """One row for each slot, one column for each series."""

    starts: NDArray[np.intp]  # of the appliances
    lengths: NDArray[np.intp]  # series of each: its levels and one
    watts: NDArray[np.intp]  # where the series of watts are
    values: Numbers  # watts of each level, 0 for the series of watts
    known: NDArray[np.bool_]
    estimate: Numbers
    reports: Numbers
    absent: Numbers
    quiet: Numbers  # noise of a home about a level it does not hold
    slope: Numbers  # what is added when it does
    loud: Numbers  # noise of one home's watts, when it holds each level
    least: Numbers  # variances are no smaller

    @classmethod
    def of(cls, slots: Sequence[Slots], values: Sequence[Numbers]) -> "Panel":
        lengths = np.array([len(each) + 1 for each in values])
        starts = np.concatenate([[0], np.cumsum(lengths)[:-1]])

        def repeated(numbers: list[Numbers]) -> Numbers:
            return np.repeat(np.stack(numbers, axis=1), lengths, axis=1)

        return cls(
            starts=starts,
            lengths=lengths,
            watts=starts + lengths - 1,
            values=np.concatenate([part for each in values for part in (each, [0.0])]),
            known=repeated([each.known.astype(float) for each in slots]) > 0,
            estimate=side_by_side([each.share for each in slots], [each.watts for each in slots]),
            reports=repeated([each.reports for each in slots]),
            absent=repeated([each.absent for each in slots]),
            quiet=repeated([each.errors.quiet[:, 0] for each in slots]),
            slope=repeated([each.errors.slope[:, 0] for each in slots]),
            loud=side_by_side(
                [each.watts_loud for each in slots], [np.zeros(len(each.known)) for each in slots]
            ),
            least=LEAST
            * np.concatenate([np.append(np.ones(len(each)), np.ptp(each) ** 2) for each in values]),
        )

    def noise(self, place: int, expected: Numbers) -> Numbers:
        """The variances of a slot's estimates; they are those of a histogram halfway to what was expected."""
        reports, absent = self.reports[place], self.absent[place]
        histogram = np.maximum((self.estimate[place] + expected) / 2, 0.0)
        histogram[self.watts] = 0.0
        histogram = histogram * reports + 1
        histogram[self.watts] = 0.0
        histogram /= self._each(histogram)
        cells = self.quiet[place] + histogram * (self.slope[place] + absent * (1 - histogram))
        mean = self._each(histogram * self.values)
        spread = self._each(histogram * self.values**2) - mean**2
        cells[self.watts] = (self._each(histogram * self.loud[place]) + absent * spread)[self.watts]
        noise: Numbers = np.maximum(cells / reports, self.least)
        return noise

    def _each(self, numbers: Numbers) -> Numbers:
        """The sum over an appliance's series, for all of them."""
        return np.repeat(np.add.reduceat(numbers, self.starts), self.lengths)

    def sum_of_levels(self, numbers: Numbers) -> Numbers:
        """The sum over the levels of each appliance."""
        levels = numbers.copy()
        levels[self.watts] = 0.0
        return np.asarray(np.add.reduceat(levels, self.starts))


def side_by_side(levels: Sequence[Numbers], watts: Sequence[Numbers]) -> Numbers:
    """The columns of every appliance's levels, each followed by the one of its watts."""
    pairs = zip(levels, watts, strict=True)
    return np.concatenate([part for level, mean in pairs for part in (level, mean[:, None])], axis=1)
