"""How close an answer is to the truth: the paper's two measures, and ones that mean something.

The paper compares the counts of an appliance's levels with the Kruskal–Wallis
test.  That test asks whether two samples come from one law; it ignores which
count belongs to which level, so a right answer and a shuffled one score alike.
It is here to repeat the paper's tables.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

Numbers = NDArray[np.float64]


def kruskal_wallis(truth: ArrayLike, estimate: ArrayLike) -> Numbers:
    """The p-value for two samples along the last axis, one for each row; 1 when all numbers are equal.

    H = [12/(N(N+1))·ΣR²/m − 3(N+1)] / [1 − Σ(t³−t)/(N³−N)] against χ² with one degree of freedom,
    R the rank sums of the two samples of m numbers, t how many numbers are tied.

    >>> [round(float(kruskal_wallis(np.arange(d), np.arange(d) + d)), 7) for d in (5, 7, 10, 15)]
    [0.0090234, 0.0017451, 0.0001571, 3.1e-06]
    """
    from scipy.special import chdtrc
    from scipy.stats import rankdata

    one, other = np.broadcast_arrays(np.asarray(truth, float), np.asarray(estimate, float))
    size, count = one.shape[-1], 2 * one.shape[-1]
    pooled = np.concatenate([one, other], axis=-1)
    ranks = rankdata(pooled, axis=-1)
    squares = ranks[..., :size].sum(axis=-1) ** 2 + ranks[..., size:].sum(axis=-1) ** 2
    height = 12 / (count * (count + 1)) * squares / size - 3 * (count + 1)
    tied = (pooled[..., :, None] == pooled[..., None, :]).sum(axis=-1)
    left = 1 - (tied**2 - 1).sum(axis=-1) / (count**3 - count)
    return np.where(left > 0, chdtrc(1, height / np.where(left > 0, left, 1.0)), 1.0)


def ranking(totals: ArrayLike) -> NDArray[np.intp]:
    """Places by total, the largest first; equal ones in the order given.

    >>> ranking([10, 30, 20])
    array([1, 2, 0])
    """
    return np.argsort(-np.asarray(totals, float), kind="stable")


def exact_hits(truth: ArrayLike, estimate: ArrayLike, count: int = 10) -> int:
    """How many of the first `count` stand at exactly the right rank: the paper's hit count.

    >>> exact_hits([4, 3, 2, 1], [4, 2, 3, 1], count=3)
    1
    """
    return int(np.sum(ranking(truth)[:count] == ranking(estimate)[:count]))


def overlap(truth: ArrayLike, estimate: ArrayLike, count: int = 10) -> int:
    """How many of the true first `count` are among the estimated ones, at whatever rank.

    >>> overlap([4, 3, 2, 1], [4, 2, 3, 1], count=3)
    3
    """
    return len(np.intersect1d(ranking(truth)[:count], ranking(estimate)[:count]))


def kendall(truth: ArrayLike, estimate: ArrayLike) -> float:
    """Kendall's τ: pairs in the right order less pairs in the wrong one, over all pairs; ties count 0.

    >>> kendall([3, 2, 1], [3, 1, 2])
    0.3333333333333333
    """
    one, other = np.asarray(truth, float), np.asarray(estimate, float)
    upper = np.triu_indices(len(one), 1)
    signs = np.sign(np.subtract.outer(one, one)) * np.sign(np.subtract.outer(other, other))
    return float(signs[upper].mean())


def share_error(truth: ArrayLike, estimate: ArrayLike) -> float:
    """The mean absolute error of the shares of the total, in points of a hundred.

    >>> round(share_error([50, 50], [60, 40]), 9)
    10.0
    """
    one, other = np.asarray(truth, float), np.asarray(estimate, float)
    return 100 * float(np.mean(np.abs(one / one.sum() - other / other.sum())))


def root_mean_square(truth: ArrayLike, estimate: ArrayLike) -> float:
    """The root of the mean squared error.

    >>> root_mean_square([0, 0], [3, 4])
    3.5355339059327378
    """
    return float(np.sqrt(np.mean((np.asarray(truth, float) - np.asarray(estimate, float)) ** 2)))


def wasserstein(truth: ArrayLike, estimate: ArrayLike, values: ArrayLike) -> Numbers:
    """How far, in the unit of `values`, homes must move to turn one histogram into the other.

    Along the last axis; both are scaled to a total of 1.  Σ|F − F̂|·(gap to the next value), which for
    an estimate with negative counts is still a distance, though no longer one of homes that move.

    >>> wasserstein([1, 0, 0], [0, 0, 1], [0, 100, 300])
    array(300.)
    """
    one, other = (np.asarray(each, float) for each in (truth, estimate))
    one, other = (each / each.sum(axis=-1, keepdims=True) for each in (one, other))
    gaps = np.diff(np.asarray(values, float))
    return np.asarray(np.abs(np.cumsum(one - other, axis=-1))[..., :-1] @ gaps)


def coverage(low: ArrayLike, high: ArrayLike, truth: ArrayLike) -> float:
    """The share of intervals that hold the truth.

    >>> coverage([0, 0], [1, 1], [0.5, 2])
    0.5
    """
    inside = (np.asarray(low) <= np.asarray(truth)) & (np.asarray(truth) <= np.asarray(high))
    return float(np.mean(inside))


def interval_score(low: ArrayLike, high: ArrayLike, truth: ArrayLike) -> Numbers:
    """The score of a 95 % interval: its width, and 40 times what it misses the truth by.

    >>> interval_score([0, 0], [2, 2], [1, 3])
    array([ 2., 42.])
    """
    below, above, real = (np.asarray(each, float) for each in (low, high, truth))
    return np.asarray(above - below + 40 * (np.maximum(below - real, 0) + np.maximum(real - above, 0)))
