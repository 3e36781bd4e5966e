"""Tallies become estimates: unbiased, every number with its uncertainty.

What is estimated is what the homes held when they drew: how many at each level, and
their mean watts, on the watts that stand for the levels.  Where fewer homes than the
plan's minimum spoke of an appliance, there is no answer about it.
"""

from dataclasses import fields, replace

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
from hushwatt.provider.estimate.slots import SlotStatistics, slot_statistics
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
    arrays = TallyArrays.of(plan, tallies).up_to(last)
    timeline = SlotTimeline.of(arrays, plan.minimum_homes, first)
    homes = tallies.homes_in(timeline.slots).astype(float)
    groups = [DebiasedGroups.of(plan, arrays, number) for number in range(len(plan.appliances))]
    slots = [slot_statistics(plan, number, each, timeline, homes) for number, each in enumerate(groups)]
    if smooth:
        pairs = zip(slots, smoothed(plan, timeline, groups, slots), strict=True)
        shown = [smoothed_estimates(*each, homes[:, None], show) for each in pairs]
    else:
        shown = [slot_estimates(each, homes[:, None], show) for each in slots]
    periods = {
        name: period_mean(plan, number, groups[number], slots[number], timeline)
        for number, name in enumerate(plan.names)
    }
    forgery = ForgeryInfluence(plan, timeline, tallies.homes)
    for number, name in enumerate(plan.names):
        forgery.add(number, name, slots[number])
    known = {name: period for name, period in periods.items() if period}
    bounds = covariance_bounds(plan, list(known.values()), timeline, tallies.homes)
    return Estimates(
        plan,
        tallies.homes,
        smooth,
        slot_summaries(plan, timeline, homes),
        by_slot={name: requested_slots(each, timeline) for name, each in zip(plan.names, shown, strict=True)},
        by_period=dict.fromkeys(periods) | period_estimates(known, bounds, tallies.homes, show),
        influence=forgery.influence(),
        swap_homes=forgery.homes_to_swap({name: period.watts for name, period in known.items()}),
    )


def slot_summaries(plan: Plan, timeline: SlotTimeline, homes: Floats) -> tuple[SlotSummary, ...]:
    """The slots that were asked for."""
    return tuple(
        SlotSummary(
            slot=int(timeline.slots[index]),
            start=plan.calendar.start_of(int(timeline.slots[index])),
            as_of=int(timeline.as_of[index]) if timeline.as_of[index] >= 0 else None,
            reports=int(timeline.rows[index]),
            enough=bool(timeline.enough[index]),
            homes=int(homes[index]),
        )
        for index in np.flatnonzero(timeline.requested)
    )


def slot_estimates(slots: SlotStatistics, homes: Floats, show: Consistency) -> SlotEstimates:
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
    slots: SlotStatistics, filtered: SmoothedSlots, homes: Floats, show: Consistency
) -> SlotEstimates:
    """The smoothed slots on the scale of all homes of each, and the others as they are.

    A standard error is as large as the further limit asks for: the truth is within 1.96 of it.
    """
    own, smoothed = slot_estimates(slots, homes, show), filtered.smoothed
    reach = np.maximum(filtered.share - filtered.low, filtered.high - filtered.share)
    watts_reach = np.maximum(filtered.watts - filtered.watts_low, filtered.watts_high - filtered.watts)
    return replace(
        own,
        levels=np.where(smoothed[:, None], show(homes * filtered.share, homes), own.levels),
        levels_se=np.where(smoothed[:, None], homes * reach / Z95, own.levels_se),
        low=np.where(smoothed[:, None], homes * filtered.low, own.low),
        high=np.where(smoothed[:, None], homes * filtered.high, own.high),
        watts=np.where(smoothed, filtered.watts, own.watts),
        watts_se=np.where(smoothed, watts_reach / Z95, own.watts_se),
        watts_low=np.where(smoothed, filtered.watts_low, own.watts_low),
        watts_high=np.where(smoothed, filtered.watts_high, own.watts_high),
        smoothed=smoothed,
    )


def requested_slots(numbers: SlotEstimates, timeline: SlotTimeline) -> SlotEstimates:
    """Without the slots before the first that was asked for."""
    return SlotEstimates(*(getattr(numbers, column.name)[timeline.requested] for column in fields(numbers)))


def period_estimates(
    known: dict[str, PeriodMean], bounds: CovarianceBounds, homes: int, show: Consistency
) -> dict[str, PeriodEstimates]:
    """The period of every appliance, compared with that of the others."""
    watts = np.array([period.watts for period in known.values()])
    variance = np.array([period.watts_variance for period in known.values()])
    limits = np.array([period_interval(period) for period in known.values()]).reshape(-1, 2)
    share, rank = shares(watts, limits[:, 0], limits[:, 1], bounds), ranks(watts, variance, bounds)
    estimates = {}
    for row, (name, period) in enumerate(known.items()):
        estimates[name] = PeriodEstimates(
            levels=show(homes * period.share, homes),
            levels_se=homes * np.sqrt(period.share_variance),
            unbiased=tuple((homes * period.share).tolist()),
            watts=period.watts,
            watts_se=float(np.sqrt(period.watts_variance)),
            low=float(limits[row, 0]),
            high=float(limits[row, 1]),
            share=float(share.share[row]),
            share_low=float(share.low[row]),
            share_high=float(share.high[row]),
            rank=int(rank.rank[row]),
            rank_best=int(rank.best[row]),
            rank_worst=int(rank.worst[row]),
        )
    return estimates


def period_interval(period: PeriodMean) -> tuple[float, float]:
    """The 95 % limits of a period's watts."""
    return mean_interval(period.watts, period.watts_variance, period.watts_slope, period.watts_jump)
