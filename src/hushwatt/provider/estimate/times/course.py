"""How the watts of some appliances go from key to key of a fold: the folds' own means and limits, and nothing else.

Ranks, shares and levels are not worked out, so that a page need not wait for them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from hushwatt.plan.plan import Plan
from hushwatt.provider.estimate.appliance_series import ApplianceSeries
from hushwatt.provider.estimate.array_types import Mask
from hushwatt.provider.estimate.collected import CollectedSlots
from hushwatt.provider.estimate.times.fold import fold_rows


@dataclass(frozen=True)
class CoursePoint:
    """One appliance over the slots of one key."""

    slots: int  # asked for, with or without an answer
    watts: float  # mean of a home
    low: float  # 95 % limits
    high: float

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
    few = replace(collected, series={name: collected.series[name] for name in names})
    parts = [few.only(mask) for mask in rows.values()]
    found = {name: tuple(_point(part.series[name], part.slots) for part in parts) for name in names}
    return Courses(collected.plan, fold, tuple(rows), found)


def side(collected: CollectedSlots, rows: Mask, name: str) -> CollectedSlots:
    """One appliance in some rows of the timeline, to be compared with other rows."""
    return replace(collected, series={name: collected.series[name]}).only(rows)


def _point(series: ApplianceSeries, slots: int) -> CoursePoint | None:
    if series.period is None:
        return None
    low, high = series.limits
    return CoursePoint(slots, series.period.watts, low, high)
