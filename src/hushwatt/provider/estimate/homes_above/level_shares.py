"""Sums over the levels of an appliance, with their limits: in every slot, or over a period.

The part of homes at some of the levels has an interval by the exact law of its answers, like a level.  Other sums, and
parts of the homes that measure an appliance, have theirs by the covariance of all answers (Fieller).
"""

from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from hushwatt.privacy.laws import is_direct
from hushwatt.provider.estimate.answer_errors import AnswerShares, period_answers, period_shares, slot_answers
from hushwatt.provider.estimate.appliance_series import ApplianceSeries
from hushwatt.provider.estimate.array_types import Floats, Mask
from hushwatt.provider.estimate.arrays import SlotTimeline
from hushwatt.provider.estimate.debias import DebiasedGroups
from hushwatt.provider.estimate.homes_above.level_sets import set_groups
from hushwatt.provider.estimate.intervals import Z95, score_interval
from hushwatt.provider.estimate.measuring_mean import MIN_SIGMAS, MeanTest
from hushwatt.provider.estimate.pooling import WholeRows
from hushwatt.provider.estimate.slots import SlotStatistics, slot_statistics

Limits = tuple[Floats, Floats, Floats]  # estimates, and their lower and upper limits, one for each row


@dataclass(frozen=True)
class LevelShares:
    """One appliance: its levels in every slot, and over the periods that timelines ask for."""

    series: ApplianceSeries
    timeline: SlotTimeline
    _sets: dict[tuple[float, ...], tuple[DebiasedGroups, SlotStatistics]] = field(default_factory=dict)

    def of_slots(self) -> "SumsOverLevels":
        """Every slot by itself."""
        return SumsOverLevels(self, None, slot_answers(self.series.plan, self.series.clipped_slots))

    def of_period(self, timeline: SlotTimeline) -> "SumsOverLevels | None":
        """The slots that this timeline asks for and that count; None if none does."""
        plan, slots = self.series.plan, self.series.clipped_slots
        rows = self.series.rows or WholeRows(plan)
        slots = replace(slots, weight=rows.weights(timeline, slots.speakers))
        answers = period_answers(plan, self.series.clipped_groups, slots, timeline)
        return None if answers is None else SumsOverLevels(self, slots.weight, answers)

    def set_of(self, worth: Floats) -> tuple[DebiasedGroups, SlotStatistics]:
        """Some levels taken as one, which is worked out once."""
        key, plan, series = tuple(worth.tolist()), self.series.plan, self.series
        if key not in self._sets:
            groups = set_groups(series.clipped_groups, np.flatnonzero(worth).tolist(), is_direct(plan.oracle))
            homes = series.clipped_slots.homes
            self._sets[key] = (
                groups,
                slot_statistics(plan, series.number, groups, self.timeline, homes, rows=series.rows),
            )
        return self._sets[key]


@dataclass(frozen=True)
class SumsOverLevels:
    """The sums over the levels, in every slot or over one period."""

    levels: LevelShares
    weight: Floats | None  # of every slot in the period; None: every slot by itself
    answers: AnswerShares

    @cached_property
    def enough(self) -> Mask:
        """Whether surely some homes measure it."""
        if not self.levels.series.plan.answers_unmeasured:
            return np.ones(len(self.answers.share), dtype=bool)
        measured, covariance = self.answers.sums(self._measuring[None])
        return np.asarray(measured[:, 0] > MIN_SIGMAS * np.sqrt(np.maximum(covariance[:, 0, 0], 0)))

    def of(self, worth: Floats, sigmas: float = Z95) -> Limits:
        """The mean over homes, or those that measure it, of what their levels are `worth`."""
        if np.ptp(worth) == 0:
            same = np.full(len(self.answers.share), worth[0])
            return same, same, same
        plan = self.levels.series.plan
        if plan.answers_unmeasured or not np.isin(worth, (0.0, 1.0)).all():
            return self._ratio(worth, sigmas)
        groups, slots = self.levels.set_of(worth)
        share, errors = slots.share, slots.errors
        if self.weight is not None:
            share, errors = period_shares(plan, groups, replace(slots, weight=self.weight), self.levels.timeline)
        low, high = score_interval(share, errors, sigmas)
        return share[:, 0], low[:, 0], high[:, 0]

    def _ratio(self, worth: Floats, sigmas: float) -> Limits:
        """By Fieller's test; all homes measure it where the plan does not ask."""
        both = np.stack([np.pad(worth, (0, len(self._measuring) - len(worth))), self._measuring])
        sums, covariance = self.answers.sums(both)
        test = MeanTest(
            watts=sums[:, 0],
            measured=np.where(self.enough, sums[:, 1], 1.0),
            watts_variance=covariance[:, 0, 0],
            covariance=covariance[:, 0, 1],
            measured_variance=covariance[:, 1, 1],
        )
        return test.watts / test.measured, test.root(-sigmas), test.root(sigmas)

    @property
    def _measuring(self) -> Floats:
        """What every answer adds to the part of homes that measure it."""
        return (np.arange(self.answers.share.shape[1]) < self.levels.series.levels).astype(float)
