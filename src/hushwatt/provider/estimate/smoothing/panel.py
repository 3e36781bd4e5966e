"""All appliances' slots side by side: the shares of every level, then the watts, of one after the other."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hushwatt.provider.estimate.array_types import Floats, Indices, Mask
from hushwatt.provider.estimate.slots import SlotMeans

MIN_VARIANCE = 1e-12  # variance of a share below which nothing is to be gained


@dataclass(frozen=True)
class SeriesPanel:
    """One row for each slot, one column for each series."""

    starts: Indices  # of the appliances
    lengths: Indices  # series of each: its levels and one
    watts: Indices  # where the series of watts are
    values: Floats  # watts of each level, 0 for the series of watts
    known: Mask
    estimate: Floats
    reports: Floats
    absent: Floats
    quiet: Floats  # noise of a home about a level it does not hold
    slope: Floats  # what is added when it does
    loud: Floats  # noise of one home's watts, when it holds each level
    least: Floats  # variances are no smaller

    @classmethod
    def of(cls, slots: Sequence[SlotMeans], values: Sequence[Floats]) -> "SeriesPanel":
        lengths = np.array([len(each) + 1 for each in values])
        starts = np.concatenate([[0], np.cumsum(lengths)[:-1]])

        def repeated(numbers: list[Floats]) -> Floats:
            return np.repeat(np.stack(numbers, axis=1), lengths, axis=1)

        return cls(
            starts=starts,
            lengths=lengths,
            watts=starts + lengths - 1,
            values=np.concatenate([part for each in values for part in (each, [0.0])]),
            known=repeated([each.known.astype(float) for each in slots]) > 0,
            estimate=interleave([each.share for each in slots], [each.watts for each in slots]),
            reports=repeated([each.reports for each in slots]),
            absent=repeated([each.absent for each in slots]),
            quiet=repeated([each.errors.quiet[:, 0] for each in slots]),
            slope=repeated([each.errors.slope[:, 0] for each in slots]),
            loud=interleave(
                [each.watts_loud for each in slots], [np.zeros(len(each.known)) for each in slots]
            ),
            least=MIN_VARIANCE
            * np.concatenate([np.append(np.ones(len(each)), np.ptp(each) ** 2) for each in values]),
        )

    def noise(self, place: int, expected: Floats) -> Floats:
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
        noise: Floats = np.maximum(cells / reports, self.least)
        return noise

    def _each(self, numbers: Floats) -> Floats:
        """The sum over an appliance's series, for all of them."""
        return np.repeat(np.add.reduceat(numbers, self.starts), self.lengths)

    def sum_of_levels(self, numbers: Floats) -> Floats:
        """The sum over the levels of each appliance."""
        levels = numbers.copy()
        levels[self.watts] = 0.0
        return np.asarray(np.add.reduceat(levels, self.starts))


def interleave(levels: Sequence[Floats], watts: Sequence[Floats]) -> Floats:
    """The columns of every appliance's levels, each followed by the one of its watts."""
    pairs = zip(levels, watts, strict=True)
    return np.concatenate([part for level, mean in pairs for part in (level, mean[:, None])], axis=1)
