"""What is told of every slot by itself: the homes at each level and the mean watts, smoothed perhaps."""

from collections import defaultdict
from dataclasses import fields, replace

import numpy as np

from hushwatt.plan.plan import Plan
from hushwatt.provider.estimate.answer_errors import slot_answers
from hushwatt.provider.estimate.appliance_series import ApplianceSeries
from hushwatt.provider.estimate.array_types import Floats
from hushwatt.provider.estimate.arrays import SlotTimeline, TallyArrays
from hushwatt.provider.estimate.consistency import Consistency
from hushwatt.provider.estimate.intervals import normal_interval, score_interval
from hushwatt.provider.estimate.measuring_mean import measured_limits
from hushwatt.provider.estimate.results import (
    SlotEstimates,
    SlotSummary,
)


def slot_summaries(plan: Plan, arrays: TallyArrays, timeline: SlotTimeline, homes: Floats) -> tuple[SlotSummary, ...]:
    """The slots that were asked for, or what is published of several together."""
    drawn: defaultdict[int, set[int]] = defaultdict(set)
    for row, slot in zip(timeline.slot_index.tolist(), arrays.as_of.tolist(), strict=True):
        drawn[row].add(slot)
    return tuple(
        SlotSummary(
            slot=int(timeline.slots[index]),
            start=plan.calendar.start_of(int(timeline.slots[index])),
            as_of=int(timeline.as_of[index]) if timeline.as_of[index] >= 0 else None,
            reports=int(timeline.rows[index]),
            enough=bool(timeline.enough[index]),
            homes=int(homes[index]),
            slots=plan.periods.last_of(int(timeline.slots[index])) - int(timeline.slots[index]) + 1,
            drawn=tuple(sorted(slot for slot in drawn[int(index)] if slot >= 0)),
        )
        for index in np.flatnonzero(timeline.requested)
    )


def slot_estimates(series: ApplianceSeries, homes: Floats, show: Consistency) -> SlotEstimates:
    """The slots on the scale of all homes of each."""
    slots, levels = series.slots, slice(series.levels)
    low, high = score_interval(slots.share, slots.errors)
    watts_low, watts_high = normal_interval(slots.watts, slots.watts_variance)
    everybody = np.ones(len(slots.known))
    own = SlotEstimates(
        known=slots.known,
        counted=slots.counted,
        speakers=slots.speakers,
        levels=show(homes * slots.share, homes)[:, levels],
        unbiased=(homes * slots.share)[:, levels],
        levels_se=(homes * np.sqrt(slots.share_variance))[:, levels],
        low=(homes * low)[:, levels],
        high=(homes * high)[:, levels],
        watts=slots.watts,
        watts_se=np.sqrt(slots.watts_variance),
        watts_low=watts_low,
        watts_high=watts_high,
        smoothed=np.zeros(len(slots.known), dtype=bool),
        measured=everybody,
        measured_low=everybody,
        measured_high=everybody,
    )
    return own if series.plain else measuring_estimates(series, own)


def measuring_estimates(series: ApplianceSeries, own: SlotEstimates) -> SlotEstimates:
    """The slots with means among the homes that measure the appliance; where hardly any does there is none."""
    means = series.slot_means
    if means is None:
        return replace(own, known=np.zeros_like(own.known))
    low, high = means.limits(series.real)
    estimates = replace(
        own,
        known=own.known & means.enough,
        watts=means.watts,
        watts_se=means.noise,
        watts_low=low,
        watts_high=high,
    )
    if not series.plan.answers_unmeasured:
        return estimates
    part, low, high = measured_limits(slot_answers(series.plan, series.clipped_slots))
    return replace(estimates, measured=part, measured_low=low, measured_high=high)


def requested_slots(numbers: SlotEstimates, timeline: SlotTimeline) -> SlotEstimates:
    """Without the slots before the first that was asked for."""
    return SlotEstimates(*(getattr(numbers, column.name)[timeline.requested] for column in fields(numbers)))
