"""Smoothed slots as they are shown: on the scale of all homes, and of real watts among homes that measure."""

from dataclasses import replace

import numpy as np

from hushwatt.provider.estimate.appliance_series import ApplianceSeries
from hushwatt.provider.estimate.array_types import Floats
from hushwatt.provider.estimate.consistency import Consistency
from hushwatt.provider.estimate.intervals import Z95
from hushwatt.provider.estimate.results import SlotEstimates
from hushwatt.provider.estimate.smoothing.smooth import SmoothedSlots


def smoothed_estimates(
    series: ApplianceSeries, filtered: SmoothedSlots, own: SlotEstimates, homes: Floats, show: Consistency
) -> SlotEstimates:
    """The smoothed slots on the scale of all homes of each, and the others as their `own` reports have them.

    A standard error is as large as the further limit asks for: the truth is within 1.96 of it.
    """
    smoothed, levels = filtered.smoothed, slice(series.levels)
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
