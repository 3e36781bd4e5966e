"""Which appliances use how much: shares and ranks, from the means and their variances.

Appliances are taken to have independent errors, as their answers are drawn apart.
"""

from dataclasses import dataclass
from functools import lru_cache
from math import erfc, pi, sqrt

import numpy as np
from numpy.typing import NDArray

from hushwatt.provider.intervals import CONFIDENCE, SIGMAS, around

Numbers = NDArray[np.float64]
NOISY = 0.1  # a total whose standard error is above this part of it has no usable straight-line error


@dataclass(frozen=True)
class Shares:
    """Each appliance's part of all the watts, with its interval."""

    share: Numbers
    low: Numbers
    high: Numbers


@dataclass(frozen=True)
class Ranks:
    """Each appliance's place, 1 for the most watts, with the places it may really have."""

    rank: NDArray[np.intp]
    best: NDArray[np.intp]
    worst: NDArray[np.intp]


def shares(watts: Numbers, variance: Numbers) -> Shares:
    """The shares of the total, which no rule keeps between 0 and 1; their intervals by the delta method.

    When the total is noisy, the intervals are Fieller's.  As no true share is below 0 or above 1,
    limits beyond that are drawn in, as far as the estimate allows.

    >>> shares(np.array([30.0, 10.0]), np.array([1.0, 1.0])).share
    array([0.75, 0.25])
    """
    total = watts.sum()
    if total == 0:
        return Shares(np.full(watts.shape, np.nan), np.zeros(watts.shape), np.ones(watts.shape))
    share = watts / total
    limits = _fieller if variance.sum() > (NOISY * total) ** 2 else _delta
    low, high = limits(watts, variance, share)
    return Shares(share, np.maximum(low, np.minimum(share, 0.0)), np.minimum(high, np.maximum(share, 1.0)))


def _delta(watts: Numbers, variance: Numbers, share: Numbers) -> tuple[Numbers, Numbers]:
    """[v_i(1 − 2s_i) + s_i²·Σv]/total² is the variance of a share s_i with v_i that of its watts."""
    spread = variance * (1 - 2 * share) + share**2 * variance.sum()
    return around(share, spread / watts.sum() ** 2)


def _fieller(watts: Numbers, variance: Numbers, share: Numbers) -> tuple[Numbers, Numbers]:
    """All ratios r for which watts − r·total is within z standard errors of zero."""
    total, doubt = watts.sum(), SIGMAS**2
    square = total**2 - doubt * variance.sum()
    if square <= 0:  # the total may be zero: any ratio will do
        return np.full(watts.shape, -np.inf), np.full(watts.shape, np.inf)
    middle = watts * total - doubt * variance
    reach = np.sqrt(np.maximum(middle**2 - square * (watts**2 - doubt * variance), 0))
    return (middle - reach) / square, (middle + reach) / square


def ranks(watts: Numbers, variance: Numbers) -> Ranks:
    """The places by watts, and those that comparing every pair at once leaves open.

    An appliance is surely above another when the difference exceeds Tukey's allowance; all
    such judgements are right together with 95 % confidence, or more when the errors differ.

    >>> places = ranks(np.array([50.0, 90.0, 49.0]), np.array([1.0, 1.0, 1.0]))
    >>> places.rank, places.best, places.worst
    (array([2, 1, 3]), array([2, 1, 2]), array([3, 1, 3]))
    """
    order = np.argsort(-watts, kind="stable")
    rank = np.empty(len(watts), dtype=np.intp)
    rank[order] = np.arange(1, len(watts) + 1)
    allowance = tukey(len(watts)) * np.sqrt(variance[:, None] + variance)
    above = watts[:, None] - watts > allowance  # [i, j]: i is surely above j
    return Ranks(rank, 1 + above.sum(axis=0), len(watts) - above.sum(axis=1))


@lru_cache(maxsize=256)
def tukey(count: int) -> float:
    """How many standard errors of a difference allow for comparing every pair among `count`.

    The 95 % point of the range of `count` standard normal numbers, over √2.

    >>> round(tukey(2), 2), round(tukey(15), 2)
    (1.96, 3.39)
    """
    if count < 2:
        return 0.0
    low, high = 0.0, 20.0
    while high - low > 1e-9:
        middle = (low + high) / 2
        low, high = (middle, high) if _within(middle, count) < CONFIDENCE else (low, middle)
    return high / sqrt(2)


def _within(width: float, count: int) -> float:
    """The chance that `count` standard normal numbers lie within `width` of each other."""
    points = np.linspace(-8, 8, 321)
    density = np.exp(-(points**2) / 2) / sqrt(2 * pi)
    inside = np.array([erfc(-(x + width) / sqrt(2)) - erfc(-x / sqrt(2)) for x in points.tolist()]) / 2
    return float(count * np.sum(density * inside ** (count - 1)) * (points[1] - points[0]))
