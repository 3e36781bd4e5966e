"""The share of homes above so many watts, in every slot, over a period and its folds, and bounds for a whole day.

A reading is the mean of its slot.  What happens at some time of a day cannot be told from slots by themselves, as
nobody knows whether the homes of one slot are those of the next: it is at least the share of any one time of the day,
and at most the sum over all of them.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from math import ceil
from statistics import NormalDist

import numpy as np

from hushwatt.plan.times import zone
from hushwatt.provider.estimate.array_types import Floats, Mask
from hushwatt.provider.estimate.arrays import SlotTimeline
from hushwatt.provider.estimate.collected import CollectedSlots
from hushwatt.provider.estimate.homes_above.level_shares import LevelShares, SumsOverLevels
from hushwatt.provider.estimate.homes_above.threshold import Bracket, bracket
from hushwatt.provider.estimate.intervals import CONFIDENCE

DAY = 24 * 3600
OUTSIDE = (1 - CONFIDENCE) / 2  # of each limit


@dataclass(frozen=True)
class ShareAbove:
    """A share of homes with its 95 % limits; only limits where levels do not tell it."""

    share: float | None
    low: float
    high: float


@dataclass(frozen=True)
class ApplianceAbove:
    """One appliance: the homes above so many watts."""

    watts: float
    needs: str  # levels that would tell the share; nothing where these do
    period: ShareAbove | None  # on average over its slots; None without an answer
    by_fold: dict[str, ShareAbove | None]
    by_slot: tuple[ShareAbove | None, ...] = ()  # a row for each slot that was asked for
    in_a_day: ShareAbove | None = None  # at some time of a day; None where slots are not shorter than one


@dataclass(frozen=True)
class HomesAbove:
    """All appliances, above the same watts or each above its lowest level."""

    watts: float | None  # None: above the lowest level
    by_appliance: dict[str, ApplianceAbove]


def homes_above(
    collected: CollectedSlots,
    folds: Mapping[str, CollectedSlots],
    watts: float | None,
    hours_a_day: float | None = None,
) -> HomesAbove:
    """The homes above so many watts, or above the lowest level; of a day only some hours may be asked for."""
    lasting = collected.plan.slot.seconds * collected.plan.publish
    spoken = DAY if hours_a_day is None else 3600 * hours_a_day
    times = ceil(spoken / collected.plan.slot.seconds) if lasting < DAY or collected.plan.publish > 1 else 1
    minutes = _minutes(collected) if times > 1 else None

    def whole(levels: LevelShares, between: Bracket, over: ApplianceAbove) -> ApplianceAbove:
        day = None
        if over.period and minutes is not None:
            day = _in_a_day(levels, between, over.period, times, minutes)
        return replace(over, by_slot=_slots(levels, between), in_a_day=day)

    return _homes_above(collected, folds, watts, whole)


def homes_above_in_periods(
    collected: CollectedSlots, folds: Mapping[str, CollectedSlots], watts: float | None
) -> HomesAbove:
    """The same over the period and its folds alone."""
    return _homes_above(collected, folds, watts, lambda levels, between, over: over)


def _homes_above(
    collected: CollectedSlots,
    folds: Mapping[str, CollectedSlots],
    watts: float | None,
    more: Callable[[LevelShares, Bracket, ApplianceAbove], ApplianceAbove],
) -> HomesAbove:
    found = {}
    for number, name in enumerate(collected.plan.names):
        levels, between = (
            LevelShares(collected.series[name], collected.timeline),
            bracket(collected.plan, number, watts),
        )
        keyed = {
            key: _over(levels, each.timeline, between) if each.series[name].period else None
            for key, each in folds.items()
        }
        period = _over(levels, collected.timeline, between) if collected.series[name].period else None
        found[name] = more(levels, between, ApplianceAbove(between.watts, between.needs, period, keyed))
    return HomesAbove(watts, found)


def _slots(levels: LevelShares, between: Bracket) -> tuple[ShareAbove | None, ...]:
    sums = levels.of_slots()
    known = levels.series.slots.known & sums.enough
    share, low, high = limits(sums, between)
    rows = np.flatnonzero(levels.timeline.requested).tolist()
    return tuple(_share(between, share[row], low[row], high[row]) if known[row] else None for row in rows)


def _over(levels: LevelShares, timeline: SlotTimeline, between: Bracket, outside: float = OUTSIDE) -> ShareAbove | None:
    sums = levels.of_period(timeline)
    if sums is None or not sums.enough[0]:
        return None
    share, low, high = limits(sums, between, outside)
    return _share(between, share[0], low[0], high[0])


def _share(between: Bracket, share: float, low: float, high: float) -> ShareAbove:
    if not between.told:
        return ShareAbove(None, float(low), float(high))
    return ShareAbove(float(share), float(min(low, share)), float(max(high, share)))


def limits(sums: SumsOverLevels, between: Bracket, outside: float = OUTSIDE) -> tuple[Floats, Floats, Floats]:
    """The share where it is told, and limits that hold it with so much outside of each, between 0 and 1.

    Of several bounds the closest is taken, each as sure as it takes for all of them.
    """
    lower = [sums.of(worth, _sigmas(outside / len(between.lower))) for worth in between.lower]
    upper = [sums.of(worth, _sigmas(outside / len(between.upper))) for worth in between.upper]
    low = np.clip(np.max([each[1] for each in lower], axis=0), 0, 1)
    high = np.clip(np.min([each[2] for each in upper], axis=0), 0, 1)
    return lower[0][0], np.minimum(low, high), np.maximum(low, high)


def _sigmas(outside: float) -> float:
    return NormalDist().inv_cdf(1 - outside)


def _in_a_day(levels: LevelShares, between: Bracket, period: ShareAbove, times: int, minutes: Floats) -> ShareAbove:
    """At some time of a day: at least as many as at any one time, at most as many as at all times added up."""
    masks = _by_time_of_day(minutes, levels.series.slots.counted)
    moments = [_over(levels, levels.timeline.only(mask), between, OUTSIDE / len(masks)) for mask in masks]
    low = max([period.low, *[each.low for each in moments if each]])
    return ShareAbove(None, low, max(low, min(1.0, times * period.high)))


def _by_time_of_day(minutes: Floats, counted: Mask) -> list[Mask]:
    """The counted slots at each time of day, of those times that are there as often as any."""
    masks = [counted & (minutes == minute) for minute in np.unique(minutes[counted])]
    most = max((int(mask.sum()) for mask in masks), default=0)
    return [mask for mask in masks if mask.sum() == most]


def _minutes(collected: CollectedSlots) -> Floats:
    """When in the day each slot begins, by the plan's clocks."""
    where, calendar = zone(collected.plan.timezone), collected.plan.calendar
    starts = [calendar.start_of(int(slot)).astimezone(where) for slot in collected.timeline.slots]
    return np.array([start.hour * 60 + start.minute + start.second / 60 for start in starts], dtype=float)
