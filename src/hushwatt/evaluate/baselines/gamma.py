"""Shares of noise that only add up to Laplace noise (Ács and Castelluccia 2011; Eibl and Engel 2017)."""

from hushwatt.evaluate.baselines.baseline import MAX_WATTS, Baseline, Means, Stream, Watts, bounded, mean


class Gamma(Baseline):
    """watts + G − G′, both Gamma(1/K, Δ/ε): the sum over all K homes has one Laplace(Δ/ε).

    It needs a sum that the provider sees and single answers that it does not
    see, by encryption.  A single answer is not private: its noise has an
    infinite density at 0, so most answers are the reading itself.
    """

    name = "gamma"
    title = "Gamma shares, not local"
    local = False

    def guarantee(self, epsilon: float) -> str:
        """ε for the sum only; none against whoever sees a single answer."""
        return f"ε = {epsilon:.3g} for the encrypted sum of all homes; none for a single answer"

    def collect(self, watts: Watts, epsilon: float, stream: Stream) -> Means:
        """Noise has mean 0, so the mean of the answers is unbiased."""
        return mean(bounded(watts) + noise(watts.shape, watts.shape[-2], epsilon, stream))


def noise(shape: tuple[int, ...], homes: int, epsilon: float, stream: Stream) -> Watts:
    """One home's share of the noise when `homes` homes take part."""
    one = stream.gamma(1 / homes, MAX_WATTS / epsilon, shape)
    return one - stream.gamma(1 / homes, MAX_WATTS / epsilon, shape)
