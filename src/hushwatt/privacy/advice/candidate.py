"""One way to collect, and what can be said of it beforehand."""

from dataclasses import dataclass
from functools import cached_property
from math import ceil, erf, inf, sqrt

import numpy as np
from numpy.typing import NDArray

from hushwatt.plan.plan import Plan
from hushwatt.privacy.advice.prior import Prior
from hushwatt.privacy.advice.tops import score
from hushwatt.privacy.promise import Promise, promise

Z95 = 1.959963984540054
Floats = NDArray[np.float64]


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
    def middling_error(self) -> float:
        """The same error of a middling appliance, as a share of its mean."""
        return self.limits / Z95

    @property
    def limits(self) -> float:
        """Half of the 95 % interval of a middling mean, as a share of it."""
        return float(np.median(self.half_widths))

    @property
    def _stretch(self) -> Floats:
        """By how much the noise grows with what is added for the tail; values of ranges are taken as they are."""
        return np.ones(len(self.priors)) if self.plan.mapping == "range" else 1 / (1 - np.array(self.losses))

    def _hidden(self, place: int) -> float:
        """By what part of it a mean may be off however many homes there are: its tail, and rounding to ranges."""
        tail = self.losses[place] / (1 - self.losses[place])
        return max(tail, abs(self.biases[place]) / self.priors[place].mean) if self.plan.mapping == "range" else tail

    @property
    def _noises(self) -> Floats:
        means = np.array([prior.mean for prior in self.priors])
        return np.asarray(np.sqrt(np.array(self.variances)) / means)

    @property
    def right_order(self) -> float:
        """The chance that two appliances next to each other in usage come out in the right order."""
        means, biases = np.array([prior.mean for prior in self.priors]), np.array(self.biases)
        doubts = np.array([prior.doubt for prior in self.priors])
        return float(np.mean(order_chances(means, biases, np.array(self.variances) + (doubts * biases) ** 2)))

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


def order_chances(means: Floats, biases: Floats, variances: Floats) -> Floats:
    """For appliances next to each other in usage, the chance that they come out in the right order.

    Variances are of noise, and of biases that may be others than thought.

    >>> order_chances(np.array([10.0, 30, 20]), np.zeros(3), np.full(3, 50.0)).round(3)
    array([0.841, 0.841])
    >>> order_chances(np.array([10.0]), np.zeros(1), np.ones(1))
    array([1.])
    """
    order = np.argsort(-means, kind="stable")
    if len(order) < 2:
        return np.ones(1)
    ahead = -np.diff((means + biases)[order])
    spread = np.sqrt(variances[order][1:] + variances[order][:-1])
    return np.array([0.5 * (1 + erf(each)) for each in (ahead / spread / sqrt(2)).tolist()])
