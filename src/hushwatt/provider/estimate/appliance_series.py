"""One appliance: its groups, slots and period, on the watts that its answers are worth.

Where "not measured" is an answer, or the plan knows a typical high, a mean is no plain sum of levels.  To
first order it is: answers are given the watts that make the plain mean of all homes the one that is asked
for, and everything that knows how to err about plain means goes on with these.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from hushwatt.plan.plan import Plan
from hushwatt.privacy.tails import is_real
from hushwatt.provider.estimate.answer_errors import AnswerShares, period_answers, slot_answers
from hushwatt.provider.estimate.array_types import Floats, Mask
from hushwatt.provider.estimate.arrays import SlotTimeline, TallyArrays
from hushwatt.provider.estimate.debias import DebiasedGroups
from hushwatt.provider.estimate.intervals import Z95, mean_interval
from hushwatt.provider.estimate.measuring_mean import (
    OUTSIDE,
    MeasuringMean,
    Tails,
    is_plain,
    linear_worth,
)
from hushwatt.provider.estimate.period import PeriodMean, period_mean
from hushwatt.provider.estimate.pooling import RowWeights, WholeRows
from hushwatt.provider.estimate.slots import SlotStatistics, slot_statistics

MeanOf = Callable[[Plan, int, AnswerShares, Tails], MeasuringMean]


@dataclass(frozen=True)
class ApplianceSeries:
    """What the reports say of one appliance."""

    plan: Plan
    number: int  # in the plan
    groups: DebiasedGroups
    slots: SlotStatistics
    period: PeriodMean | None  # None: nobody spoke of it, or too few homes, or too few measure it
    clipped_groups: DebiasedGroups  # both on the watts of the levels, none for "not measured"
    clipped_slots: SlotStatistics
    answers: AnswerShares | None = None  # of the period, where its mean is not a plain one
    mean: MeasuringMean | None = None
    drawn: Mask | None = None  # whether any home drew anew in a slot, or in any of those published together
    rows: RowWeights | None = None  # which rows are answered, where these are not those of all homes together

    @classmethod
    def of(
        cls,
        plan: Plan,
        arrays: TallyArrays,
        number: int,
        timeline: SlotTimeline,
        homes: Floats,
        rows: RowWeights | None = None,
    ) -> "ApplianceSeries":
        """Debias the tallies of the appliance with this number, and add them up."""
        groups = DebiasedGroups.of(plan, arrays, number)
        slots = slot_statistics(plan, number, groups, timeline, homes, rows=rows)
        return cls._over(plan, arrays, number, timeline, homes, groups, slots, rows)

    def over(
        self,
        arrays: TallyArrays,
        timeline: SlotTimeline,
        homes: Floats,
        population: int | None = None,
        mean_of: MeanOf = MeasuringMean.of,
    ) -> "ApplianceSeries":
        """The same slots, with a period of those that this timeline asks for.

        It is about the homes, or about a `population` that they are a random sample of, and about another mean.
        """
        plan, number, groups, slots = self.plan, self.number, self.clipped_groups, self.clipped_slots
        if population is None:
            slots = replace(slots, weight=(self.rows or WholeRows(plan)).weights(timeline, slots.speakers))
        else:
            slots = slot_statistics(plan, number, groups, timeline, homes, rows=self.rows, population=population)
        return self._over(plan, arrays, number, timeline, homes, groups, slots, self.rows, population, mean_of)

    @classmethod
    def _over(
        cls,
        plan: Plan,
        arrays: TallyArrays,
        number: int,
        timeline: SlotTimeline,
        homes: Floats,
        groups: DebiasedGroups,
        slots: SlotStatistics,
        rows: RowWeights | None = None,
        population: int | None = None,
        mean_of: MeanOf = MeasuringMean.of,
    ) -> "ApplianceSeries":
        if is_plain(plan, number):
            period = period_mean(plan, number, groups, slots, timeline)
            return cls(plan, number, groups, slots, period, groups, slots, rows=rows)
        answers = period_answers(plan, groups, slots, timeline)
        if answers is None:
            return cls(plan, number, groups, slots, None, groups, slots, rows=rows)
        tails = Tails.of(plan, number, answers.share[0], answers.covariance[0])
        mean = mean_of(plan, number, answers, tails)
        drawn = timeline.sum_by_slot((groups.as_of >= timeline.slots[timeline.slot_index]).astype(float)) > 0
        if not mean.enough[0]:
            return cls(plan, number, groups, slots, None, groups, slots, answers, mean, drawn, rows)
        worth = linear_worth(plan, number, mean)
        linear = DebiasedGroups.of(plan, arrays, number, worth)
        linear_slots = slot_statistics(plan, number, linear, timeline, homes, worth, rows, population)
        period = period_mean(plan, number, linear, linear_slots, timeline, worth)
        return cls(plan, number, linear, linear_slots, period, groups, slots, answers, mean, drawn, rows)

    @property
    def levels(self) -> int:
        return self.plan.appliances[self.number].levels

    @property
    def plain(self) -> bool:
        """Whether watts are the mean of all homes on the watts of the levels."""
        return is_plain(self.plan, self.number)

    @property
    def real(self) -> bool:
        """Whether they are real watts, what lies above the top included."""
        return is_real(self.plan, self.number)

    @property
    def too_few_measure(self) -> bool:
        """Whether it is not even sure that anybody measures it."""
        return self.mean is not None and not bool(self.mean.enough[0])

    @cached_property
    def limits(self) -> tuple[float, float]:
        """The 95 % limits of a period's watts."""
        assert self.period is not None
        period = self.period
        if self.mean is not None:
            low, high = self.mean.limits(self.real)
            return self.limits_from(float(low[0]), float(high[0]))
        return mean_interval(period.watts, period.watts_variance, period.watts_slope, period.watts_jump)

    def limits_from(self, *ends: float) -> tuple[float, float]:
        """The limits of a mean that is no plain one, by those that the test of the ratio has."""
        assert self.period is not None
        period = self.period
        low, high = mean_interval(period.watts, period.watts_variance, period.watts_slope, period.watts_jump)
        lowest = min(ends[0], max(low, 0.0) if self.real else low)
        return min(lowest, period.watts), max(ends[1], high, period.watts)

    @property
    def above_top(self) -> float:
        """The watts that may lie above the top at most: what the upper limit allows for them."""
        if self.mean is None or not self.real:
            return 0.0
        without = float(self.mean.end(1 - OUTSIDE, Tails.none())[0])
        return max(self.limits[1] - max(without, Z95 * float(self.mean.noise[0])), 0.0)

    @property
    def compared(self) -> PeriodMean:
        """The period as it is compared with others: with all of its error, and what sampled homes share of it."""
        assert self.period is not None
        if self.plain:
            return self.period
        period, (low, high) = self.period, self.limits
        if (
            self.plan.answers_unmeasured and period.sampling > 0
        ):  # nothing keeps the errors of ratios from being opposite
            period = replace(period, watts_above=float(np.sqrt(period.watts_sampling / period.sampling)))
        return replace(period, watts_variance=((high - low) / (2 * Z95)) ** 2)

    @property
    def compared_limits(self) -> tuple[float, float]:
        """The limits of the watts when shares are taken of them."""
        if self.plain:
            return self.limits
        period = self.compared
        reach = Z95 * float(np.sqrt(period.watts_variance))
        return period.watts - reach, period.watts + reach

    @cached_property
    def slot_means(self) -> MeasuringMean | None:
        """The mean in every slot, with the tails that reports up to it make likely; None for plain ones."""
        if self.mean is None or self.drawn is None:
            return None
        answers = slot_answers(self.plan, self.clipped_slots)
        tails = Tails.so_far(self.plan, self.number, answers, self.slots.known & self.drawn)
        return MeasuringMean.of(self.plan, self.number, answers, tails)
