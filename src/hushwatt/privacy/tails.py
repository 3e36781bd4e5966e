"""What lies above the top level: a family of tails, and how likely each of them is.

Nobody reports more than the top T, so an answer "top" does not stand for T watts but for T·(1+r), where r
depends on how heavy the tail is.  A family of laws says which r are possible; the level below the top lets the
reports themselves say which of them are likely.  Laws are of watts while in use, in units of the high.
"""

from functools import cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]

SHAPES = (
    ("weibull", 4.0),
    ("weibull", 2.0),
    ("weibull", 1.0),
    ("weibull", 0.5),
    ("weibull", 1 / 3),
    ("lomax", 3.0),
    ("lomax", 2.0),
)
SCALES = 2.0 ** np.arange(-2, 2.1, 0.5)  # the high may be another than thought: a factor of two is a standard deviation
SLACK = 0.5  # no family is true: shares of levels as a law predicts them may be off by so much
GRID = np.concatenate([[0.0], np.geomspace(1e-4, 400, 1400)])


@cache
def _shape(kind: str, power: float) -> tuple[Floats, float]:
    """E min(Y, t) on the grid, and E Y, of a law whose 95th percentile is 1."""
    if kind == "weibull":
        survival, beyond = np.exp(-np.log(20) * GRID**power), 0.0
    else:
        rate = 20 ** (1 / power) - 1
        survival = (1 + rate * GRID) ** -power
        beyond = float((1 + rate * GRID[-1]) ** (1 - power) / (power - 1) / rate)
    limited = np.concatenate([[0.0], np.cumsum((survival[1:] + survival[:-1]) / 2 * np.diff(GRID))])
    return limited, float(limited[-1]) + beyond


def limited(values: ArrayLike, high: float) -> tuple[Floats, Floats]:
    """E min(X, v) of every law (rows) at `values`, and the laws' means; X is watts while in use."""
    at = np.atleast_1d(np.asarray(values, float))
    rows, means = [], []
    for kind, power in SHAPES:
        held, mean = _shape(kind, power)
        for scale in SCALES * high:
            rows.append(np.interp(at / scale, GRID, held) * scale)
            means.append(mean * scale)
    return np.array(rows), np.array(means)


def prior_weights() -> Floats:
    """Of the laws: shapes alike, the high lognormal with a standard deviation of a factor of two.

    >>> round(float(prior_weights().sum()), 9), len(prior_weights())
    (1.0, 63)
    """
    scale = np.exp(-0.5 * np.log2(SCALES) ** 2)
    return np.asarray(np.tile(scale / scale.sum(), len(SHAPES)) / len(SHAPES))


def lost(top: ArrayLike, high: float, weights: ArrayLike | None = None) -> Floats:
    """The share of the real mean that is expected above `top`.

    >>> lost([100, 400], 100).round(2)
    array([0.19, 0.04])
    """
    below, means = limited(top, high)
    likely = prior_weights() if weights is None else np.asarray(weights, float)
    return np.asarray(likely @ (1 - below / means[:, None]))


def tail_weights(
    shares: ArrayLike, variances: ArrayLike, values: ArrayLike, high: float, prior: ArrayLike | None = None
) -> Floats:
    """How likely each law is after the reports, by the shares of the upper two levels and their variances.

    With two levels the reports say nothing of the tail; with more, a law is as likely as it predicts the top
    level's share from that of the level below it.

    >>> weights = tail_weights([0.6, 0.4, 0.0], [1e-6] * 3, [0, 92.4, 231], 60)  # nothing near the top
    >>> round(float(np.exp(weights @ np.log(np.tile(SCALES, len(SHAPES))))), 2)
    0.78
    """
    levels, held, sure = (np.asarray(each, float) for each in (values, shares, variances))
    before = prior_weights() if prior is None else np.asarray(prior, float)
    if len(levels) < 3:
        return before
    below, _ = limited(levels, high)
    above = np.diff(below, axis=1) / np.diff(levels)  # dithered: at least this level
    ratio = np.minimum(above[:, -1] / np.maximum(above[:, -2] - above[:, -1], 1e-9), 1e3)
    off = held[-1] - ratio * held[-2]
    slack = SLACK**2 * ((ratio * max(held[-2], 0.0)) ** 2 + max(held[-1], 0.0) ** 2)
    logs = np.log(before) - 0.5 * off**2 / np.maximum(sure[-1] + ratio**2 * sure[-2] + slack, 1e-30)
    weights = np.exp(logs - logs.max())
    return np.asarray(weights / weights.sum())
