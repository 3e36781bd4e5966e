"""Which levels to try: how many, how spaced, and up to where.

All appliances lose the same share of their mean to clipping, so that their order and
their shares stay what they were.
"""

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from hushwatt.privacy.advice.prior import Prior

COUNTS = (2, 3, 4, 5, 6, 8, 10)
LOSSES = (0.005, 0.01, 0.02, 0.05, 0.1, 0.15)  # of the mean, to clipping: a lower top saves much noise
BENDS = (1.0, 1.5, 2.0)  # 1: evenly spaced; above: closer together near 0


@dataclass(frozen=True)
class LevelChoices:
    """The choices with the same number of levels and the same loss, a row for each spacing."""

    values: NDArray[np.float64]
    shares: NDArray[np.float64]  # thought to be held


@cache
def level_choices(prior: Prior, count: int, loss: float) -> LevelChoices:
    """Values from 0 up to where the mean loses `loss` of itself, dithered."""
    bends = BENDS if count > 2 else BENDS[:1]
    values = np.array([rounded(prior.top(loss) * np.linspace(0, 1, count) ** bend) for bend in bends])
    return LevelChoices(values, np.array([prior.dithered(row) for row in values]))


def rounded(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Watts to three digits, as people write them.

    >>> rounded(np.array([0, 12.3456, 2468.0]))
    array([   0. ,   12.3, 2470. ])
    """
    return np.array([float(f"{value:.3g}") for value in values])
