"""One way to collect, and what can be said of it beforehand."""

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from math import ceil, erf, sqrt

import numpy as np

from hushwatt.plan.plan import Plan
from hushwatt.privacy.advice.prior import Prior
from hushwatt.privacy.promise import Promise, promise

Z95 = 1.959963984540054


@dataclass(frozen=True)
class Candidate:
    """A plan, and the errors that are expected of it with some number of homes and slots."""

    plan: Plan
    homes: int
    priors: tuple[Prior, ...]
    variances: tuple[float, ...]  # of each appliance's mean over the period, in W²
    biases: tuple[float, ...]  # W by which each mean is expected to be off, as levels clip or round
    cell_variance: float  # of one level's share in one slot, averaged over all levels

    @cached_property
    def promise(self) -> Promise:
        return promise(self.plan)

    @property
    def squared_error(self) -> float:
        """The expected squared error of a mean in W², averaged over appliances."""
        return float(np.mean([v + b * b for v, b in zip(self.variances, self.biases, strict=True)]))

    @property
    def right_order(self) -> float:
        """The chance that two appliances next to each other in usage come out in the right order."""
        order = sorted(range(len(self.priors)), key=lambda place: -self.priors[place].mean)
        return float(np.mean([self._in_order(*pair) for pair in pairwise(order)] or [1.0]))

    def _in_order(self, more: int, less: int) -> float:
        ahead = self.priors[more].mean - self.priors[less].mean + self.biases[more] - self.biases[less]
        spread = sqrt(self._variance_of_order(more) + self._variance_of_order(less))
        return 0.5 * (1 + erf(ahead / spread / sqrt(2)))

    def _variance_of_order(self, place: int) -> float:
        """Noise, and that the bias may be another than thought."""
        return self.variances[place] + (self.priors[place].doubt * self.biases[place]) ** 2

    def homes_needed(self, share: float) -> int:
        """How many homes put the mean of a middling appliance within ±`share` of it, 19 times in 20."""
        needed = [
            self.homes * variance * (Z95 / (share * prior.mean)) ** 2
            for variance, prior in zip(self.variances, self.priors, strict=True)
        ]
        return ceil(float(np.median(needed)))
