"""The test behind a contrast: how far a difference may lie from the one that is seen.

A difference is judged by the errors that there would be if it were true, as a score interval does: where few
answers came, they vary by what might have come, not by what did.  The truth that is tried on each side is the
nearest one, a side that is less sure moving further.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hushwatt.provider.estimate.appliance_series import ApplianceSeries
from hushwatt.provider.estimate.array_types import Floats, Mask
from hushwatt.provider.estimate.intervals import CONFIDENCE
from hushwatt.provider.estimate.measuring_mean import MIN_SIGMAS, OUTSIDE, MeasuringMean, Tails, normal_distribution
from hushwatt.provider.estimate.ranking.covariance import CovarianceBounds

STEPS = 40  # of bisection
DOUBLINGS = 60  # until an end lies within
ROUNDS = 6  # until the truths that are tried stay where they are
LEAST_VARIANCE = 0.1  # of what the estimate says, that any truth is thought to have
NULL = np.zeros(1)  # no difference
A, B = 0, 1  # the first two sides


@dataclass(frozen=True)
class ContrastTest:
    """The means of every side for each possible tail, and how they err."""

    means: Floats  # sides × tails
    variance: Floats  # sides × tails
    slope: Floats  # sides × tails: by what part of itself it changes with every watt of the mean
    apart: Floats  # sides × sides × tails: the least that their covariance can be, and the most
    together: Floats
    weights: Floats  # of the tails
    middle: int  # the tail in the middle
    coefficients: Floats
    outside: float  # of each end

    @classmethod
    def of(cls, series: Sequence[ApplianceSeries], bounds: CovarianceBounds, same_draws: Mask) -> "ContrastTest":
        """a − b, or with four sides (a − b) − (c − d)."""
        tails = _common_tails(series)
        pairs = [_means_by_tail(each, tails.ratios) for each in series]
        means, variance = (np.array(column) for column in zip(*pairs, strict=True))
        variance = np.maximum(variance, 1e-300)
        periods = [each.period for each in series if each.period]
        known = np.array([max(each.watts_variance, 1e-300) for each in periods])[:, None]
        scale = np.sqrt(variance / known)  # a heavier tail scales errors, those of sampling too
        spread = scale[:, None, :] * scale[None, :, :]
        shared = np.sqrt(variance[:, None] * variance)
        watts = np.array([each.watts for each in periods])[:, None]
        stretch = np.divide(watts, means, out=np.ones_like(means), where=(watts > 0) & (means > 0))
        weights = np.broadcast_to(tails.weights, tails.ratios.shape)
        order = np.argsort(tails.ratios)
        half = int((np.cumsum(weights[order]) < 0.5).sum())
        return cls(
            means,
            variance,
            np.array([each.watts_slope for each in periods])[:, None] / known * stretch,
            bounds.lowest[:, :, None] * spread,
            np.where(same_draws[:, :, None], shared, bounds.highest[:, :, None] * spread),
            np.asarray(weights),
            int(order[min(half, len(order) - 1)]),
            np.array([1.0, -1.0, -1.0, 1.0][: len(series)]),
            OUTSIDE if series[0].real else (1 - CONFIDENCE) / 2,
        )

    @property
    def p(self) -> float:
        """How likely a difference at least as far from zero would be, were there none."""
        below = float(self._below(NULL, relative=False)[0])
        return min(1.0, 2 * min(below, 1 - below))

    @property
    def difference(self) -> float:
        """Watts, for the tail in the middle."""
        return float(self.coefficients @ self.means[:, self.middle])

    @property
    def error(self) -> float:
        """The standard error of the difference if there were none."""
        return float(self._sums(NULL, relative=False)[1][0, self.middle])

    @property
    def base_is_sure(self) -> bool:
        """Whether b is so surely above zero that a part of it has two limits."""
        return bool((self.means[B] > MIN_SIGMAS * np.sqrt(self.variance[B])).all())

    def limits(self, count: int = 1) -> tuple[float, float]:
        """The 95 % limits of the difference, wide enough to hold for `count` differences at once (Bonferroni)."""
        return self._ends(self.outside / count, relative=False)

    def percent_limits(self) -> tuple[float, float]:
        """The 95 % limits of the difference in per cent of b."""
        low, high = self._ends(self.outside, relative=True)
        return 100 * low, 100 * high

    def _ends(self, outside: float, relative: bool) -> tuple[float, float]:
        """Where the contrast lies below, and above, with the chance `outside`: in watts, or as a part of b."""
        value, error = self._sums(NULL, relative=False)
        base = self.means[B] if relative else np.ones_like(value)
        middle, reach = float((value / base)[0, self.middle]), 4 * float((error / np.abs(base)).max()) + 1e-9
        parts = np.array([outside, 1 - outside])
        low, high = np.full(2, middle), np.full(2, middle)
        for _ in range(DOUBLINGS):
            too_high, too_low = self._below(low, relative) >= parts, self._below(high, relative) < parts
            if not (too_high | too_low).any():
                break
            low, high, reach = np.where(too_high, low - reach, low), np.where(too_low, high + reach, high), 2 * reach
        for _ in range(STEPS):
            between = (low + high) / 2
            short = self._below(between, relative) < parts
            low, high = np.where(short, between, low), np.where(short, high, between)
        least, most = ((low + high) / 2).tolist()
        return least, most

    def _below(self, shifts: Floats, relative: bool) -> Floats:
        """How sure it is that the contrast lies below each of the `shifts`."""
        value, error = self._sums(shifts, relative)
        return np.asarray((normal_distribution(-value / error) * self.weights).sum(axis=1))

    def _sums(self, shifts: Floats, relative: bool) -> tuple[Floats, Floats]:
        """Σ c·m less each shift, or less as many times the mean of b, with its error then: shifts × tails."""
        coefficients = np.repeat(self.coefficients[:, None], len(shifts), axis=1)
        coefficients[B] -= shifts * relative
        value = coefficients.T @ self.means - (shifts * (not relative))[:, None]
        each = coefficients[:, :, None]
        variance = np.repeat(self.variance[:, None, :], len(shifts), axis=1)
        for _ in range(ROUNDS):
            moves = -value * each * variance / (each**2 * variance).sum(axis=0)
            factor = np.maximum(1 + self.slope[:, None, :] * moves, LEAST_VARIANCE)
            variance = self.variance[:, None, :] * factor
        scale = np.sqrt(factor)
        products = each[:, None] * each[None, :]
        bound = np.where(products < 0, self.apart[:, :, None, :], self.together[:, :, None, :])
        covariance = (products * bound * scale[:, None] * scale[None, :]).sum(axis=(0, 1))
        total = (each**2 * variance).sum(axis=0) + covariance
        return value, np.sqrt(np.maximum(total, 1e-300))


def _common_tails(series: Sequence[ApplianceSeries]) -> Tails:
    """The tails that the reports of all sides together leave."""
    answers = [each.answers for each in series if each.answers is not None]
    if not answers or not series[0].real:
        return Tails.none()
    share = np.mean([each.share[0] for each in answers], axis=0)
    covariance = np.sum([each.covariance[0] for each in answers], axis=0) / len(answers) ** 2
    return Tails.of(series[0].plan, series[0].number, share, covariance)


def _means_by_tail(series: ApplianceSeries, ratios: Floats) -> tuple[Floats, Floats]:
    """One side's mean for each tail, and its variance."""
    assert series.period is not None
    if series.mean is None or series.answers is None:
        return np.full(len(ratios), series.period.watts), np.full(len(ratios), series.period.watts_variance)
    return MeasuringMean.of(series.plan, series.number, series.answers, Tails.none()).for_tails(ratios)
