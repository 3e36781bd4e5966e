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

from hushwatt.plan.plan import Plan
from hushwatt.provider.estimate.array_types import Floats, Mask
from hushwatt.provider.estimate.arrays import SlotTimeline
from hushwatt.provider.estimate.debias import DebiasedGroups
from hushwatt.provider.estimate.intervals import Z95, normal_interval, score_interval
from hushwatt.provider.estimate.slots import SlotMeans
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


MAX_SQUARED_ERROR = float(chi_squared(1))  # of a single number


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

    def at(self, place: int) -> "SeriesRows":
        return SeriesRows(self.estimate[place], self.low[place], self.high[place], self.smoothed[place])

    def where(self, chosen: Mask, other: "SeriesRows") -> "SeriesRows":
        """These in the `chosen` series, and the `other` in the rest."""
        return SeriesRows(
            np.where(chosen, self.estimate, other.estimate),
            np.where(chosen, self.low, other.low),
            np.where(chosen, self.high, other.high),
            np.where(chosen, self.smoothed, other.smoothed),
        )


def smooth(
    plan: Plan, timeline: SlotTimeline, groups: Sequence[DebiasedGroups], slots: Sequence[SlotMeans]
) -> list[SmoothedSlots]:
    """Pass the shares of all levels and the watts of all appliances through a bank of filters."""
    panel = SeriesPanel.of(slots, [np.asarray(appliance.values, float) for appliance in plan.appliances])
    shown = _unsmoothed(panel, slots)
    if shown.smoothed.size:
        profiles = SeasonalProfiles(season_phases(plan, timeline.slots.tolist()), panel.known.shape[1])
        smoother = Smoother(panel, profiles, shown, _one_sided(panel, groups, slots, timeline))
        news = np.stack(
            [has_fresh_draws(*each, timeline) for each in zip(groups, slots, strict=True)], axis=1
        )
        news = np.repeat(news, panel.lengths, axis=1)
        shown = SeriesRows.of([smoother.take(place, news[place]) for place in range(len(timeline.slots))])
    return [
        _appliance_series(shown, first, watts) for first, watts in zip(panel.starts, panel.watts, strict=True)
    ]


class Smoother:
    """What was learnt up to a slot, and what the last slot of every series showed."""

    def __init__(
        self, panel: SeriesPanel, profiles: SeasonalProfiles, alone: SeriesRows, sided: SeriesRows
    ) -> None:
        self._panel, self._profiles = panel, profiles
        self._alone, self._sided = alone, sided  # the slots by themselves: 95 %, and one-sided limits
        self._most = chi_squared(panel.lengths - 1)
        self._begun = np.zeros(panel.known.shape[1], dtype=bool)
        self._bank: KalmanBank | None = None
        self._last = alone.at(0)

    def take(self, place: int, news: Mask) -> SeriesRows:
        """The next slot; series without `news` show what they showed before."""
        known, alone = self._panel.known[place], self._alone.at(place)
        first, later = known & ~self._begun, known & self._begun & news
        if first.any() or later.any():
            seen, broken = self._seen(place), np.zeros_like(known)
            if later.any() and self._bank is not None:
                learnt, found = self._bank.after(seen)
                broken = later & self._breaks(found)
                if broken.any():
                    learnt = self._bank.broken(seen, found.weights).where(broken, learnt)
                self._bank = learnt if later.all() else learnt.where(later, self._bank)
                self._last = self._smoothed(place, found).where(later, self._last)
            self._begin(seen, first)
            self._last = alone.where(first | broken, self._last)
            self._learn(place, seen, first | later)
        return self._last.where(known, alone)

    def _seen(self, place: int) -> Observation:
        """The slot beside what its seasons expect."""
        season, doubt = self._profiles.at(place)
        estimate = self._panel.estimate[place]
        expected = np.where(self._begun, self._bank.expected(season), estimate) if self._bank else estimate
        noise = self._panel.noise(place, expected)
        return Observation(estimate, noise, season, doubt * noise)

    def _begin(self, seen: Observation, series: Mask) -> None:
        """Start the filters of series that are heard of for the first time."""
        if series.any():
            started = KalmanBank.start(seen, len(np.atleast_3d(seen.season)), self._panel.starts)
            self._bank = started.where(series, self._bank) if self._bank else started
            self._begun = self._begun | series

    def _learn(self, place: int, seen: Observation, series: Mask) -> None:
        """Teach the seasons what the slot was, above the level of the time."""
        if self._bank:
            self._profiles.learn(place, seen.estimate, self._bank.deviation(), series)

    def _breaks(self, found: FilteredSlot) -> Mask:
        """Whether an appliance's levels together, or its watts, are what nobody could foretell."""
        strange = found.strangeness
        levels = self._panel.sum_of_levels(strange) > self._most
        return np.repeat(levels | (strange[self._panel.watts] > MAX_SQUARED_ERROR), self._panel.lengths)

    def _smoothed(self, place: int, found: FilteredSlot) -> SeriesRows:
        """The filter's truth as far as the slot's reports bear it, in an interval that holds theirs."""
        sided = self._sided.at(place)
        estimate = np.clip(found.truth, sided.low, sided.high)
        low, high = normal_interval(found.truth, found.truth_variance)
        smoothed = np.ones(len(estimate), dtype=bool)
        return SeriesRows(estimate, np.minimum(low, sided.low), np.maximum(high, sided.high), smoothed)


def has_fresh_draws(groups: DebiasedGroups, slots: SlotMeans, timeline: SlotTimeline) -> Mask:
    """Whether anybody drew anew in a slot, since the last one with an answer."""
    known = np.where(slots.known, np.arange(len(slots.known)), 0)
    last = np.concatenate([[0], np.maximum.accumulate(known)[:-1]])
    again = groups.as_of <= timeline.slots[last][timeline.places]
    again &= timeline.places > last[timeline.places]
    return timeline.summed(np.where(again, 0.0, groups.reports)) > 0


def _unsmoothed(panel: SeriesPanel, slots: Sequence[SlotMeans]) -> SeriesRows:
    """The slots by themselves."""
    return _within_sigmas(panel, slots, [np.array([Z95])] * len(slots))


def _one_sided(
    panel: SeriesPanel, groups: Sequence[DebiasedGroups], slots: Sequence[SlotMeans], timeline: SlotTimeline
) -> SeriesRows:
    """The slots by themselves, with limits that err on one side only as often as both do otherwise.

    The filter knows the noise of a slot as new.  Where some repeat themselves it is not, and the limits
    are the usual ones.
    """
    repeats = [
        timeline.summed((each.as_of < timeline.slots[timeline.places]).astype(float)) > 0 for each in groups
    ]
    return _within_sigmas(panel, slots, [np.where(each, Z95, ONE_SIDED_Z) for each in repeats])


def _within_sigmas(panel: SeriesPanel, slots: Sequence[SlotMeans], sigmas: Sequence[Floats]) -> SeriesRows:
    """The slots by themselves, within so many standard errors."""
    levels = [
        score_interval(each.share, each.errors, sigma[:, None])
        for each, sigma in zip(slots, sigmas, strict=True)
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
