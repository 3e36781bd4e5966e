"""How often the best guess names a level that never changes, from k answers about it.

Beforehand all levels are as likely.  The likeliest level is the one that most answers speak for, and where
several have as many, any of them.  With a the chance that another level has c answers and b that it has
fewer, the true one with c answers is named with chance

    Σ_m C(d−1, m)·aᵐ·b^(d−1−m)/(m + 1) = ((a + b)ᵈ − bᵈ)/(d·a).

Bits are drawn each on its own, so that is summed over c.  Direct answers share k among the levels: they are
Poisson counts of a known sum, which a transform over the sum picks out.  From some hundred answers on, the
others stay Poisson counts and the true level's is a binomial one, so that differences of counts, which alone
matter, keep their means, variances and covariances.
"""

from functools import lru_cache
from math import pi, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hushwatt.privacy.laws import Law

MOST_ANSWERS = 300  # direct ones, for which the transform is worked out; beyond, off by 0.0015 at most
MOST_TRIALS = 10**9  # beyond, so many rare successes have a Poisson count
SPREAD = 9.0  # standard deviations beyond which nothing is expected
CERTAIN = 1 - 1e-15  # no chance is taken to be larger
CACHED = 1024
Numbers = NDArray[np.float64]
Counts = NDArray[np.int64]


def best_name(law: Law, levels: int, answers: int) -> float:
    """The chance to name one of `levels` levels that never changes; an answer may be another one still.

    >>> from hushwatt.privacy.laws import law_for
    >>> law = law_for("grr", 1_000_000, 1, 2)
    >>> [round(best_name(law, 2, answers), 3) for answers in (0, 1, 30)]
    [0.5, 0.731, 0.996]
    """
    if not answers:
        return 1 / levels
    return _named_with(min(float(law.hold), CERTAIN), float(law.rise), law.direct, levels, answers)


@lru_cache(maxsize=CACHED)
def _named_with(hold: float, rise: float, direct: bool, levels: int, answers: int) -> float:
    if answers * (hold - rise) > SPREAD * (sqrt(answers * hold) + sqrt(answers * rise)) + 40:
        return 1.0
    if not direct:
        return named_by_bits(hold, rise, levels, answers)
    named = named_directly if answers <= MOST_ANSWERS else named_by_alike_counts
    return min(1.0, named(hold, rise, levels, answers))


def named_by_bits(hold: float, rise: float, levels: int, answers: int) -> float:
    """Binomial counts, each level's on its own."""
    counts = _window(answers * rise, answers * hold, answers)
    return _summed(_binomial(answers, hold, counts), _binomial(answers, rise, counts), levels)


def named_by_alike_counts(hold: float, rise: float, levels: int, answers: int) -> float:
    """Independent counts whose differences are like those of the multinomial ones."""
    if hold <= rise:
        return 1 / levels  # no answer speaks for any level
    trials, mean = round(answers * hold**2 / (hold - rise) ** 2), answers * hold
    counts = _window(answers * rise, mean, trials)
    true = _poisson(mean, counts) if trials > MOST_TRIALS else _binomial(trials, mean / trials, counts)
    return _summed(true, _poisson(answers * rise, counts), levels)


def named_directly(hold: float, rise: float, levels: int, answers: int) -> float:
    """Multinomial counts, as Poisson counts of a known sum."""
    wide = int(SPREAD * sqrt(answers)) + 30  # half as many angles as tell sums apart; the others are conjugate
    turn, counts = np.exp(1j * pi * np.arange(2 * wide) / wide), np.arange(answers + 1)
    turns = turn[np.outer(np.arange(wide + 1), counts) % (2 * wide)]
    true, other = (_poisson(answers * rate, counts) * turns for rate in (hold, rise))
    named = (true * _named(other, np.cumsum(other, axis=1) - other, levels)).sum(axis=1)
    rest = 1 - hold - (levels - 1) * rise  # of answers that are none of the levels
    named *= np.exp(rest * answers * (turn[: wide + 1] - 1)) * turns[:, -1].conj()
    weights = np.full(wide + 1, 2.0)
    weights[[0, -1]] = 1.0
    known = _poisson(answers, counts)[-1]
    return float(named.real @ weights / (2 * wide * known))


def _summed(true: Numbers, other: Numbers, levels: int) -> float:
    return float(true @ _named(other, np.cumsum(other) - other, levels))


def _named(same: NDArray[Any], fewer: NDArray[Any], levels: int) -> NDArray[Any]:
    """((a + b)ᵈ − bᵈ)/(d·a) as the sum of (a + b)ⁱ·b^(d−1−i), built up by doubling; nothing cancels."""
    some = same + fewer
    named, high, low = np.ones_like(some), some, fewer  # for one level, with both powers
    for bit in bin(levels)[3:]:
        named, high, low = named * (high + low), high * high, low * low
        if bit == "1":
            named, high, low = named * some + low, high * some, low * fewer
    return np.asarray(named / levels)


def _window(low: float, high: float, most: int) -> Counts:
    """The counts that two laws with these means have, but for chances that do not count."""
    first, last = low - SPREAD * sqrt(low) - 20, high + SPREAD * sqrt(high) + 20
    return np.arange(max(0, int(first)), min(most, int(last)) + 1)


def _binomial(trials: int, chance: float, counts: Counts) -> Numbers:
    """The chance of each number of successes."""
    return _normalised(np.log((trials - counts[:-1]) / counts[1:]) + np.log(chance / (1 - chance)))


def _normalised(steps: Numbers) -> Numbers:
    """Chances of which each log exceeds the one before by a step."""
    logs = np.concatenate([[0.0], np.cumsum(steps)])
    chances = np.exp(logs - logs.max())
    return np.asarray(chances / chances.sum())


def _poisson(rate: float, counts: Counts) -> Numbers:
    """The chance of each of some counts in a row, of which those that are left out do not count."""
    logs = np.concatenate([[0.0], np.cumsum(np.log(rate / counts[1:]))])
    if counts[0] == 0:
        return np.asarray(np.exp(logs - rate))
    return _normalised(np.log(rate / counts[1:]))
