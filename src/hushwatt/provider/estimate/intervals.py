"""How far the truth may lie from an estimate: 95 % confidence intervals.

A level's interval holds every share of homes that the count of answers does not
contradict (a score interval: Wilson's when the homes are a sample, narrower when
all of them spoke).  Near zero answers, where counts are too coarse for a bell
curve, half an answer is allowed for.
"""

from dataclasses import dataclass
from math import hypot, sqrt
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike

from hushwatt.provider.estimate.array_types import Floats

CONFIDENCE = 0.95
Z95 = NormalDist().inv_cdf((1 + CONFIDENCE) / 2)  # 1.96, the z of the formulas
HALF_ANSWER_SIGMAS = 1 / 8  # make up for half an answer, which is not needed from a spread of four answers on


@dataclass(frozen=True)
class VarianceFunction:
    """How the variance of a level's estimated share depends on the true share f.

    It is [noise_not_held + slope·f + correction·f(1−f)]/reports.  Arrays end in an axis for
    levels, or one of length 1.
    """

    reports: Floats  # homes that spoke, m
    noise_not_held: Floats  # noise of a home that does not hold the level, q(1−q)/(p−q)²
    slope: Floats  # what is added to it when it does, (1−p−q)/(p−q)
    correction: Floats  # finite population correction 1 − m/K, or 1 when levels were drawn at random
    step: Floats  # homes that one answer stands for, 1/(p−q)
    lowest: Floats  # the share estimated when no report has an answer for it, −q/(p−q)
    highest: Floats  # the share estimated when every report has, (1−q)/(p−q)

    def variance(self, share: Floats) -> Floats:
        """The variance of the estimate of a share."""
        spread = self.noise_not_held + self.slope * share + self.correction * share * (1 - share)
        return np.maximum(spread, 0) / self.reports


def score_interval(share: Floats, errors: VarianceFunction, sigmas: Floats | float = Z95) -> tuple[Floats, Floats]:
    """The shares f that lie within z = `sigmas` standard errors of the estimate, taken at f itself.

    (f̂ − f)² = z²·variance(f), a quadratic in f.  The interval of `share` moved by half an answer, with
    z − 1/8, is added to it; that is wider only while the spread is less than four answers.
    """
    half = errors.step / (2 * errors.reports)
    plain_low, plain_high = _roots(share, errors, sigmas)
    low, _ = _roots(share - half, errors, sigmas - HALF_ANSWER_SIGMAS)
    _, high = _roots(share + half, errors, sigmas - HALF_ANSWER_SIGMAS)
    low = np.clip(np.minimum(low, plain_low), errors.lowest, share)
    high = np.clip(np.maximum(high, plain_high), share, errors.highest)
    return low, high


def _roots(share: Floats, errors: VarianceFunction, sigmas: Floats | float) -> tuple[Floats, Floats]:
    """Both shares that lie exactly `sigmas` standard errors from `share`."""
    weight = sigmas**2 / errors.reports
    square = 1 + weight * errors.correction
    middle = share + weight * (errors.slope + errors.correction) / 2
    rest = share**2 - weight * errors.noise_not_held
    reach = np.sqrt(np.maximum(middle**2 - square * rest, 0))
    return (middle - reach) / square, (middle + reach) / square


def mean_interval(estimate: float, variance: float, slope: float, jump: float) -> tuple[float, float]:
    """The same for a mean, whose variance changes by `slope` with every unit; one answer moves it by `jump`.

    When no rare event was seen:

    >>> [round(limit, 2) for limit in mean_interval(0.0, 0.0, slope=1.0, jump=0.0)]
    [0.0, 3.84]
    """
    low, high = _mean_limits(estimate, variance, slope, Z95)
    coarse_low, coarse_high = _mean_limits(estimate, variance, slope, Z95 - HALF_ANSWER_SIGMAS)
    return min(low, coarse_low - jump / 2), max(high, coarse_high + jump / 2)


def _mean_limits(estimate: float, variance: float, slope: float, sigmas: float) -> tuple[float, float]:
    """The truths for which (estimate − truth)² = sigmas²·[variance + slope·(truth − estimate)]."""
    shift = sigmas**2 * slope / 2
    reach = hypot(sigmas * sqrt(variance), shift)
    return estimate + shift - reach, estimate + shift + reach


def normal_interval(estimate: ArrayLike, variance: ArrayLike) -> tuple[Floats, Floats]:
    """The interval of an estimate with bell-shaped errors.

    >>> [round(float(limit), 2) for limit in normal_interval(10.0, 4.0)]
    [6.08, 13.92]
    """
    middle, reach = np.asarray(estimate, float), Z95 * np.sqrt(np.asarray(variance, float))
    return middle - reach, middle + reach
