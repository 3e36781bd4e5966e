"""What is thought of an appliance's watts before anyone has reported."""

from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from hushwatt.plan.appliance import Appliance
from hushwatt.plan.catalogue import entry
from hushwatt.plan.plan import Plan
from hushwatt.privacy.advice.tops import choose_top, slot_high
from hushwatt.privacy.tails import lost
from hushwatt.privacy.typical import last_edge, typical_mean

HOUR = 3_600
USERS_SHAPE = 2.5  # of the gamma law among homes that use an appliance: a spread of 0.63 of the mean
DOUBTS = {"plan": 0.25, "estimates": 0.25, "readings": 0.25, "catalogue": 1.0, "edges": 1.0}  # who knows, who guesses
MEASURING = 0.6  # of homes are thought to measure an appliance that most have, where that is asked
FEWEST_MEASURING = 0.1  # nobody asks about what hardly any home could measure
NARROWEST = 400.0  # shape: a spread of a twentieth of the mean


@dataclass(frozen=True)
class Tail:
    """What an earlier collection told of a tail: how likely each law is, in units of the high of its plan."""

    high: float
    weights: tuple[float, ...]


@dataclass(frozen=True)
class Prior:
    """Some homes do not use it at all, the others by a gamma law whose 95th percentile is the high.

    Among users the shape is 2.5, so the high is about 2.2 times their mean; the share of users
    makes up for the rest.  Where the high is less than that above the mean, everyone is a user and the
    law is as narrow as it must be.
    """

    mean: float  # watts, over slots and homes: those that measure it, where "not measured" is an answer
    high: float  # watts, a high reading of a home that uses it
    source: str  # where the two come from: plan, estimates, readings, catalogue or edges
    rated: float | None = None  # watts while it runs, where that is known
    measured: float = 1.0  # share of homes thought to measure it
    tail: "Tail | None" = None  # what reports have told of its tail

    def best_top(self, per_watt: float) -> float:
        """The top that suits a standard error of `per_watt` for each of its watts."""
        if self.tail is None:
            return choose_top(self.mean, self.high, per_watt, self.rated)
        return choose_top(self.mean, self.tail.high, per_watt, self.rated, self.tail.weights)

    def lost(self, top: float) -> float:
        """The share of the real mean that is expected above `top`, over a family of tails."""
        return _lost(top, self.high, None) if self.tail is None else _lost(top, self.tail.high, self.tail.weights)

    @property
    def doubt(self) -> float:
        """How far off the law's tail may be: of what clipping is thought to take, this part may be wrong."""
        return DOUBTS[self.source]

    @cached_property
    def _law(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Watts on a grid, and the weight of each."""
        shape = _shape(self.high / self.mean)
        grid, weights = _unit_gamma(shape)
        using = min(1.0, self.mean * _high_over_mean(shape) / self.high)
        watts = np.concatenate([[0.0], grid * self.mean / using])
        return watts, np.concatenate([[1 - using], using * weights])

    def clipped(self, top: float) -> float:
        """The mean that is lost when nothing above `top` counts."""
        watts, weights = self._law
        return float(np.maximum(watts - top, 0) @ weights)

    def top(self, lost: float) -> float:
        """The value above which a share `lost` of the mean lies."""
        low, high = 0.0, 20 * self.high
        for _ in range(50):
            middle = (low + high) / 2
            low, high = (middle, high) if self.clipped(middle) > lost * self.mean else (low, middle)
        return high

    def dithered(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """The share of each level when readings are rounded at random between `values`."""
        watts, weights = self._law
        place = np.interp(watts, values, np.arange(len(values)))
        lower = np.minimum(place.astype(np.intp), len(values) - 2)
        way = place - lower
        stay = np.bincount(lower, weights * (1 - way), minlength=len(values))
        return np.asarray(stay + np.bincount(lower + 1, weights * way, minlength=len(values)), float)

    def ranged(self, edges: NDArray[np.float64]) -> NDArray[np.float64]:
        """The share of each level when readings are looked up in ranges."""
        watts, weights = self._law
        return np.asarray(np.bincount(np.searchsorted(edges, watts), weights, len(edges) + 1), float)


@lru_cache(maxsize=4096)
def _lost(top: float, high: float, weights: tuple[float, ...] | None) -> float:
    return float(lost(top, high, weights)[0])


@cache
def _unit_gamma(shape: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """A gamma law of mean 1 on a grid."""
    logs = np.linspace(-14 / min(shape, 3), np.log(1 + 12 / np.sqrt(shape)), 1500)
    weights = np.exp(shape * (logs - np.exp(logs) + 1))
    weights /= weights.sum()
    grid = np.exp(logs)
    return grid / float(grid @ weights), weights


@cache
def _high_over_mean(shape: float) -> float:
    """The 95th percentile of a gamma law of mean 1."""
    grid, weights = _unit_gamma(shape)
    return float(np.interp(0.95, np.cumsum(weights), grid))


@cache
def _shape(high_over_mean: float) -> float:
    """The shape among users: 2.5, or larger when the high is close to the mean."""
    low, high = USERS_SHAPE, NARROWEST
    if high_over_mean >= _high_over_mean(low):
        return low
    for _ in range(30):
        middle = sqrt(low * high)
        low, high = (middle, high) if _high_over_mean(middle) > high_over_mean else (low, middle)
    return low


def prior_of(plan: Plan, appliance: Appliance) -> Prior:
    """The plan's own word, else the catalogue's, else a tenth of the last edge and the last edge."""
    known, last = entry(appliance.name), last_edge(appliance)
    mean, high, source, rated, measured = typical_mean(plan, appliance), last, "edges", None, MEASURING
    if known is not None:
        source, rated = "catalogue", known.rated
        high = slot_high(known.typical_high, known.rated, slot_seconds(plan) / HOUR, mean / known.ownership)
        measured = min(max(known.ownership, FEWEST_MEASURING), MEASURING)
    if appliance.typical_mean is not None or appliance.typical_high is not None:
        source = "plan"
        high = appliance.typical_high if appliance.typical_high is not None else high
    return Prior(mean, max(high, mean), source, rated, measured if plan.answers_unmeasured else 1.0)


def slot_seconds(plan: Plan) -> float:
    """How long slots are."""
    return float((plan.calendar.end_of(0) - plan.calendar.start_of(0)).total_seconds())
