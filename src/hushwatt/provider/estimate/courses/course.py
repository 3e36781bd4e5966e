"""How the watts of some appliances go from key to key of a fold: the folds' own means and limits, and nothing else.

Ranks, shares and levels are not worked out, so that a page need not wait for them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace

import numpy as np

from hushwatt.plan.plan import Plan
from hushwatt.privacy.rotation import reporting_span
from hushwatt.provider.estimate.appliance_series import ApplianceSeries
from hushwatt.provider.estimate.array_types import Mask
from hushwatt.provider.estimate.arrays import SlotTimeline, TallyArrays
from hushwatt.provider.estimate.collected import CollectedSlots
from hushwatt.provider.estimate.measuring_mean import joined_means
from hushwatt.provider.estimate.times.fold import fold_rows


@dataclass(frozen=True)
class CoursePoint:
    """One appliance over the slots of one key."""

    slots: int  # asked for, with or without an answer
    watts: float  # mean of a home
    low: float  # 95 % limits
    high: float
    noise: float  # standard error, without what no level shows

    @property
    def reach(self) -> float:
        """Half of the 95 % interval."""
        return (self.high - self.low) / 2


@dataclass(frozen=True)
class Courses:
    """The keys of a fold, and each appliance at each of them; None where there is no answer."""

    plan: Plan
    fold: str
    keys: tuple[str, ...]
    by_appliance: Mapping[str, tuple[CoursePoint | None, ...]]


def courses(collected: CollectedSlots, fold: str, names: Sequence[str]) -> Courses:
    """The course of the appliances with these names."""
    rows = fold_rows(collected.plan, collected.timeline, fold)
    parts = [FoldPart.of(collected, mask) for mask in rows.values()]
    found = {name: _points([part.series(name) for part in parts], parts) for name in names}
    return Courses(collected.plan, fold, tuple(rows), found)


def side(collected: CollectedSlots, rows: Mask, name: str) -> CollectedSlots:
    """One appliance in some rows of the timeline, to be compared with other rows."""
    return replace(collected, series={name: collected.series[name]}).only(rows)


@dataclass(frozen=True)
class FoldPart:
    """The slots of one key by themselves, and as a part of all that was collected."""

    whole: CollectedSlots
    timeline: SlotTimeline  # of all slots, with those of the key asked for
    alone: TallyArrays
    alone_timeline: SlotTimeline

    @classmethod
    def of(cls, whole: CollectedSlots, mask: Mask) -> "FoldPart":
        plan, timeline = whole.plan, whole.timeline.only(mask)
        groups = timeline.requested[timeline.slot_index]
        alone = TallyArrays(*(getattr(whole.arrays, column.name)[groups] for column in fields(TallyArrays)))
        by_itself = SlotTimeline.of(alone, plan.minimum_homes, publish=plan.publish, span=reporting_span(plan))
        return cls(whole, timeline, alone, by_itself)

    @property
    def slots(self) -> int:
        return int(self.timeline.requested.sum())

    def series(self, name: str) -> ApplianceSeries:
        """An appliance over these slots: from their own tallies, unless too few homes spoke in one of them.

        Then what counts depends on the slots around it; as it does for a kind of homes.
        """
        known, asked = self.whole.series[name], self.timeline.requested
        speakers = known.clipped_slots.speakers[asked]
        few = (speakers > 0) & (speakers < self.whole.plan.minimum_homes)
        if known.rows is not None or few.any():
            return known.over(self.whole.arrays, self.timeline, self.whole.slot_homes)
        homes = self.whole.slot_homes[asked]
        return ApplianceSeries.of(self.whole.plan, self.alone, known.number, self.alone_timeline, homes)


def _points(series: Sequence[ApplianceSeries], parts: Sequence[FoldPart]) -> tuple[CoursePoint | None, ...]:
    limits = iter(_limits([each for each in series if each.period is not None]))
    return tuple(
        None if each.period is None else _point(each, part.slots, next(limits))
        for each, part in zip(series, parts, strict=True)
    )


def _point(series: ApplianceSeries, slots: int, limits: tuple[float, float]) -> CoursePoint:
    assert series.period is not None
    noise = float(np.sqrt(series.period.watts_variance) if series.mean is None else series.mean.noise[0])
    return CoursePoint(slots, series.period.watts, *limits, noise=noise)


def _limits(series: Sequence[ApplianceSeries]) -> Sequence[tuple[float, float]]:
    """The limits of periods of the same appliance; those that ask for many tails are worked out at once."""
    means = [each.mean for each in series if each.mean is not None]
    if len(means) < 2 or len(means) < len(series):
        return [each.limits for each in series]
    lows, highs = joined_means(means).limits(series[0].real)
    return [each.limits_from(*ends) for each, *ends in zip(series, lows.tolist(), highs.tolist(), strict=True)]
