"""All appliances' slots side by side: the shares of every level, then the watts, of one after the other."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hushwatt.provider.estimate.array_types import Floats, Indices, Mask
from hushwatt.provider.estimate.slots import SlotStatistics

MIN_VARIANCE = 1e-12  # variance of a share below which nothing is to be gained


@dataclass(frozen=True)
class SeriesPanel:
    """One row for each slot, one column for each series."""

    starts: Indices  # of the appliances
    lengths: Indices  # series of each: its levels and one
    watts_columns: Indices  # where the series of watts are
    values: Floats  # watts of each level, 0 for the series of watts
    known: Mask
    estimate: Floats
    reports: Floats
    correction: Floats
    noise_not_held: Floats  # noise of a home about a level it does not hold
    slope: Floats  # what is added when it does
    watts_noise_held: Floats  # noise of one home's watts, when it holds each level
    min_variance: Floats  # variances are no smaller

    @classmethod
    def of(cls, slots: Sequence[SlotStatistics], values: Sequence[Floats]) -> "SeriesPanel":
        lengths = np.array([len(each) + 1 for each in values])
        starts = np.concatenate([[0], np.cumsum(lengths)[:-1]])

        def repeated(numbers: list[Floats]) -> Floats:
            return np.repeat(np.stack(numbers, axis=1), lengths, axis=1)

        return cls(
            starts=starts,
            lengths=lengths,
            watts_columns=starts + lengths - 1,
            values=np.concatenate([part for each in values for part in (each, [0.0])]),
            known=repeated([each.known.astype(float) for each in slots]) > 0,
            estimate=interleave([each.share for each in slots], [each.watts for each in slots]),
            reports=repeated([each.alone for each in slots]),
            correction=repeated([each.correction for each in slots]),
            noise_not_held=repeated([each.errors.noise_not_held[:, 0] for each in slots]),
            slope=repeated([each.errors.slope[:, 0] for each in slots]),
            watts_noise_held=interleave(
                [each.watts_noise_held for each in slots], [np.zeros(len(each.known)) for each in slots]
            ),
            min_variance=MIN_VARIANCE
            * np.concatenate([np.append(np.ones(len(each)), np.ptp(each) ** 2) for each in values]),
        )

    def noise(self, index: int, expected: Floats) -> Floats:
        """The variances of a slot's estimates; they are those of a histogram halfway to what was expected."""
        reports, correction = self.reports[index], self.correction[index]
        histogram = np.maximum((self.estimate[index] + expected) / 2, 0.0)
        histogram[self.watts_columns] = 0.0
        histogram = histogram * reports + 1
        histogram[self.watts_columns] = 0.0
        histogram /= self._sum_each(histogram)
        cells = self.noise_not_held[index] + histogram * (self.slope[index] + correction * (1 - histogram))
        mean = self._sum_each(histogram * self.values)
        spread = self._sum_each(histogram * self.values**2) - mean**2
        watts = self._sum_each(histogram * self.watts_noise_held[index]) + correction * spread
        cells[self.watts_columns] = watts[self.watts_columns]
        noise: Floats = np.maximum(cells / reports, self.min_variance)
        return noise

    def _sum_each(self, numbers: Floats) -> Floats:
        """The sum over an appliance's series, for all of them."""
        return np.repeat(np.add.reduceat(numbers, self.starts), self.lengths)

    def sum_of_levels(self, numbers: Floats) -> Floats:
        """The sum over the levels of each appliance."""
        levels = numbers.copy()
        levels[self.watts_columns] = 0.0
        return np.asarray(np.add.reduceat(levels, self.starts))


def interleave(levels: Sequence[Floats], watts: Sequence[Floats]) -> Floats:
    """The columns of every appliance's levels, each followed by the one of its watts."""
    pairs = zip(levels, watts, strict=True)
    return np.concatenate([part for level, mean in pairs for part in (level, mean[:, None])], axis=1)
