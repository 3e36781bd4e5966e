"""What no guess can exceed where homes decide by themselves when to publish.

When a home publishes depends on its probes, so the number of answers has no simple law.  But whatever came
before, the slots of one window cost an appliance at most its part x of ε: B windows are as many adaptive
x-differentially private answers, and no two pasts are told apart better by these than by B coin tosses that
fall right with chance eˣ/(1 + eˣ) (Kairouz, Oh and Viswanath 2015).  With P₁ and P₀ the chances of each number
of tosses that fall right under one past and the other, and δ(t) = Σ max(P₁ − t·P₀, 0),

    a guess between two pasts is right with chance   ½ + ½·δ(1)  at most, and
    one among d levels with chance                   (t + (d − 1)·δ(t))/d  at most, for any t ≥ 1,

as max(a₁, …, a_d) ≤ t·a₁ + Σ max(a_j − t·a₁, 0).
"""

from functools import lru_cache
from math import ceil, exp, log, sqrt

import numpy as np
from numpy.typing import NDArray

SPREAD = 10.0  # standard deviations beyond which nothing is expected
CACHED = 256
Numbers = NDArray[np.float64]


def two_pasts_bound(budget: float, windows: int) -> float:
    """The most with which two pasts are told apart, when each window costs at most `budget`.

    >>> round(two_pasts_bound(1.0, 1), 4), round(two_pasts_bound(1.0, 10), 4)
    (0.7311, 0.9348)
    """
    return 0.5 + 0.5 * float(_divergence(budget, windows, 1.0))


def constant_level_bound(budget: float, windows: int, levels: int) -> float:
    """The most with which one of so many levels is named that never changes."""
    steps = np.arange(0, ceil(log(levels) / budget) + 1) if budget > 0 else np.zeros(1)
    ratios = np.unique(np.concatenate([[1.0], np.exp(np.minimum(budget * steps, log(levels)))]))
    bounds = [(ratio + (levels - 1) * _divergence(budget, windows, ratio)) / levels for ratio in ratios[:400].tolist()]
    return float(min(1.0, *bounds))


@lru_cache(maxsize=CACHED)
def _tosses(budget: float, windows: int) -> tuple[Numbers, Numbers]:
    """P₁, and log P₁/P₀, of every number of tosses that counts."""
    right = 1 / (1 + exp(-budget))
    spread = SPREAD * sqrt(windows) / 2 + 10
    low, high = windows * (1 - right) - spread, windows * right + spread
    counts = np.arange(max(0, int(low)), min(windows, int(high)) + 1)
    logs = np.concatenate([[0.0], np.cumsum(np.log((windows - counts[:-1]) / counts[1:]) + budget)])
    chances = np.exp(logs - logs.max())
    return np.asarray(chances / chances.sum()), np.asarray(budget * (2.0 * counts - windows))


def _divergence(budget: float, windows: int, ratio: float) -> float:
    """δ(t): by how much one past's chances can exceed t times the other's."""
    chances, logs = _tosses(budget, windows)
    return float((chances * np.maximum(-np.expm1(np.minimum(log(ratio) - logs, 0.0)), 0.0)).sum())
