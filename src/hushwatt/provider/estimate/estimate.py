"""Tallies become estimates: unbiased, every number with its uncertainty.

What is estimated is what the homes held when they drew: how many at each level, and
their mean watts, on the watts that stand for the levels.  Where fewer homes than the
plan's minimum spoke of an appliance, there is no answer about it.
"""

from dataclasses import fields

import numpy as np

from hushwatt.errors import UsageError
from hushwatt.plan.plan import Plan
from hushwatt.provider.estimate.array_types import Floats
from hushwatt.provider.estimate.arrays import SlotTimeline, TallyArrays
from hushwatt.provider.estimate.consistency import CONSISTENCIES, Consistency
from hushwatt.provider.estimate.covariance import CovarianceBounds, covariance_bounds
from hushwatt.provider.estimate.debias import DebiasedGroups
from hushwatt.provider.estimate.influence import ForgeryInfluence
from hushwatt.provider.estimate.intervals import Z95, mean_interval, normal_interval, score_interval
from hushwatt.provider.estimate.period import PeriodMean, period_mean
from hushwatt.provider.estimate.ranking import ranks, shares
from hushwatt.provider.estimate.results import Estimates, PeriodEstimates, SlotEstimates, SlotSummary
from hushwatt.provider.estimate.slots import SlotMeans, slot_means
from hushwatt.provider.estimate.smoothing.smooth import SmoothedSlots
from hushwatt.provider.estimate.smoothing.smooth import smooth as smoothed
from hushwatt.provider.tally.tally import Tallies


def estimate(
    plan: Plan,
    tallies: Tallies,
    *,
    consistency: str = "norm-sub",
    smooth: bool = False,
    first: int | None = None,
    last: int | None = None,
) -> Estimates:
    """Everything the tallies say about the slots `first` to `last`, both included.

    `consistency` is what is done to the histograms that are shown, and to nothing else.  With
    `smooth` every slot also learns from those before it; the period is not smoothed.
    """
    if consistency not in CONSISTENCIES:
        raise UsageError(f"consistency is {consistency!r}; choose one of {', '.join(CONSISTENCIES)}")
    show = CONSISTENCIES[consistency]
    stack = TallyArrays.of(plan, tallies).until(last)
    timeline = SlotTimeline.of(stack, plan.minimum_homes, first)
    homes = tallies.homes_in(timeline.slots).astype(float)
    forgers = ForgeryInfluence(plan, timeline, tallies.homes)
    numbers = range(len(plan.appliances))
    groups = [DebiasedGroups.of(plan, stack, number) for number in numbers]
    slots = [slot_means(plan, number, groups[number], timeline, homes) for number in numbers]
    if smooth:
        shown = [
            smoothed_estimates(*each, homes[:, None], show)
            for each in zip(slots, smoothed(plan, timeline, groups, slots), strict=True)
        ]
    else:
        shown = [slot_estimates(each, homes[:, None], show) for each in slots]
    by_slot = {
        name: requested_slots(numbers, timeline) for name, numbers in zip(plan.names, shown, strict=True)
    }
    periods = {
        name: period_mean(plan, number, groups[number], slots[number], timeline)
        for number, name in enumerate(plan.names)
    }
    for number, name in enumerate(plan.names):
        forgers.note(number, name, slots[number])
    known = {name: period for name, period in periods.items() if period}
    bounds = covariance_bounds(plan, list(known.values()), timeline, tallies.homes)
    return Estimates(
        plan,
        tallies.homes,
        smooth,
        slot_summaries(plan, timeline, homes),
        by_slot,
        by_period=dict.fromkeys(periods) | period_estimates(known, bounds, tallies.homes, show),
        influence=forgers.influence(),
        swap_homes=forgers.swaps({name: period.watts for name, period in known.items()}),
    )


def slot_summaries(plan: Plan, timeline: SlotTimeline, homes: Floats) -> tuple[SlotSummary, ...]:
    """The slots that were asked for."""
    return tuple(
        SlotSummary(
            slot=int(timeline.slots[place]),
            start=plan.calendar.start_of(int(timeline.slots[place])),
            as_of=int(timeline.as_of[place]) if timeline.as_of[place] >= 0 else None,
            reports=int(timeline.rows[place]),
            enough=bool(timeline.enough[place]),
            homes=int(homes[place]),
        )
        for place in np.flatnonzero(timeline.inside)
    )


def slot_estimates(slots: SlotMeans, homes: Floats, show: Consistency) -> SlotEstimates:
    """The slots on the scale of all homes of each."""
    low, high = score_interval(slots.share, slots.errors)
    watts_low, watts_high = normal_interval(slots.watts, slots.watts_variance)
    return SlotEstimates(
        known=slots.known,
        counted=slots.counted,
        speakers=slots.speakers,
        levels=show(homes * slots.share, homes),
        unbiased=homes * slots.share,
        levels_se=homes * np.sqrt(slots.share_variance),
        low=homes * low,
        high=homes * high,
        watts=slots.watts,
        watts_se=np.sqrt(slots.watts_variance),
        watts_low=watts_low,
        watts_high=watts_high,
        smoothed=np.zeros(len(slots.known), dtype=bool),
    )


def smoothed_estimates(
    slots: SlotMeans, found: SmoothedSlots, homes: Floats, show: Consistency
) -> SlotEstimates:
    """The smoothed slots on the scale of all homes of each, and the others as they are.

    A standard error is as large as the further limit asks for: the truth is within 1.96 of it.
    """
    alone, smoothed = slot_estimates(slots, homes, show), found.smoothed
    reach = np.maximum(found.share - found.low, found.high - found.share)
    watts_reach = np.maximum(found.watts - found.watts_low, found.watts_high - found.watts)
    return SlotEstimates(
        known=slots.known,
        counted=slots.counted,
        speakers=slots.speakers,
        levels=np.where(smoothed[:, None], show(homes * found.share, homes), alone.levels),
        unbiased=alone.unbiased,
        levels_se=np.where(smoothed[:, None], homes * reach / Z95, alone.levels_se),
        low=np.where(smoothed[:, None], homes * found.low, alone.low),
        high=np.where(smoothed[:, None], homes * found.high, alone.high),
        watts=np.where(smoothed, found.watts, alone.watts),
        watts_se=np.where(smoothed, watts_reach / Z95, alone.watts_se),
        watts_low=np.where(smoothed, found.watts_low, alone.watts_low),
        watts_high=np.where(smoothed, found.watts_high, alone.watts_high),
        smoothed=smoothed,
    )


def requested_slots(numbers: SlotEstimates, timeline: SlotTimeline) -> SlotEstimates:
    """Without the slots before the first that was asked for."""
    return SlotEstimates(*(getattr(numbers, column.name)[timeline.inside] for column in fields(numbers)))


def period_estimates(
    known: dict[str, PeriodMean], bounds: CovarianceBounds, homes: int, show: Consistency
) -> dict[str, PeriodEstimates]:
    """The period of every appliance, compared with that of the others."""
    watts = np.array([period.watts for period in known.values()])
    variance = np.array([period.watts_variance for period in known.values()])
    limits = np.array([period_interval(period) for period in known.values()]).reshape(-1, 2)
    parts, places = shares(watts, limits[:, 0], limits[:, 1], bounds), ranks(watts, variance, bounds)
    found = {}
    for place, (name, period) in enumerate(known.items()):
        found[name] = PeriodEstimates(
            levels=show(homes * period.share, homes),
            levels_se=homes * np.sqrt(period.share_variance),
            unbiased=tuple((homes * period.share).tolist()),
            watts=period.watts,
            watts_se=float(np.sqrt(period.watts_variance)),
            low=float(limits[place, 0]),
            high=float(limits[place, 1]),
            share=float(parts.share[place]),
            share_low=float(parts.low[place]),
            share_high=float(parts.high[place]),
            rank=int(places.rank[place]),
            rank_best=int(places.best[place]),
            rank_worst=int(places.worst[place]),
        )
    return found


def period_interval(period: PeriodMean) -> tuple[float, float]:
    """The 95 % limits of a period's watts."""
    return mean_interval(period.watts, period.watts_variance, period.watts_slope, period.watts_jump)
