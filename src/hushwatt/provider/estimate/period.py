"""Slots become a period: the plain mean over its slots, and how sure that is.

A home that repeats itself says nothing new.  Its draw counts once, with the weight of
all the slots in which the home stood by it.
"""

from dataclasses import dataclass

import numpy as np

from hushwatt.plan.plan import Plan
from hushwatt.privacy.rotation import turn_class, turn_classes
from hushwatt.provider.estimate.array_types import Floats, Integers, Mask
from hushwatt.provider.estimate.arrays import SlotTimeline
from hushwatt.provider.estimate.consistency import add_one_smoothed
from hushwatt.provider.estimate.debias import DebiasedGroups, answer_watts
from hushwatt.provider.estimate.slots import SlotStatistics


@dataclass(frozen=True)
class PeriodMean:
    """One appliance over all its slots.  Shares are parts of all homes."""

    share: Floats  # at each level
    share_variance: Floats
    watts: float  # mean of a home
    watts_variance: float
    watts_slope: float  # how fast that variance changes with the watts
    watts_jump: float  # how much one answer moves the watts
    watts_above: float  # the watts above those of the lowest level
    watts_sampling: float  # the part of their variance that comes from which homes were asked
    sampling: float  # the weight of that: (1 − m/K)/m for one slot


@dataclass(frozen=True)
class PeriodWeights:
    """How much a slot, and one report of each group, weigh in a period."""

    slot: Floats
    now: Floats  # of a report of the group, in the group's own slot: w_t
    before: Floats  # of the same draw in the slots before: Σ_{u<t} w_u, since it was drawn

    @property
    def first(self) -> Mask:
        """Whether the group's slot is the first of the period that its draws count in."""
        return np.asarray((self.now > 0) & (self.before == 0))

    @property
    def squared(self) -> Floats:
        """What the group's slot adds to the draw's variance, (Σw)² in the end."""
        return self.now * (self.now + 2 * self.before)

    @property
    def cubed(self) -> Floats:
        """What it adds to the draw's third moment, (Σw)³ in the end."""
        return self.now * (self.now**2 + 3 * self.now * self.before + 3 * self.before**2)


def period_mean(
    plan: Plan,
    appliance: int,
    groups: DebiasedGroups,
    slots: SlotStatistics,
    timeline: SlotTimeline,
    worth: Floats | None = None,
) -> PeriodMean | None:
    """The mean over the slots that count, each with its weight, which mostly is the same; None if none does.

    Watts are what answers are `worth` to the groups.
    """
    if not slots.counted.any():
        return None
    values = answer_watts(plan, appliance) if worth is None else worth
    weights = period_weights(groups, slots.reports, slots.weight, timeline)
    share = weights.slot @ slots.share
    correction, unasked = period_correction(plan, groups, slots, weights, timeline)
    each = weights.squared * groups.reports
    spread, asked = each * correction, each * unasked
    watts = float(weights.slot @ slots.watts)
    slope, jump = slope_and_jump(values, groups, weights, correction, share)
    return PeriodMean(
        share=share,
        share_variance=weights.squared @ groups.noise + spread @ slots.share_spread[timeline.slot_index],
        watts=watts,
        watts_variance=float(weights.squared @ groups.watts_noise + spread @ slots.watts_spread[timeline.slot_index]),
        watts_slope=slope,
        watts_jump=jump,
        watts_above=float(watts - values[0]),
        watts_sampling=float(asked @ slots.watts_spread[timeline.slot_index]),
        sampling=float(asked.sum()),
    )


def period_weights(groups: DebiasedGroups, reports: Floats, weight: Floats, timeline: SlotTimeline) -> PeriodWeights:
    """Give every slot its weight, and every report of it an equal part of that."""
    slot, counted = weight / weight.sum(), weight > 0
    per_report = slot / reports
    sums = np.concatenate([[0.0], np.cumsum(per_report[timeline.heard_row])])
    numbers = np.concatenate([[0], np.cumsum(counted[timeline.heard_row])])
    drawn = np.searchsorted(timeline.heard, groups.as_of)
    stood = numbers[timeline.heard_index] > numbers[drawn]
    before = np.where(stood, sums[timeline.heard_index] - sums[drawn], 0.0)
    return PeriodWeights(slot, per_report[timeline.slot_index], before)


def period_correction(
    plan: Plan, groups: DebiasedGroups, slots: SlotStatistics, weights: PeriodWeights, timeline: SlotTimeline
) -> tuple[Floats, Floats]:
    """For every group: the weight of how homes differ, and the part of it that comes from homes not asked."""
    unasked = sampling_weights(plan, groups, slots, weights)
    correction = unasked if plan.mapping == "range" else np.maximum(unasked, 1.0)
    return correction[timeline.slot_index], unasked[timeline.slot_index]


def sampling_weights(plan: Plan, groups: DebiasedGroups, slots: SlotStatistics, weights: PeriodWeights) -> Floats:
    """The weight of the homes that were not asked, in every slot.

    The same homes come round again, perhaps always on the same weekday, so a period is never surer
    than asking once every home that it asked at all: if more were asked, sampling weighs as much more.
    (With `dither` the levels were drawn at random too, anew each time, and the weight is at least 1.)
    """
    asked = float(groups.reports[weights.first].sum())
    different = slots.homes * part_asked(plan, groups.as_of[weights.first])
    unasked: Floats = slots.unasked * np.maximum(1.0, asked / different)
    return unasked


def part_asked(plan: Plan, drawn: Integers) -> float:
    """The part of homes that are asked at all when draws of some slots count, at least.

    All, unless the slots come back to homes that were asked before others were, as one hour of every day may.
    """
    if turn_classes(plan) == 1:
        return 1.0
    kinds = turn_class(plan, drawn)
    hit = len(np.unique(kinds))
    return hit / turn_classes(plan) if hit < len(np.unique(drawn)) else 1.0


def slope_and_jump(
    values: Floats, groups: DebiasedGroups, weights: PeriodWeights, correction: Floats, share: Floats
) -> tuple[float, float]:
    """How fast the variance of the mean changes with the mean, and how much one answer moves it.

    Homes are taken to be spread like `share`.  A higher mean is a histogram tilted towards the
    higher levels; the size of an answer is the third moment of its size over the second.
    """
    reports = groups.reports * (weights.now > 0)
    histogram = add_one_smoothed(share, float(reports[weights.first].sum()))
    away = values - histogram @ values
    once, twice = weights.squared * reports, weights.cubed * reports
    tilted = groups.watts_noise_held @ (histogram * away) + correction * (histogram @ away**3)
    second = groups.watts_noise_held @ histogram + correction * (histogram @ away**2)
    third = groups.watts_jump @ histogram + correction * (histogram @ np.abs(away) ** 3)
    return float(once @ tilted / (histogram @ away**2)), float(twice @ third / (once @ second))
