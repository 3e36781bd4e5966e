"""Up to where the levels of an appliance should reach, so that a mean of real watts is best known.

A higher top lets more noise in and leaves less above it to be guessed.  The best one follows the number of homes.
"""

from functools import cache

import numpy as np
from numpy.typing import ArrayLike

from hushwatt.privacy.tails import Floats, lost, prior_weights

INNER = 0.4  # the middle level, as a part of the top: it weighs the tail
SCORE = 4.7  # interval score of a normal estimate with its 95 % interval, in standard errors
TAIL = 2.0  # what an expected tail adds to the interval score, in tails
USING_HOURS = 2.0  # a high day's use falls into about two hours and a slot
BETWEEN_HOMES = 0.25  # of the variance of days in homes that have it: what longer slots do not average out
DAY_HOURS = 24.0
TOPS = np.geomspace(0.25, 12, 120)  # those that are tried, in highs


def slot_high(high: float, rated: float, slot_hours: float, owners_mean: float = 0.0) -> float:
    """A high slot, from a high day: its energy falls into about two hours and a slot, never below the day's own.

    Over several days highs even out towards the mean of homes that have it: h' = m + (h − m)·√(b + (1 − b)/days),
    b a quarter.  (Measured for weeks: half the height for washing machines, two thirds for dishwashers,
    microwave ovens and kettles, all of it for fridges.)

    >>> slot_high(84, 2000, 1), slot_high(84, 2000, 24), slot_high(50, 110, 1)
    (672.0, 84.0, 110.0)
    >>> round(slot_high(119, 2000, 7 * 24, owners_mean=22))
    80
    """
    if slot_hours <= DAY_HOURS:
        return float(max(high, min(rated, high * DAY_HOURS / (slot_hours + USING_HOURS))))
    left = (BETWEEN_HOMES + (1 - BETWEEN_HOMES) * DAY_HOURS / slot_hours) ** 0.5
    return float(owners_mean + (high - owners_mean) * left) if high > owners_mean else float(high)


def score(noise: ArrayLike, gone: ArrayLike) -> Floats:
    """The expected interval score over the real mean: `noise` in means, and the tail that must be guessed."""
    return np.asarray((SCORE * np.asarray(noise) + TAIL * np.asarray(gone)) / (1 - np.asarray(gone)))


def choose_top(
    mean: float, high: float, per_watt: float, rated: float | None = None, weights: tuple[float, ...] | None = None
) -> float:
    """The top with the least expected interval score; more reports, a higher top.

    `mean` and `high` are among homes that measure the appliance, `per_watt` is the standard error of the mean for
    each watt of the top; `rated` is doubted by two like everything else.

    >>> [round(choose_top(20, 60, noise)) for noise in (0.02107, 0.00666, 0.00211)]
    [81, 137, 231]
    """
    scores = score(per_watt * TOPS * high / mean, _lost_by_top(weights))
    top = float(TOPS[int(np.argmin(scores))] * high)
    return top if rated is None else min(top, 2 * max(rated, high))


@cache
def _lost_by_top(weights: tuple[float, ...] | None) -> Floats:
    return lost(TOPS, 1.0, prior_weights() if weights is None else np.array(weights))


def levels_up_to(top: float) -> tuple[float, ...]:
    """Zero, a middle that weighs the tail, and the top, to three digits.

    >>> levels_up_to(212.4)
    (0.0, 85.0, 212.0)
    """
    return 0.0, float(f"{INNER * top:.3g}"), float(f"{top:.3g}")
