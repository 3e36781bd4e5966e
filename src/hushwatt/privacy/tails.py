"""What lies above the top level: a family of tails, and which of them reports make likely.

Nobody reports more than the top T, so an answer "top" does not stand for T watts but for T·(1 + r), and r
depends on how heavy the tail of the watts is.  A family of laws says which r are possible; the level
below the top lets the reports themselves say which of them are likely.

A law is about the watts of a slot in use, in units of the typical high, their 95th percentile: Weibull
and Lomax shapes, alike likely but for the heaviest, and for each a doubt about the high, for which a factor
of two is one standard deviation.  How often a slot is in use cancels everywhere.
"""

from functools import cache, lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hushwatt.plan.plan import Plan

Floats = NDArray[np.float64]
SHAPES = (
    *(("weibull", power) for power in (4.0, 2.0, 1.0, 1 / 2, 1 / 3)),
    *(("lomax", power) for power in (3.0, 2.0, 1.5)),
)
LIKELY = (*[1.0] * 7, 0.25)  # beside each other: tails as heavy as the last shape's are thought rare
SCALES: Floats = 2.0 ** np.arange(-2, 2.1, 0.5)  # of the real high over the typical one
LAWS = tuple((kind, power, float(scale)) for kind, power in SHAPES for scale in SCALES)
SLACK = 0.5  # no family is true: levels as a law predicts them may be off by this part
MAX_TAIL, MAX_RATIO = 50.0, 1e3
TINY = 1e-12
GRID: Floats = np.concatenate([[0.0], np.geomspace(1e-4, 400, 1400)])


def is_real(plan: Plan, appliance: int) -> bool:
    """Whether the plan knows enough of an appliance for real watts.

    Levels must be drawn at random between watts from 0 on: the middle of a range says nothing of what is in it.
    """
    each = plan.appliances[appliance]
    return plan.mapping == "dither" and bool(each.typical_high) and each.values[0] == 0


@cache
def _shape(kind: str, power: float) -> tuple[Floats, float]:
    """E min(X, t) on the grid, and E X, of a law whose 95th percentile is 1."""
    if kind == "weibull":
        survival, beyond = np.exp(-np.log(20) * GRID**power), 0.0
    else:
        rate = 20 ** (1 / power) - 1
        survival = (1 + rate * GRID) ** -power
        beyond = float((1 + rate * GRID[-1]) ** (1 - power) / (power - 1) / rate)
    steps = (survival[1:] + survival[:-1]) / 2 * np.diff(GRID)
    limited: Floats = np.concatenate([[0.0], np.cumsum(steps)])
    return limited, float(limited[-1]) + beyond


def limited(values: ArrayLike, high: float) -> tuple[Floats, Floats]:
    """E min(X, v) of every law (rows) at `values` v, and the laws' means; X is watts while in use."""
    watts = np.atleast_1d(np.asarray(values, float))
    shapes = [(*_shape(kind, power), scale * high) for kind, power, scale in LAWS]
    below = [np.interp(watts / scale, GRID, course) * scale for course, _, scale in shapes]
    return np.array(below), np.array([mean * scale for _, mean, scale in shapes])


def prior_weights() -> Floats:
    """How likely every law is before any report.

    >>> round(float(prior_weights().sum()), 9), len(prior_weights())
    (1.0, 72)
    """
    scale = np.exp(-0.5 * np.log2(SCALES) ** 2)
    shape = np.array(LIKELY)
    return np.outer(shape / shape.sum(), scale / scale.sum()).ravel()


def lost(top: ArrayLike, high: float, weights: ArrayLike | None = None) -> Floats:
    """The part of the real mean that is expected above each `top`.

    >>> lost([100, 400], 100).round(2)
    array([0.2 , 0.05])
    """
    below, means = limited(top, high)
    likely = prior_weights() if weights is None else np.asarray(weights, float)
    return np.asarray(likely @ (1 - below / means[:, None]))


def expected_loss(top_over_high: float) -> float:
    """The same for one top, as a multiple of the high.

    >>> [round(expected_loss(top), 2) for top in (0.5, 1, 2, 4, 8)]
    [0.36, 0.2, 0.1, 0.05, 0.02]
    """
    return float(lost(top_over_high, 1.0)[0])


def tail_ratios(values: ArrayLike, high: float) -> Floats:
    """r of every law: the watts above the last of the levels' `values`, over those that the top level holds.

    >>> tail_ratios([0, 100], 100)[[4, 22, 58]].round(2).tolist()  # Weibull 4 and 1, Lomax 2, the high as thought
    [0.01, 0.05, 0.29]
    """
    return _predicted(tuple(np.asarray(values, float).tolist()), float(high))[0]


@lru_cache(maxsize=1024)
def _predicted(values: tuple[float, ...], high: float) -> tuple[Floats, Floats]:
    """What every law says: r, and the share of the top level over that of the one below it."""
    levels = np.array(values)
    below, means = limited(levels, high)
    held = _dithered(levels, below)
    above = np.maximum(means - below[:, -1], 0)
    tails = np.minimum(above / np.maximum(levels[-1] * held[:, -1], TINY), MAX_TAIL)
    inner = held[:, -2] if len(levels) > 2 else np.zeros(len(held))
    ratios = np.minimum(held[:, -1] / np.maximum(inner, 1e-9), MAX_RATIO)
    for each in (tails, ratios):
        each.flags.writeable = False
    return tails, ratios


def _dithered(levels: Floats, below: Floats) -> Floats:
    """The part of slots in use at each level but the first, when watts are rounded at random."""
    above = np.diff(below, axis=1) / np.diff(levels)  # at least this level
    return np.asarray(above - np.concatenate([above[:, 1:], np.zeros((len(above), 1))], axis=1))


def tail_weights(
    shares: ArrayLike,
    variances: ArrayLike,
    values: ArrayLike,
    high: float,
    prior: ArrayLike | None = None,
    covariance: ArrayLike = 0.0,
) -> Floats:
    """How likely every law is after the reports.

    `shares` of the homes at each level (or numbers of homes), their variances, and the `covariance` of the
    last two.  A law is as likely as it predicts the top level from the one below it; with two levels
    the reports say nothing of the tail.  Shares may have rows, and so have the weights.

    >>> levels, errors = [0, 40, 100], [1e-6] * 3
    >>> light, heavy = (tail_weights(part, errors, levels, 60) for part in ([0.5, 0.5, 0.0], [0.7, 0.1, 0.2]))
    >>> ratios = tail_ratios(levels, 60)
    >>> round(median_tail(ratios, light), 2), round(median_tail(ratios, heavy), 2)
    (0.02, 0.31)
    """
    held, sure = np.asarray(shares, float), np.asarray(variances, float)
    levels = tuple(np.asarray(values, float).tolist())
    before = prior_weights() if prior is None else np.asarray(prior, float)
    if len(levels) < 3:
        return np.broadcast_to(before, (*held.shape[:-1], len(before))).copy()
    _, ratio = _predicted(levels, float(high))
    inner, top = held[..., -2:-1], held[..., -1:]
    both = np.asarray(covariance, float)[..., None]
    spread = (sure[..., -2:-1] + (SLACK * np.maximum(inner, 0)) ** 2) * ratio  # κ²·a − 2κ·b + c, in few passes
    spread -= 2 * both
    spread *= ratio
    spread += sure[..., -1:] + (SLACK * np.maximum(top, 0)) ** 2
    fit = top - ratio * inner
    fit *= fit
    fit /= np.maximum(spread, 1e-30, out=spread)
    fit *= -0.5
    fit += np.log(before)
    fit -= fit.max(axis=-1, keepdims=True)
    likely = np.exp(fit, out=fit)
    likely /= likely.sum(axis=-1, keepdims=True)
    return np.asarray(likely)


def median_tail(ratios: Floats, weights: Floats) -> float:
    """The weighted median of r: a mean over the laws would follow the heaviest of them.

    Between two laws it is interpolated, so that no single report makes it jump.

    >>> median_tail(np.array([0.0, 1.0, 9.0]), np.array([0.25, 0.5, 0.25]))
    1.0
    """
    return float(median_tails(ratios, weights[None])[0])


def median_tails(ratios: Floats, weights: Floats) -> Floats:
    """The same for every row of weights."""
    order = np.argsort(ratios, kind="stable")
    return median_of_sorted(ratios[order], weights[:, order])


def median_of_sorted(ratios: Floats, weights: Floats) -> Floats:
    """The same of ratios that ascend."""
    passed = np.cumsum(weights, axis=1) - weights / 2
    after = np.clip((passed < 0.5).sum(axis=1), 1, max(len(ratios) - 1, 1))
    rows = np.arange(len(weights))
    low, high = passed[rows, after - 1], passed[rows, after]
    part = np.clip((0.5 - low) / np.maximum(high - low, TINY), 0, 1)
    return np.asarray(ratios[after - 1] * (1 - part) + ratios[after] * part)


def learnt_high(weights: Floats, high: float) -> float:
    """The high that the laws agree on, each as likely as it is.

    >>> round(learnt_high(prior_weights(), 60.0), 9)
    60.0
    """
    scales = np.array([scale for _, _, scale in LAWS])
    return float(high * np.exp(weights @ np.log(scales)))
