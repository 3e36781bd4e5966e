"""Histograms as people expect them: no level below zero, all homes accounted for.

Only what is shown is changed.  Means, shares, ranks and all intervals come from the
unbiased estimate, which this would bias.
"""

from collections.abc import Callable

import numpy as np

from hushwatt.provider.estimate.array_types import Floats


def norm_sub(levels: Floats, total: float | Floats) -> Floats:
    """The nearest counts that are not negative and add up to `total`, for every row.

    Every level is moved by the same amount, and what would fall below zero stays at zero.

    >>> norm_sub(np.array([6.0, 5.0, -3.0]), total=10)
    array([5.5, 4.5, 0. ])
    """
    falling = -np.sort(-levels, axis=-1)
    moves = (total - np.cumsum(falling, axis=-1)) / np.arange(1, levels.shape[-1] + 1)
    kept = np.count_nonzero(falling + moves > 0, axis=-1, keepdims=True)
    move = np.take_along_axis(moves, kept - 1, axis=-1)
    return np.maximum(levels + move, 0)


def add_one_smoothed(share: Floats, reports: float | Floats) -> Floats:
    """A histogram of parts to judge errors by: none is zero, as one home more is put at every level.

    >>> add_one_smoothed(np.array([1.2, -0.2]), reports=2).tolist()
    [0.75, 0.25]
    """
    histogram: Floats = (norm_sub(share, 1.0) * reports + 1) / (reports + share.shape[-1])
    return histogram


def unadjusted(levels: Floats, total: float | Floats) -> Floats:
    """The unbiased estimate itself, which may fall below zero."""
    return levels


Consistency = Callable[[Floats, float | Floats], Floats]
CONSISTENCIES: dict[str, Consistency] = {"norm-sub": norm_sub, "none": unadjusted}
