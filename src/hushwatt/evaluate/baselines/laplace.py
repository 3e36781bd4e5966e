"""Laplace noise on every reading (as in Hassan 2019, Hossain 2021, and Eibl and Engel's point-wise form)."""

from hushwatt.evaluate.baselines.baseline import MAX_WATTS, Baseline, Means, Stream, Watts, bounded, mean


class Laplace(Baseline):
    """watts + Laplace(Δ/ε), Δ the largest reading there can be."""

    name = "laplace"
    title = "Laplace"

    def collect(self, watts: Watts, epsilon: float, stream: Stream) -> Means:
        """Noise has mean 0, so the mean of the answers is unbiased."""
        return mean(bounded(watts) + noise(watts.shape, epsilon, stream))


def noise(shape: tuple[int, ...], epsilon: float, stream: Stream) -> Watts:
    """Density ε/2Δ·e^(−ε|x|/Δ)."""
    return stream.laplace(0.0, MAX_WATTS / epsilon, shape)
