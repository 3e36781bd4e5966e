"""Smoothed slots: each learns from the slots before it, never from those after.

The smoothed estimate is nearer to the truth where the past goes on, and no past can tell
whether it does: only the slot's own reports can.  So the estimate never leaves their one-sided
limits, and its interval holds these beside the filter's own: whatever happens in a slot, a step
or a strange day, it is as safe as without smoothing.  Where a slot breaks with all that came
before, it stands as it was estimated.

A slot in which nobody drew anew shows what the last one showed.
"""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike

from hushwatt.provider.estimate.appliance_series import ApplianceSeries
from hushwatt.provider.estimate.array_types import Floats, Mask
from hushwatt.provider.estimate.arrays import SlotTimeline
from hushwatt.provider.estimate.debias import DebiasedGroups, answer_watts
from hushwatt.provider.estimate.intervals import Z95, normal_interval, score_interval
from hushwatt.provider.estimate.slots import SlotStatistics
from hushwatt.provider.estimate.smoothing.kalman import FilteredSlot, KalmanBank, Observation
from hushwatt.provider.estimate.smoothing.panel import SeriesPanel, interleave
from hushwatt.provider.estimate.smoothing.season import SeasonalProfiles, season_phases

ONE_SIDED_Z = NormalDist().inv_cdf(0.965)  # sigmas of the one-sided limits that every interval holds
BREAK_Z = NormalDist().inv_cdf(0.9999)  # how strange a slot is that breaks with the past


def chi_squared(count: ArrayLike) -> Floats:
    """What the sum of `count` squared standard normal numbers exceeds once in ten thousand times.

    After Wilson and Hilferty.

    >>> chi_squared([1, 5]).round(1).tolist()
    [16.2, 26.3]
    """
    freedom = np.asarray(count, dtype=float)
    part = 2 / (9 * freedom)
    return np.asarray(freedom * (1 - part + BREAK_Z * np.sqrt(part)) ** 3)


WATTS_BREAK_THRESHOLD = float(chi_squared(1))


@dataclass(frozen=True)
class SmoothedSlots:
    """One appliance in every slot; where it is not `smoothed`, what the slot says by itself."""

    smoothed: Mask
    share: Floats
    low: Floats  # 95 % limits of each share
    high: Floats
    watts: Floats
    watts_low: Floats
    watts_high: Floats


@dataclass(frozen=True)
class SeriesRows:
    """One slot of every series, or all slots: estimates, their limits, and whether they are smoothed."""

    estimate: Floats
    low: Floats
    high: Floats
    smoothed: Mask

    @classmethod
    def of(cls, rows: Sequence["SeriesRows"]) -> "SeriesRows":
        """All slots from one after the other."""
        return cls(*(np.stack([getattr(row, field.name) for row in rows]) for field in fields(cls)))

    def at(self, index: int) -> "SeriesRows":
        return SeriesRows(self.estimate[index], self.low[index], self.high[index], self.smoothed[index])

    def where(self, chosen: Mask, other: "SeriesRows") -> "SeriesRows":
        """These in the `chosen` series, and the `other` in the rest."""
        return SeriesRows(
            np.where(chosen, self.estimate, other.estimate),
            np.where(chosen, self.low, other.low),
            np.where(chosen, self.high, other.high),
            np.where(chosen, self.smoothed, other.smoothed),
        )


def smooth(timeline: SlotTimeline, series: Sequence[ApplianceSeries]) -> list[SmoothedSlots]:
    """Pass the shares of all answers and the watts of all appliances through a bank of Kalman filters."""
    plan, groups = series[0].plan, [each.clipped_groups for each in series]
    slots = [each.clipped_slots for each in series]
    panel = SeriesPanel.of(slots, [answer_watts(plan, number) for number in range(len(series))])
    shown = _within_sigmas(panel, slots, [np.array([Z95])] * len(slots))
    if shown.smoothed.size:
        profiles = SeasonalProfiles(season_phases(plan, timeline.slots.tolist()), panel.known.shape[1])
        smoother = Smoother(panel, profiles, shown, _one_sided(panel, groups, slots, timeline))
        pairs = zip(groups, slots, strict=True)
        fresh = np.stack([has_fresh_draws(*each, timeline) for each in pairs], axis=1)
        fresh = np.repeat(fresh, panel.lengths, axis=1)
        shown = SeriesRows.of([smoother.step(index, fresh[index]) for index in range(len(timeline.slots))])
    columns = zip(panel.starts, panel.watts_columns, strict=True)
    return [_appliance_series(shown, first, watts) for first, watts in columns]


class Smoother:
    """What was learnt up to a slot, and what the last slot of every series showed."""

    def __init__(
        self, panel: SeriesPanel, profiles: SeasonalProfiles, unsmoothed: SeriesRows, one_sided: SeriesRows
    ) -> None:
        self._panel, self._profiles = panel, profiles
        self._unsmoothed, self._one_sided = unsmoothed, one_sided  # the slots by themselves: 95 %, and limits
        self._break_threshold = chi_squared(panel.lengths - 1)
        self._started = np.zeros(panel.known.shape[1], dtype=bool)
        self._bank: KalmanBank | None = None
        self._last = unsmoothed.at(0)

    def step(self, index: int, fresh: Mask) -> SeriesRows:
        """The next slot; series without `fresh` draws show what they showed before."""
        known, unsmoothed = self._panel.known[index], self._unsmoothed.at(index)
        first, later = known & ~self._started, known & self._started & fresh
        if first.any() or later.any():
            slot, broken = self._observation(index), np.zeros_like(known)
            if later.any() and self._bank is not None:
                updated, filtered = self._bank.update(slot)
                broken = later & self._breaks(filtered)
                if broken.any():
                    updated = self._bank.after_break(slot, filtered.weights).where(broken, updated)
                self._bank = updated if later.all() else updated.where(later, self._bank)
                self._last = self._smoothed(index, filtered).where(later, self._last)
            self._start(slot, first)
            self._last = unsmoothed.where(first | broken, self._last)
            if self._bank:  # teach the seasons what the slot was, above the level of the time
                self._profiles.learn(index, slot.estimate, self._bank.deviation(), first | later)
        return self._last.where(known, unsmoothed)

    def _observation(self, index: int) -> Observation:
        """The slot beside what its seasons expect."""
        season, doubt = self._profiles.at(index)
        estimate = self._panel.estimate[index]
        expected = np.where(self._started, self._bank.predict(season), estimate) if self._bank else estimate
        noise = self._panel.noise(index, expected)
        return Observation(estimate, noise, season, doubt * noise)

    def _start(self, slot: Observation, series: Mask) -> None:
        """Start the filters of series that are heard of for the first time."""
        if series.any():
            bank = KalmanBank.start(slot, len(np.atleast_3d(slot.season)), self._panel.starts)
            self._bank = bank.where(series, self._bank) if self._bank else bank
            self._started = self._started | series

    def _breaks(self, filtered: FilteredSlot) -> Mask:
        """Whether an appliance's levels together, or its watts, are what nobody could predict."""
        levels = self._panel.sum_of_levels(filtered.innovation) > self._break_threshold
        watts = filtered.innovation[self._panel.watts_columns] > WATTS_BREAK_THRESHOLD
        return np.repeat(levels | watts, self._panel.lengths)

    def _smoothed(self, index: int, filtered: FilteredSlot) -> SeriesRows:
        """The filter's truth as far as the slot's reports bear it, in an interval that holds theirs."""
        limits = self._one_sided.at(index)
        estimate = np.clip(filtered.truth, limits.low, limits.high)
        low, high = normal_interval(filtered.truth, filtered.truth_variance)
        smoothed = np.ones(len(estimate), dtype=bool)
        return SeriesRows(estimate, np.minimum(low, limits.low), np.maximum(high, limits.high), smoothed)


def has_fresh_draws(groups: DebiasedGroups, slots: SlotStatistics, timeline: SlotTimeline) -> Mask:
    """Whether anybody drew anew in a slot, since the last one with an answer."""
    known = np.where(slots.known, np.arange(len(slots.known)), 0)
    last = np.concatenate([[0], np.maximum.accumulate(known)[:-1]])
    repeated = groups.as_of <= timeline.ends[last][timeline.slot_index]
    repeated &= timeline.slot_index > last[timeline.slot_index]
    return timeline.sum_by_slot(np.where(repeated, 0.0, groups.reports)) > 0


def _one_sided(
    panel: SeriesPanel, groups: Sequence[DebiasedGroups], slots: Sequence[SlotStatistics], timeline: SlotTimeline
) -> SeriesRows:
    """The slots by themselves, with limits that err on one side only as often as both do otherwise.

    The filter knows the noise of a slot as new.  Where some repeat themselves it is not, and the limits
    are the usual ones.
    """
    repeats = [
        timeline.sum_by_slot((each.as_of < timeline.slots[timeline.slot_index]).astype(float)) > 0 for each in groups
    ]
    return _within_sigmas(panel, slots, [np.where(each, Z95, ONE_SIDED_Z) for each in repeats])


def _within_sigmas(panel: SeriesPanel, slots: Sequence[SlotStatistics], sigmas: Sequence[Floats]) -> SeriesRows:
    """The slots by themselves, within so many standard errors."""
    levels = [
        score_interval(each.share, each.errors, sigma[:, None]) for each, sigma in zip(slots, sigmas, strict=True)
    ]
    reaches = [sigma * np.sqrt(each.watts_variance) for each, sigma in zip(slots, sigmas, strict=True)]
    pairs = list(zip(slots, reaches, strict=True))
    return SeriesRows(
        panel.estimate,
        interleave([low for low, _ in levels], [each.watts - reach for each, reach in pairs]),
        interleave([high for _, high in levels], [each.watts + reach for each, reach in pairs]),
        np.zeros(panel.known.shape, dtype=bool),
    )


def _appliance_series(shown: SeriesRows, first: int, watts: int) -> SmoothedSlots:
    """The series of one appliance."""
    return SmoothedSlots(
        smoothed=shown.smoothed[:, watts],
        share=shown.estimate[:, first:watts],
        low=shown.low[:, first:watts],
        high=shown.high[:, first:watts],
        watts=shown.estimate[:, watts],
        watts_low=shown.low[:, watts],
        watts_high=shown.high[:, watts],
    )
