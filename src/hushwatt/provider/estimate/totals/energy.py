"""kWh from mean watts: of the homes taking part, slot by slot as many as there were, or of all customers.

Energy is mean power times homes times hours.  A slot without an answer adds nothing, so the hours that a total is of
stand beside it, and energy a day is of the hours that were heard.  Homes that do not measure an appliance add nothing
either: where a plan has them, a total is of those that do, and what all would use if they used as much stands apart.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple

import numpy as np

from hushwatt.provider.estimate.appliance_series import ApplianceSeries, MeanOf
from hushwatt.provider.estimate.array_types import Floats
from hushwatt.provider.estimate.collected import CollectedSlots
from hushwatt.provider.estimate.intervals import Z95
from hushwatt.provider.estimate.measuring_mean import MeasuringMean
from hushwatt.provider.estimate.ranking.covariance import CovarianceBounds, covariance_bounds
from hushwatt.provider.estimate.totals.covered_time import CoveredTime
from hushwatt.provider.estimate.totals.customers import Customers
from hushwatt.provider.estimate.totals.strata import KindOf, Strata

KILO = 1000.0
UNITS = ((1e6, "GWh"), (1e3, "MWh"), (1.0, "kWh"))


class Limited(NamedTuple):
    """A number and its 95 % limits."""

    value: float
    low: float
    high: float

    def times(self, factor: float) -> "Limited":
        return Limited(*(factor * each for each in self))


def unit_of(kwh: float) -> tuple[float, str]:
    """In which unit so many kWh are easily read.

    >>> unit_of(2_500.0), unit_of(900.0)
    ((1000.0, 'MWh'), (1.0, 'kWh'))
    """
    return next((each for each in UNITS if abs(kwh) >= each[0]), UNITS[-1])


@dataclass(frozen=True)
class Energy:
    """What is used in the hours that were heard, and a day."""

    total: Limited  # kWh
    a_day: Limited  # kWh
    hours: float  # that the total is of; the most, of several appliances


@dataclass(frozen=True)
class EnergyTotals:
    """All appliances of the same homes; None where there is no answer about one."""

    homes: float  # on average over the time
    by_appliance: dict[str, Energy | None]
    together: Energy | None  # all appliances with an answer
    all_as_measured: "EnergyTotals | None" = None  # as if all homes used as much as those that measure


def energy_of_homes(collected: CollectedSlots, covered: CoveredTime) -> EnergyTotals:
    """The homes taking part, in every slot as many as there were."""
    weight = collected.slot_homes * covered.hours
    return _energy(
        collected, covered, collected.slot_homes, lambda mean_of: collected.weighted(weight, mean_of=mean_of)
    )


def energy_of_customers(
    collected: CollectedSlots, covered: CoveredTime, customers: Customers, kind_of: KindOf
) -> EnergyTotals:
    """So many customers all the time, of whom those taking part are a random sample, or a sample of every kind."""
    weight, everybody = covered.hours, np.full(len(covered.hours), float(customers.homes))
    if not customers.kinds:
        about = partial(collected.weighted, weight, customers.homes)
        return _energy(collected, covered, everybody, lambda mean_of: about(mean_of=mean_of))

    def stratified(mean_of: MeanOf) -> CollectedSlots:
        return Strata(collected, kind_of, customers, weight, mean_of).combined()

    return _energy(collected, covered, everybody, stratified)


def _energy(
    collected: CollectedSlots, covered: CoveredTime, homes: Floats, weighted: Callable[[MeanOf], CollectedSlots]
) -> EnergyTotals:
    told = added_up(weighted(MeasuringMean.of_all_homes), collected.known, covered, homes)
    if not collected.plan.answers_unmeasured:
        return told
    return replace(told, all_as_measured=added_up(weighted(MeasuringMean.of), collected.known, covered, homes))


def added_up(
    collected: CollectedSlots, names: Sequence[str] | dict[str, ApplianceSeries], covered: CoveredTime, homes: Floats
) -> EnergyTotals:
    """The appliances with these names, and all of them together."""
    known = {name: collected.series[name] for name in names if collected.series[name].period}
    rows = [each.slots.counted for each in known.values()]
    hours = np.array([row @ covered.hours for row in rows])
    scale = np.array([row @ (homes * covered.hours) for row in rows]) / KILO
    a_day = scale / np.array([row @ covered.days for row in rows])
    means = [Limited(mean_of(each), *each.limits) for each in known.values()]
    energy: dict[str, Energy | None] = {
        name: Energy(mean.times(float(scale[place])), mean.times(float(a_day[place])), float(hours[place]))
        for place, (name, mean) in enumerate(zip(known, means, strict=True))
    }
    together = None
    if known:
        series = list(known.values())
        bounds = covariance_bounds(
            collected.plan, [one.compared for one in series], collected.timeline, collected.homes
        )
        total, daily = (SummedMeans.of(series, each, bounds).limited for each in (scale, a_day))
        together = Energy(total, daily, float(hours.max()))
    asked = collected.timeline.requested * covered.hours
    average = float(homes @ asked / asked.sum()) if asked.any() else float(collected.homes)
    return EnergyTotals(average, dict.fromkeys(collected.plan.names) | energy, together)


def mean_of(series: ApplianceSeries) -> float:
    """The mean watts of an appliance with an answer."""
    assert series.period is not None
    return series.period.watts


@dataclass(frozen=True)
class SummedMeans:
    """Means times scales, added up, and how far the sum may be off.

    Errors of noise and of sampling add up like those that have as much in common as homes can have (MOVER).  What
    lies above the top levels may be misjudged for all appliances alike: that part of the limits is added as it is.
    """

    value: float
    down: float  # by noise and sampling
    up: float
    lighter: Floats  # by how much each appliance may be too high because its tail is lighter than thought
    heavier: Floats  # and too low

    @classmethod
    def of(cls, series: Sequence[ApplianceSeries], scale: Floats, bounds: CovarianceBounds) -> "SummedMeans":
        watts = np.array([mean_of(each) for each in series])
        limits = np.array([each.limits for each in series])
        lighter = np.maximum([watts[place] - clipped_mean(each) for place, each in enumerate(series)], 0.0)
        heavier = np.maximum([each.above_top - lighter[place] for place, each in enumerate(series)], 0.0)
        shared = Z95**2 * float(scale @ bounds.highest @ scale)
        reach = np.maximum([watts - limits[:, 0] - lighter, limits[:, 1] - watts - heavier], 0.0)
        down, up = np.sqrt(((scale * reach) ** 2).sum(axis=1) + shared).tolist()
        return cls(float(scale @ watts), down, up, scale * lighter, scale * heavier)

    @property
    def limited(self) -> Limited:
        low, high = self.down + float(self.lighter.sum()), self.up + float(self.heavier.sum())
        return Limited(self.value, self.value - low, self.value + high)


def clipped_mean(series: ApplianceSeries) -> float:
    """The mean watts as if nothing lay above the top."""
    return mean_of(series) if series.mean is None else float(series.mean.clipped[0])
