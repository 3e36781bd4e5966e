"""Which place each appliance has by its watts, and which places it may really have.

Two appliances are told apart when the difference of their watts exceeds what its error allows for as
many comparisons as are still open (stepwise, after Romano and Wolf; ranks after Mogstad, Romano, Shaikh and
Wilhelm).  A difference errs downwards when the higher one errs down and the lower one up, so each comparison
takes the limits on those sides (MOVER), and the covariance that makes it least sure.
"""

from dataclasses import dataclass
from functools import lru_cache
from math import erfc, pi, sqrt
from statistics import NormalDist

import numpy as np

from hushwatt.provider.estimate.array_types import Floats, Indices
from hushwatt.provider.estimate.intervals import CONFIDENCE, Z95
from hushwatt.provider.estimate.measuring_mean import normal_distribution
from hushwatt.provider.estimate.ranking.covariance import CovarianceBounds


@dataclass(frozen=True)
class Ranks:
    """Each appliance's place, 1 for the most watts, with the places it may really have."""

    rank: Indices
    best: Indices  # all intervals hold together
    worst: Indices
    best_alone: Indices  # each interval holds by itself
    worst_alone: Indices
    in_top: Floats  # [appliance, k − 1]: how sure it is that the appliance is among the k with the most watts


def ranks(watts: Floats, low: Floats, high: Floats, bounds: CovarianceBounds | None = None) -> Ranks:
    """The places by watts, and those that comparing pairs leaves open; `low` and `high` are the 95 % limits of each.

    >>> watts = np.array([50.0, 90.0, 49.0])
    >>> places = ranks(watts, watts - 2, watts + 2)
    >>> places.rank, places.best, places.worst
    (array([2, 1, 3]), array([2, 1, 2]), array([3, 1, 3]))
    """
    count = len(watts)
    order = np.argsort(-watts, kind="stable")
    rank = np.empty(count, dtype=np.intp)
    rank[order] = np.arange(1, count + 1)
    sigmas = _differences(watts, low, high, bounds or CovarianceBounds.none(count))
    together = np.full(count, _step_down(np.abs(sigmas[np.triu_indices(count, 1)]), tukey_quantile(count)))
    alone = np.array([_step_down(np.abs(np.delete(sigmas[row], row)), np.inf) for row in range(count)])
    return Ranks(rank, *_open_places(sigmas, together), *_open_places(sigmas, alone), _confidence_in_top(sigmas))


def _differences(watts: Floats, low: Floats, high: Floats, bounds: CovarianceBounds) -> Floats:
    """[i, j]: by how many of its standard errors i is above j; negative where it is below, NaN for itself."""
    below, above = (watts - low) / Z95, (high - watts) / Z95
    towards = below[:, None] ** 2 + above**2 - 2 * bounds.lowest
    difference = watts[:, None] - watts
    error = np.sqrt(np.where(difference >= 0, towards, towards.T))
    sigmas = np.where(difference == 0, 0.0, np.copysign(np.inf, difference))
    np.divide(difference, error, out=sigmas, where=error > 0)
    np.fill_diagonal(sigmas, np.nan)
    return sigmas


def _step_down(sizes: Floats, most: float) -> float:
    """The size that surely different pairs exceed: once some do, the others are compared among fewer.

    Šidák's inequality holds however the differences depend on each other; `most` is a bound for all at once.
    """
    remaining, least = len(sizes), most
    while remaining:
        least = min(most, sidak_quantile(remaining))
        open_pairs = int((sizes <= least).sum())
        if open_pairs == remaining:
            break
        remaining = open_pairs
    return least


def _open_places(sigmas: Floats, least: Floats) -> tuple[Indices, Indices]:
    """The best and the worst place of each appliance: after those surely above it, before those surely below."""
    return 1 + (-sigmas > least[:, None]).sum(axis=1), len(sigmas) - (sigmas > least[:, None]).sum(axis=1)


def _confidence_in_top(sigmas: Floats) -> Floats:
    """How sure it is that each appliance is among the first k, for every k.

    Otherwise k others are above it.  Whichever they are, one of them seems as far below it as the k-th
    closest, so the chance of that is at most k times the tail there (Bonferroni).
    """
    count = len(sigmas)
    tails = normal_distribution(-sigmas)
    np.fill_diagonal(tails, 0.0)
    closest = -np.sort(-tails, axis=1)
    return np.maximum(0.0, 1 - closest * np.arange(1, count + 1))


@lru_cache(maxsize=4096)
def sidak_quantile(count: int) -> float:
    """How many standard errors `count` differences stay within together with 95 % confidence, however they depend.

    >>> round(sidak_quantile(1), 2), round(sidak_quantile(14), 2)
    (1.96, 2.91)
    """
    return NormalDist().inv_cdf((1 + CONFIDENCE ** (1 / count)) / 2)


@lru_cache(maxsize=256)
def tukey_quantile(count: int) -> float:
    """How many standard errors of a difference allow for comparing every pair among `count`.

    The 95 % point of the range of `count` standard normal numbers, over √2.

    >>> round(tukey_quantile(2), 2), round(tukey_quantile(15), 2)
    (1.96, 3.39)
    """
    if count < 2:
        return 0.0
    low, high = 0.0, 20.0
    while high - low > 1e-9:
        middle = (low + high) / 2
        low, high = (middle, high) if _range_probability(middle, count) < CONFIDENCE else (low, middle)
    return high / sqrt(2)


def _range_probability(width: float, count: int) -> float:
    """The chance that `count` standard normal numbers lie within `width` of each other."""
    points = np.linspace(-8, 8, 321)
    density = np.exp(-(points**2) / 2) / sqrt(2 * pi)
    inside = np.array([erfc(-(x + width) / sqrt(2)) - erfc(-x / sqrt(2)) for x in points.tolist()]) / 2
    return float(count * np.sum(density * inside ** (count - 1)) * (points[1] - points[0]))
