"""What an estimate says: every number with its uncertainty.

Counts of homes are on the scale of all homes that take part: those of a slot on its
own, those of a period on that of the whole answer.
"""

from dataclasses import dataclass, field
from datetime import datetime

import numpy as np

from hushwatt.plan.plan import Plan
from hushwatt.provider.estimate.array_types import Floats, Mask
from hushwatt.provider.estimate.homes_above.homes_above import HomesAbove
from hushwatt.provider.estimate.intervals import normal_interval
from hushwatt.provider.estimate.totals.peak import Peak
from hushwatt.provider.estimate.totals.totals import Totals
from hushwatt.provider.tally.labels import group_name


@dataclass(frozen=True)
class Measured:
    """The part of homes that measures an appliance, and its 95 % limits."""

    part: float
    low: float
    high: float


@dataclass(frozen=True)
class SlotSummary:
    """One slot, or several that are published together, and how many homes' reports are behind it."""

    slot: int  # the first one
    start: datetime  # UTC
    as_of: int | None  # the newest slot any of its answers was drawn in
    reports: int  # homes that were heard
    enough: bool  # whether the plan's minimum of homes is met
    homes: int  # taking part: when it was published, if it was
    slots: int = 1  # how many they are
    drawn: tuple[int, ...] = ()  # the slots in which their answers were drawn


@dataclass(frozen=True)
class SlotEstimates:
    """One appliance in every slot; rows that are not `known` mean nothing."""

    known: Mask
    counted: Mask  # whether it is part of the period
    speakers: Floats  # homes that spoke of it
    levels: Floats  # homes at each level, as they are shown
    unbiased: Floats  # the same as each slot alone estimates them: what may be averaged over slots
    levels_se: Floats
    low: Floats  # 95 % limits of each
    high: Floats
    watts: Floats  # mean of a home
    watts_se: Floats
    watts_low: Floats  # 95 % limits
    watts_high: Floats
    smoothed: Mask  # whether it learnt from the slots before
    measured: Floats  # the part of homes that measures it: 1 where the plan does not ask
    measured_low: Floats  # 95 % limits
    measured_high: Floats


@dataclass(frozen=True)
class PeriodEstimates:
    """One appliance over all slots."""

    levels: Floats  # homes at each level: the mean of the slots' unbiased numbers, then made ready to be shown
    levels_se: Floats
    unbiased: tuple[float, ...]  # that mean
    watts: float  # mean of a home
    watts_se: float
    low: float  # 95 % limits of the watts
    high: float
    share: float  # of all appliances' watts; NaN when these are zero
    share_low: float
    share_high: float
    rank: int  # 1: the most watts
    rank_best: int
    rank_worst: int
    rank_best_alone: int  # the same for this appliance alone, not for all together
    rank_worst_alone: int
    in_top: tuple[float, ...]  # [k − 1]: how sure it is that it is among the k appliances with the most watts
    measured: float | None = None  # the part of homes that measures it, where the plan asks; watts are among these
    measured_low: float | None = None  # 95 % limits
    measured_high: float | None = None
    clipped: bool = True  # whether watts are those of the levels, without what lies above the top
    above_top: float = 0.0  # else: by how much at most that raised the upper limit

    def sure_in_top(self, count: int) -> float:
        """How sure it is that the appliance is among the `count` with the most watts."""
        return self.in_top[count - 1] if count <= len(self.in_top) else 1.0

    def level_limits(self, homes: int) -> tuple[Floats, Floats]:
        """The 95 % limits of the levels as they are shown: from 0 to all homes at most, around the levels."""
        low, high = np.clip(normal_interval(self.unbiased, self.levels_se**2), 0, homes)
        return np.minimum(low, self.levels), np.maximum(high, self.levels)


@dataclass(frozen=True)
class FoldEstimates:
    """All slots of the same hour, weekday, hour of the week or month, as one period."""

    key: str
    slots: int
    by_period: dict[str, PeriodEstimates | None]  # by appliance, in the plan's order
    influence: float | None = None  # homes that one forging home counts as at most, in any of these means
    totals: Totals | None = None


@dataclass(frozen=True)
class GroupEstimates:
    """The homes that have the same labels, as far as no smaller group is given away."""

    labels: dict[str, str]  # by name
    homes: int  # taking part
    by_period: dict[str, PeriodEstimates | None]  # by appliance, in the plan's order
    heard: dict[str, int]  # by appliance: the most homes of it that spoke in slots that count together
    need: int  # the plan's minimum of homes
    folds: tuple[FoldEstimates, ...] = ()  # where they are asked for
    totals: Totals | None = None  # kWh
    above: tuple[HomesAbove, ...] = ()  # shares of homes that were asked for

    @property
    def name(self) -> str:
        """As it is written: tariff=A,region=north."""
        return group_name(self.labels)

    @property
    def answered(self) -> bool:
        """Whether there is an answer about any appliance."""
        return any(self.by_period.values())

    @property
    def too_few(self) -> tuple[int, int] | None:
        """The most homes that spoke of one appliance, and how many it needs, where there is no answer at all."""
        return None if self.answered else (max(self.heard.values(), default=0), self.need)

    @property
    def too_few_for(self) -> dict[str, int]:
        """The appliances that too few of its homes spoke of, and the most that did."""
        missing = self._missing
        return {name: count for name, count in self.heard.items() if name in missing and 0 < count < self.need}

    @property
    def withheld_for_others(self) -> tuple[str, ...]:
        """The appliances that enough of its homes spoke of, and whose answer would give a smaller group away."""
        return tuple(name for name in self._missing if self.heard[name] >= self.need)

    @property
    def top(self) -> tuple[str, ...]:
        """The appliances by their mean watts, the most first."""
        ranked = {name: period.rank for name, period in self.by_period.items() if period}
        return tuple(sorted(ranked, key=ranked.__getitem__))

    @property
    def _missing(self) -> list[str]:
        return [name for name, period in self.by_period.items() if period is None]


@dataclass(frozen=True)
class Estimates:
    """Everything the provider answers about a period."""

    plan: Plan
    homes: int
    smoothed: bool
    slots: tuple[SlotSummary, ...]
    by_slot: dict[str, SlotEstimates]  # by appliance, in the plan's order
    by_period: dict[str, PeriodEstimates | None]  # None: nobody spoke of it, or too few homes
    influence: float | None = None  # homes that one forging home counts as at most, in any mean of the period
    swap_homes: dict[str, float] = field(default_factory=dict)  # by appliance: forging homes, at least, that
    # put the next one before it
    unpublished: int = 0  # slots with reports whose period is not complete: nothing is told of them
    folds: tuple[FoldEstimates, ...] = ()  # where they are asked for
    totals: Totals | None = None  # kWh
    peak: Peak | None = None  # of the folds
    above: tuple[HomesAbove, ...] = ()  # shares of homes that were asked for
    groups: tuple[GroupEstimates, ...] = ()  # where they are asked for
    too_few_measure: dict[str, Measured] = field(default_factory=dict)  # no mean: hardly any home measures it

    @property
    def answered(self) -> bool:
        """Whether enough homes spoke of any appliance."""
        return any(period is not None for period in self.by_period.values())

    @property
    def withheld(self) -> dict[str, int]:
        """The appliances that too few homes spoke of for an answer, and the most that did in one slot."""
        most = {name: int(numbers.speakers.max(initial=0)) for name, numbers in self.by_slot.items()}
        without = {name for name, period in self.by_period.items() if period is None} - set(self.too_few_measure)
        return {name: count for name, count in most.items() if count and name in without}

    @property
    def left_out(self) -> dict[str, int]:
        """The appliances with an answer that some slots with enough homes are no part of, and how many."""
        enough = np.array([slot.enough for slot in self.slots], dtype=bool)
        missing = {
            name: int((enough & (numbers.speakers > 0) & ~numbers.counted).sum())
            for name, numbers in self.by_slot.items()
            if self.by_period[name] is not None
        }
        return {name: count for name, count in missing.items() if count}

    @property
    def heard(self) -> int:
        """The most homes that spoke of one appliance in one slot."""
        return int(max((numbers.speakers.max(initial=0) for numbers in self.by_slot.values()), default=0))

    @property
    def top(self) -> tuple[str, ...]:
        """The appliances by their mean watts, the most first."""
        ranked = {name: period.rank for name, period in self.by_period.items() if period}
        return tuple(sorted(ranked, key=ranked.__getitem__))
