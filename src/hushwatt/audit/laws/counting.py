"""Two verdicts on a count: does it fit the chance declared, and does it refuse one a little off?

A count of hits in many trials is weighed by how many standard deviations it lies from what
is expected.  Both verdicts use the same doubt, and seeds make them repeatable.
"""

from math import sqrt

import numpy as np
from numpy.typing import NDArray

DOUBT = 6.1  # standard deviations; further off once in 10⁹ counts
OFF = 0.02  # the slip that must be noticed: 2 % of a chance


def deviation(hits: float, trials: float, chance: float) -> float:
    """How many standard deviations `hits` lie from trials · chance.

    >>> deviation(60, 100, 0.5)
    2.0
    """
    return (hits - trials * chance) / sqrt(trials * chance * (1 - chance))


def fits(hits: int, trials: int, chance: float) -> bool:
    """Whether a count is one that this chance could give."""
    return abs(deviation(hits, trials, chance)) < DOUBT


def tells_apart(hits: int, trials: int, chance: float) -> bool:
    """Whether the same count rules out the chance 2 % higher and 2 % lower."""
    return not any(fits(hits, trials, chance * (1 + slip)) for slip in (-OFF, OFF))


def noticeable(hits: int, trials: int, chance: float) -> bool:
    """Whether there are trials enough to expect that 2 % off is noticed.

    >>> noticeable(hits=0, trials=1_000_000, chance=0.5), noticeable(hits=0, trials=1000, chance=0.5)
    (True, False)
    """
    return abs(deviation(trials * chance * (1 + OFF), trials, chance)) > 2 * DOUBT


def surprise(seen: NDArray[np.int64], chances: NDArray[np.float64]) -> float:
    """How far many counts lie from their chances together, in standard deviations.

    Pearson's χ² over cells that expect at least ten, the rest pooled; Wilson and Hilferty's
    cube root makes a normal deviate of it.
    """
    expected = chances / chances.sum() * seen.sum()
    small = expected < 10
    pooled_seen = np.append(seen[~small], seen[small].sum())
    pooled = np.append(expected[~small], expected[small].sum())
    if pooled_seen[-1] and not pooled[-1]:
        return float("inf")  # seen, though it cannot happen
    keep = pooled > 0
    if keep.sum() < 2:
        return 0.0
    square = float(((pooled_seen - pooled)[keep] ** 2 / pooled[keep]).sum())
    freedom = int(keep.sum()) - 1
    spread = 2 / (9 * freedom)
    return float(((square / freedom) ** (1 / 3) - (1 - spread)) / sqrt(spread))
