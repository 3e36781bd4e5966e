"""One way to collect, and what can be said of it beforehand."""

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from math import ceil, erf, inf, sqrt

import numpy as np
from numpy.typing import NDArray

from hushwatt.plan.plan import Plan
from hushwatt.privacy.advice.prior import Prior
from hushwatt.privacy.advice.tops import score
from hushwatt.privacy.promise import Promise, promise

Z95 = 1.959963984540054


@dataclass(frozen=True)
class Candidate:
    """A plan, and the errors that are expected of it with some number of homes and slots."""

    plan: Plan
    homes: int
    priors: tuple[Prior, ...]
    variances: tuple[float, ...]  # of each appliance's mean over the period, in W²
    biases: tuple[float, ...]  # W by which what is reported is expected to be off, as levels clip or round
    losses: tuple[float, ...]  # share of each real mean that levels are expected to hide, and that must be guessed
    cell_variance: float  # of one level's share in one slot, averaged over all levels
    cost_of_unmeasured: float | None = None  # variance of a mean, over that if who measures were public knowledge

    @cached_property
    def promise(self) -> Promise:
        return promise(self.plan)

    @property
    def squared_error(self) -> float:
        """The expected squared error in W² of a mean of what is reported, averaged over appliances."""
        return float(np.mean([v + b * b for v, b in zip(self.variances, self.biases, strict=True)]))

    @property
    def score(self) -> float:
        """The interval score expected of a real mean, in means, averaged over appliances."""
        return float(np.mean(score(self._noises, self.losses)))

    @property
    def half_widths(self) -> tuple[float, ...]:
        """Of each mean of real watts, half of its 95 % interval as a share of it: noise, and what levels hide."""
        hidden = np.array([self._hidden(place) for place in range(len(self.priors))])
        return tuple((Z95 * self._noises * self._stretch + hidden).tolist())

    @property
    def real_error(self) -> float:
        """The error expected of a mean of real watts in W, all causes counted: the root of its mean square."""
        watts = [half * prior.mean / Z95 for half, prior in zip(self.half_widths, self.priors, strict=True)]
        return float(np.sqrt(np.mean(np.square(watts))))

    @property
    def _stretch(self) -> NDArray[np.float64]:
        """By how much the noise grows with what is added for the tail; values of ranges are taken as they are."""
        return np.ones(len(self.priors)) if self.plan.mapping == "range" else 1 / (1 - np.array(self.losses))

    def _hidden(self, place: int) -> float:
        """By what part of it a mean may be off however many homes there are: its tail, and rounding to ranges."""
        tail = self.losses[place] / (1 - self.losses[place])
        return max(tail, abs(self.biases[place]) / self.priors[place].mean) if self.plan.mapping == "range" else tail

    @property
    def _noises(self) -> NDArray[np.float64]:
        means = np.array([prior.mean for prior in self.priors])
        return np.asarray(np.sqrt(np.array(self.variances)) / means)

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

    def homes_needed(self, share: float) -> int | None:
        """How many homes put a middling appliance's real mean within ±`share` of it, 19 times in 20.

        All errors count: where levels hide too much, no number of homes is enough, and the answer is None.
        """
        needed = sorted(map(self._needed, range(len(self.priors)), [share] * len(self.priors)))
        middling = needed[(len(needed) - 1) // 2 : len(needed) // 2 + 1]
        return None if middling[-1] == inf else ceil(sum(middling) / len(middling))

    def _needed(self, place: int, share: float) -> float:
        left = share - self._hidden(place)
        if left <= 0:
            return inf
        noise = self._noises[place] * self._stretch[place]
        return self.homes * float(Z95 * noise / left) ** 2
