"""Totals by randomised response, in the manner of Gai et al. (2022): one bit per reading.

Their scheme estimates totals and averages of whole homes; here each appliance
is asked on its own, and a reading becomes a bit by random rounding.
"""

from math import exp

import numpy as np

from hushwatt.evaluate.baselines.baseline import MAX_WATTS, Baseline, Means, Stream, Watts, bounded, mean


class RandomisedTotals(Baseline):
    """Rounds a reading at random to 0 or Δ, its mean kept, and tells the truth with chance e^ε/(1 + e^ε)."""

    name = "randomised-totals"
    title = "Randomised response, totals"

    def collect(self, watts: Watts, epsilon: float, stream: Stream) -> Means:
        """Δ·(share of ones − q)/(p − q), unbiased."""
        hold, rise = chances(epsilon)
        return MAX_WATTS * (mean(answers(watts, epsilon, stream)) - rise) / (hold - rise)


def chances(epsilon: float) -> tuple[float, float]:
    """The chance of a 1 when the rounded reading is Δ, and when it is 0."""
    rise = 1 / (1 + exp(epsilon))
    return 1 - rise, rise


def answers(watts: Watts, epsilon: float, stream: Stream) -> Watts:
    """The bit that each home answers with.

    Rounding and answering are one draw: a 1 has chance q + (p − q)·watts/Δ.
    """
    hold, rise = chances(epsilon)
    return np.asarray(stream.random(watts.shape) < rise + (hold - rise) * bounded(watts) / MAX_WATTS, float)
