"""RAPPOR with memoisation (Erlingsson 2014): noise drawn once for each level, and again on top each time."""

from math import exp, log

import numpy as np
from numpy.typing import NDArray

from hushwatt.evaluate.baselines.baseline import MAX_WATTS, Baseline, Means, Stream, Watts, bounded

LEVELS = 10  # ranges of equal width
ALREADY, AGAIN = 0.75, 0.5  # the chances of an instant 1 when the kept bit is 1 and 0, as in the original
VALUES = (np.arange(LEVELS) + 0.5) * MAX_WATTS / LEVELS  # what stands for each range


class Rappor(Baseline):
    """One bit for each level; the first answer for a level is kept for ever and randomised anew each time.

    A bit is kept right with chance 1 − f/2, f = 2/(1 + e^(ε/2)).  Two levels differ in two bits, so a
    home whose level never changes spends ε in its whole life.  One whose level does change spends ε
    for every level that it visits.
    """

    name = "rappor"
    title = "RAPPOR, memoised"

    def guarantee(self, epsilon: float) -> str:
        """ε for ever while the level stays; as much again for each other level it visits."""
        instant = instant_epsilon(epsilon)
        return f"ε = {epsilon:.3g} for each level ever visited, ε = {instant:.2g} for one answer"

    def collect(self, watts: Watts, epsilon: float, stream: Stream) -> Means:
        """Undo both layers of noise in the counts of all bits, then weigh the levels by their watts."""
        levels = np.minimum(bounded(watts) * LEVELS / MAX_WATTS, LEVELS - 1).astype(np.int64)
        kept = memory(levels.shape[1:], epsilon, stream)
        counts = np.zeros((levels.shape[2], LEVELS))
        for now in levels:
            kept_bits = np.take_along_axis(kept, now[:, :, None, None], axis=2)[:, :, 0]
            counts += instant(kept_bits, stream).sum(axis=0)
        hold, rise = chances(epsilon)
        share = (counts / levels[:, :, 0].size - rise) / (hold - rise)
        return np.asarray(VALUES.mean() + share @ (VALUES - VALUES.mean()), float)


def memory(shape: tuple[int, ...], epsilon: float, stream: Stream) -> NDArray[np.bool_]:
    """The kept bits of every home and appliance, for each level that it may be at: a row for each."""
    flip = 1 / (1 + exp(epsilon / 2))
    return np.eye(LEVELS, dtype=bool) ^ (stream.random((*shape, LEVELS, LEVELS)) < flip)


def instant(kept: NDArray[np.bool_], stream: Stream) -> NDArray[np.bool_]:
    """The kept bits, randomised once more."""
    return np.asarray(stream.random(kept.shape) < np.where(kept, ALREADY, AGAIN))


def chances(epsilon: float) -> tuple[float, float]:
    """The chance of an instant 1 when the level is held, and when it is not."""
    flip = 1 / (1 + exp(epsilon / 2))
    return (1 - flip) * ALREADY + flip * AGAIN, flip * ALREADY + (1 - flip) * AGAIN


def instant_epsilon(epsilon: float) -> float:
    """What a single answer costs, two bits of it.

    >>> round(instant_epsilon(1.0), 3)
    0.262
    """
    hold, rise = chances(epsilon)
    return log(hold * (1 - rise) / (rise * (1 - hold)))
