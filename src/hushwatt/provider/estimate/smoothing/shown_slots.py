"""Slots as they are shown: as estimated, or smoothed; on the scale of the homes that take part in each."""

from dataclasses import fields, replace

import numpy as np

from hushwatt.provider.estimate.answer_errors import slot_answers
from hushwatt.provider.estimate.appliance_series import ApplianceSeries
from hushwatt.provider.estimate.array_types import Floats
from hushwatt.provider.estimate.arrays import SlotTimeline
from hushwatt.provider.estimate.consistency import Consistency
from hushwatt.provider.estimate.intervals import Z95, normal_interval, score_interval
from hushwatt.provider.estimate.measuring_mean import measured_limits
from hushwatt.provider.estimate.results import SlotEstimates
from hushwatt.provider.estimate.smoothing.smooth import SmoothedSlots


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


def smoothed_estimates(
    series: ApplianceSeries, filtered: SmoothedSlots, homes: Floats, show: Consistency
) -> SlotEstimates:
    """The smoothed slots on the scale of all homes of each, and the others as they are.

    A standard error is as large as the further limit asks for: the truth is within 1.96 of it.
    """
    own, smoothed, levels = slot_estimates(series, homes, show), filtered.smoothed, slice(series.levels)
    if not series.plain:
        filtered = among_measuring(series, filtered, own)
    reach = np.maximum(filtered.share - filtered.low, filtered.high - filtered.share)
    watts_reach = np.maximum(filtered.watts - filtered.watts_low, filtered.watts_high - filtered.watts)
    shown = show(homes * filtered.share, homes)
    return replace(
        own,
        levels=np.where(smoothed[:, None], shown[:, levels], own.levels),
        levels_se=np.where(smoothed[:, None], (homes * reach / Z95)[:, levels], own.levels_se),
        low=np.where(smoothed[:, None], (homes * filtered.low)[:, levels], own.low),
        high=np.where(smoothed[:, None], (homes * filtered.high)[:, levels], own.high),
        watts=np.where(smoothed, filtered.watts, own.watts),
        watts_se=np.where(smoothed, watts_reach / Z95, own.watts_se),
        watts_low=np.where(smoothed, filtered.watts_low, own.watts_low),
        watts_high=np.where(smoothed, filtered.watts_high, own.watts_high),
        smoothed=smoothed,
    )


def among_measuring(series: ApplianceSeries, filtered: SmoothedSlots, own: SlotEstimates) -> SmoothedSlots:
    """The smoothed watts among the homes that measured the appliance in each slot, and of real watts.

    What is smoothed is clipped watts, and who measures; the ratio and the tail are those of the slot.  Their
    interval holds that of the slot by itself.
    """
    means = series.slot_means
    if means is None:
        return filtered
    part = 1 - filtered.share[:, -1] if series.plan.answers_unmeasured else np.ones(len(filtered.watts))
    part = np.where(part > 0, part, 1.0)  # else the slot is not known
    tail = means.tails.median * means.top * filtered.share[:, series.levels - 1]
    return replace(
        filtered,
        watts=(filtered.watts + tail) / part,
        watts_low=np.minimum(own.watts_low, filtered.watts_low / part),
        watts_high=np.maximum(own.watts_high, (filtered.watts_high + tail) / part),
    )


def requested_slots(numbers: SlotEstimates, timeline: SlotTimeline) -> SlotEstimates:
    """Without the slots before the first that was asked for."""
    return SlotEstimates(*(getattr(numbers, column.name)[timeline.requested] for column in fields(numbers)))
