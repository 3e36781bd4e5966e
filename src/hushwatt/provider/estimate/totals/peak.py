"""The peak: the hour, or other key of a fold, in which all appliances together use the most, and how sure that is.

A key may be the peak unless another is surely above it.  The same homes speak at several hours, and nobody knows what
these have to do with each other, so keys are compared with the covariance that makes the comparison least sure; and
one law of the tail above the top levels holds for all keys.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from hushwatt.provider.estimate.appliance_series import ApplianceSeries
from hushwatt.provider.estimate.array_types import Floats
from hushwatt.provider.estimate.collected import CollectedSlots
from hushwatt.provider.estimate.intervals import Z95
from hushwatt.provider.estimate.measuring_mean import MeasuringMean, normal_distribution
from hushwatt.provider.estimate.period import PeriodMean
from hushwatt.provider.estimate.ranking.common_homes import asked_on_both
from hushwatt.provider.estimate.ranking.covariance import bounds_between, covariance_bounds
from hushwatt.provider.estimate.ranking.ranks import Ranks, ranks, sidak_quantile
from hushwatt.provider.estimate.totals.energy import Limited, SummedMeans, mean_of


class PeakPart(NamedTuple):
    """One appliance in the peak."""

    watts: Limited  # of a home
    rank: int
    best: int  # 95 %, all appliances together
    worst: int


@dataclass(frozen=True)
class Peak:
    """The key with the most watts."""

    key: str
    watts: Limited  # of a home, all appliances together
    sure: float  # how sure it is that no other key has more
    could_be: tuple[str, ...]  # with 95 % confidence it is one of these
    by_appliance: dict[str, PeakPart]  # the most watts first


def peak_of(folds: Mapping[str, CollectedSlots]) -> Peak | None:
    """Where all appliances that have an answer at every key peak together; None where none has."""
    sides = {key: _of_all_homes(each) for key, each in folds.items()}
    names = [name for name in next(iter(folds.values())).series if all(name in each.known for each in folds.values())]
    if not names:
        return None
    sums = {key: _sum(side, names) for key, side in sides.items()}
    above = _sigmas_above(list(sums.values()), _lowest(list(sides.values()), names))
    top, keys = int(np.argmax([each.value for each in sums.values()])), list(sides)
    least = sidak_quantile(max(len(keys) - 1, 1))
    could_be = np.flatnonzero(above.max(axis=1) <= least)
    nearest = np.delete(above[:, top], top).min(initial=np.inf)
    return Peak(
        keys[top],
        sums[keys[top]].limited,
        float(normal_distribution(np.array([min(nearest, 12.0)]))[0]),
        tuple(keys[place] for place in could_be),
        _parts(sides[keys[top]], names),
    )


def _of_all_homes(side: CollectedSlots) -> CollectedSlots:
    """Watts spread over all homes, which can be added up."""
    return side.weighted(side.timeline.weight, mean_of=MeasuringMean.of_all_homes)


def _sum(side: CollectedSlots, names: Sequence[str]) -> SummedMeans:
    series = [side.series[name] for name in names]
    bounds = covariance_bounds(side.plan, [each.compared for each in series], side.timeline, side.homes)
    return SummedMeans.of(series, np.ones(len(names)), bounds)


def _lowest(sides: Sequence[CollectedSlots], names: Sequence[str]) -> Floats:
    """The least that the sums at two keys may have in common.

    Σ√(aᵢbⱼ) over all pairs of appliances is no more than that of the sums (Cauchy and Schwarz), so a sum is bounded
    like an appliance of which homes hold as much.
    """
    sums = [_together([side.series[name] for name in names]) for side in sides]
    plan, (least, most) = sides[0].plan, asked_on_both(sides, names[0])
    if plan.appliances_per_report < len(plan.appliances):
        least, most = np.zeros_like(least), np.ones_like(most)
    return bounds_between(sums, sides[0].homes, least, most).lowest


def _together(series: Sequence[ApplianceSeries]) -> PeriodMean:
    """What sampled homes hold of all appliances, at most, as if it were one."""
    periods = [each.compared for each in series]
    weight = max(period.sampling for period in periods)
    above = sum(max(each.watts_above, 0.0) * np.sqrt(each.sampling) for each in periods)
    return replace(
        periods[0],
        sampling=weight,
        watts_above=float(above / np.sqrt(weight)) if weight > 0 else 0.0,
        watts_sampling=float(sum(np.sqrt(each.watts_sampling) for each in periods) ** 2),
    )


def _sigmas_above(sums: Sequence[SummedMeans], lowest: Floats) -> Floats:
    """[j, k]: by how many standard errors key k is above key j, whatever the tails; −∞ for a key and itself."""
    value = np.array([each.value for each in sums])
    down, up = (np.array([getattr(each, side) for each in sums]) / Z95 for side in ("down", "up"))
    lighter, heavier = (np.array([getattr(each, side) for each in sums]) for side in ("lighter", "heavier"))
    tails = np.maximum(lighter[None] - lighter[:, None], heavier[:, None] - heavier[None])
    doubt = np.maximum(tails, 0.0).sum(axis=2)
    error = np.sqrt(np.maximum(up[:, None] ** 2 + down[None] ** 2 - 2 * lowest, 1e-300))
    above = np.asarray((value[None] - value[:, None] - doubt) / error)
    np.fill_diagonal(above, -np.inf)
    return above


def _parts(side: CollectedSlots, names: Sequence[str]) -> dict[str, PeakPart]:
    """The appliances at one key, the most watts first."""
    series = {name: side.series[name] for name in names}
    watts = np.array([mean_of(each) for each in series.values()])
    limits = np.array([each.limits for each in series.values()])
    bounds = covariance_bounds(side.plan, [each.compared for each in series.values()], side.timeline, side.homes)
    places = ranks(watts, limits[:, 0], limits[:, 1], bounds)
    parts = {
        name: PeakPart(Limited(float(watts[row]), *limits[row].tolist()), *_place(places, row))
        for row, name in enumerate(names)
    }
    return dict(sorted(parts.items(), key=lambda each: each[1].rank))


def _place(places: Ranks, row: int) -> tuple[int, int, int]:
    return int(places.rank[row]), int(places.best[row]), int(places.worst[row])
