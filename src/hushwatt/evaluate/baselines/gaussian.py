"""Gaussian noise on every reading, with the δ that it cannot do without."""

from functools import cache
from math import exp

from hushwatt.evaluate.baselines.baseline import MAX_WATTS, Baseline, Means, Stream, Watts, bounded, mean

DELTA = 1e-5  # the chance, roughly, that the promise of ε does not hold


class Gaussian(Baseline):
    """watts + N(0, σ²), σ the smallest that is (ε, δ)-private."""

    name = "gaussian"
    title = "Gaussian"

    def guarantee(self, epsilon: float) -> str:
        """(ε, δ)-LDP: never ε alone, for any ε."""
        return f"ε = {epsilon:.3g} with δ = {DELTA:g} for one reading; no finite ε with δ = 0"

    def collect(self, watts: Watts, epsilon: float, stream: Stream) -> Means:
        """Noise has mean 0, so the mean of the answers is unbiased."""
        return mean(bounded(watts) + noise(watts.shape, epsilon, stream))


def noise(shape: tuple[int, ...], epsilon: float, stream: Stream) -> Watts:
    """Normal, with the smallest deviation that keeps (ε, δ)."""
    return stream.normal(0.0, MAX_WATTS * deviation(epsilon), shape)


@cache
def deviation(epsilon: float) -> float:
    """The smallest σ, in units of Δ, with δ(σ) ≤ δ (Balle and Wang 2018).

    >>> round(deviation(1.0), 3)
    3.731
    """
    low, high = 1e-6, 1e6
    for _ in range(200):
        middle = (low * high) ** 0.5
        low, high = (middle, high) if leak(middle, epsilon) > DELTA else (low, middle)
    return high


def leak(sigma: float, epsilon: float) -> float:
    """The δ of a deviation σ: Φ(1/2σ − εσ) − e^ε·Φ(−1/2σ − εσ), in units of Δ."""
    from scipy.special import ndtr

    half, reach = 1 / (2 * sigma), epsilon * sigma
    return float(ndtr(half - reach) - exp(epsilon) * ndtr(-half - reach))
