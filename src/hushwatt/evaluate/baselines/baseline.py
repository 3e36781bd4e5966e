"""What every baseline can do: say what it protects, and estimate each appliance's mean watts."""

from abc import ABC, abstractmethod

import numpy as np
from numpy.typing import NDArray

Watts = NDArray[np.float64]  # slots × homes × appliances, or homes × appliances
Means = NDArray[np.float64]  # one for each appliance
Stream = np.random.Generator

MAX_WATTS = 3_000.0  # watts: the public bound that readings are cut off at, as in the paper's synthetic data


class Baseline(ABC):
    """A way to collect from the literature, applied to every appliance and slot on its own."""

    name: str  # as tables call it
    title: str  # for people
    local: bool = True  # whether a home is protected from the provider, by its own noise alone

    def guarantee(self, epsilon: float) -> str:
        """What one answer about one appliance promises, truly: ε-LDP unless it says otherwise."""
        return f"ε = {epsilon:.3g} for one reading"

    @abstractmethod
    def collect(self, watts: Watts, epsilon: float, stream: Stream) -> Means:
        """The mean watts estimated from noisy answers, each drawn with `epsilon`."""


def bounded(watts: Watts) -> Watts:
    """Readings cut off at the public bounds, as any finite noise needs."""
    return np.clip(watts, 0.0, MAX_WATTS)


def mean(answers: Watts) -> Means:
    """The mean over all homes and slots."""
    return np.asarray(answers.mean(axis=tuple(range(answers.ndim - 1))), float)
