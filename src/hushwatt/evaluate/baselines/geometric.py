"""Two-sided geometric noise on whole watts (Hassan 2020): Laplace's discrete sister, exact on a computer."""

import numpy as np

from hushwatt.evaluate.baselines.baseline import MAX_WATTS, Means, Stream, Watts, bounded, mean


class Geometric:
    """Whole watts + noise k with chance ∝ a^|k|, a = e^(−ε/Δ)."""

    name = "geometric"
    title = "Geometric"
    local = True

    def guarantee(self, epsilon: float) -> str:
        """ε-LDP for one reading."""
        return f"ε = {epsilon:.3g} for one reading"

    def collect(self, watts: Watts, epsilon: float, stream: Stream) -> Means:
        """Noise has mean 0, so the mean of the answers is that of the rounded watts."""
        return mean(np.rint(bounded(watts)) + noise(watts.shape, epsilon, stream))


def noise(shape: tuple[int, ...], epsilon: float, stream: Stream) -> Watts:
    """The difference of two geometric numbers."""
    stop = -np.expm1(-epsilon / MAX_WATTS)
    return np.asarray(stream.geometric(stop, shape) - stream.geometric(stop, shape), float)
