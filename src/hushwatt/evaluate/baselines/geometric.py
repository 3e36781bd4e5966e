"""Two-sided geometric noise on whole watts (Hassan 2020): Laplace's discrete sister, exact on a computer."""

import numpy as np

from hushwatt.evaluate.baselines.baseline import MAX_WATTS, Baseline, Means, Stream, Watts, bounded, mean


class Geometric(Baseline):
    """Whole watts + noise k with chance ∝ a^|k|, a = e^(−ε/Δ)."""

    name = "geometric"
    title = "Geometric"

    def collect(self, watts: Watts, epsilon: float, stream: Stream) -> Means:
        """Noise has mean 0, so the mean of the answers is that of the rounded watts."""
        return mean(np.rint(bounded(watts)) + noise(watts.shape, epsilon, stream))


def noise(shape: tuple[int, ...], epsilon: float, stream: Stream) -> Watts:
    """The difference of two geometric numbers."""
    stop = -np.expm1(-epsilon / MAX_WATTS)
    return np.asarray(stream.geometric(stop, shape) - stream.geometric(stop, shape), float)
