"""One appliance, slot by slot: how many homes at each level, how many watts, how sure.

Two things blur a slot's numbers.  Noise: the answers are randomised.  Sampling: only
some of the homes spoke, or (`dither`) each drew its level at random.

Slots that are published together are one: all their reports count alike, so that one in which few homes
spoke weighs little.  A home that repeats a draw says nothing new: r reports of it are one with the weight r.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from hushwatt.plan.plan import Plan
from hushwatt.privacy.rotation import distinct_span, turn_classes
from hushwatt.provider.estimate.array_types import Floats, Mask
from hushwatt.provider.estimate.arrays import SlotTimeline
from hushwatt.provider.estimate.debias import DebiasedGroups, answer_watts
from hushwatt.provider.estimate.intervals import VarianceFunction
from hushwatt.provider.estimate.pooling import RowWeights, WholeRows


@dataclass(frozen=True)
class SlotStatistics:
    """What one appliance's reports say in every slot.  Shares are parts of all homes."""

    homes: Floats | int  # taking part, K
    known: Mask  # whether enough homes spoke of it for an answer
    weight: Floats  # in the period, where the others have theirs; 0: it is no part of it
    speakers: Floats  # different homes that spoke of it, at least
    reports: Floats  # reports about it, to divide by: m, and 1 where there are none
    alone: Floats  # reports that would be as sure if each were a draw of its own
    unasked: Floats  # the part of homes, or of the population, that did not speak of it; 1 where homes took turns in it
    correction: Floats  # finite population correction: that, or 1 with `dither`
    share: Floats  # of the homes, at each level, f̂
    share_noise: Floats
    share_spread: Floats  # f(1−f), how the homes differ
    watts: Floats  # mean of a home
    watts_noise: Floats
    watts_spread: Floats  # how the homes differ
    draws: "WeighedDraws"

    @cached_property
    def watts_noise_held(self) -> Floats:
        """Noise of one home's watts, when it holds each level."""
        return self.draws.averaged(self.draws.groups.watts_noise_held)

    @cached_property
    def errors(self) -> VarianceFunction:
        """The variance of a share as a function of it: the groups' laws averaged over homes."""
        groups = self.draws.groups
        noise_not_held, noise_held, lowest, highest, step = (
            self.draws.averaged(each[:, None])
            for each in (groups.noise_not_held, groups.noise_held, groups.lowest, groups.highest, groups.step)
        )
        return VarianceFunction(
            reports=self.alone[:, None],
            noise_not_held=noise_not_held,
            slope=noise_held - noise_not_held,
            correction=self.correction[:, None],
            step=step,
            lowest=lowest,
            highest=highest,
        )

    @property
    def counted(self) -> Mask:
        """Whether it is part of the period."""
        return np.asarray(self.weight > 0)

    @property
    def share_variance(self) -> Floats:
        """Noise and sampling together."""
        return self.share_noise + (self.correction / self.alone)[:, None] * self.share_spread

    @property
    def watts_variance(self) -> Floats:
        return self.watts_noise + self.correction / self.alone * self.watts_spread


@dataclass(frozen=True)
class WeighedDraws:
    """The groups behind each slot, and how much the draws of each weigh."""

    groups: DebiasedGroups
    weights: Floats
    timeline: SlotTimeline

    def averaged(self, values: Floats) -> Floats:
        """The mean of the groups' `values` in every slot."""
        total = _divisible(self.timeline.sum_by_slot(self.weights))
        return self.timeline.sum_by_slot(self.weights[:, None] * values) / total[:, None]


def slot_statistics(
    plan: Plan,
    appliance: int,
    groups: DebiasedGroups,
    timeline: SlotTimeline,
    homes: Floats | int,
    worth: Floats | None = None,
    rows: RowWeights | None = None,
    population: int | None = None,
) -> SlotStatistics:
    """Add the groups of every slot up, every home with the same weight; `homes` take part in each slot.

    Watts are what answers are `worth` to the groups.  Without `rows` they are those of all homes together.  Numbers
    are about these homes, or about a `population` that they are a random sample of.
    """
    rows, homes = rows or WholeRows(plan), np.maximum(homes, 1)  # all of a kind may have left since they spoke
    by_slot = timeline.sum_by_slot
    before = timeline.stood_before(groups.as_of)
    squared = 1 + 2 * before  # what the group's slot adds to r², the weight of a draw repeated r times
    reports = _divisible(by_slot(groups.reports))
    alone = _divisible(by_slot(squared * groups.reports))
    alone = np.where(alone == reports, reports, reports**2 / alone)
    share = by_slot(groups.held) / reports[:, None]
    share_noise = by_slot(squared[:, None] * groups.noise) / reports[:, None] ** 2
    offset, watts_noise = by_slot(groups.watts) / reports, by_slot(squared * groups.watts_noise) / reports**2
    of = homes if population is None else population
    unasked = np.maximum(1 - reports / _divisible(timeline.speaking_slots(groups.reports)) / of, 0)
    if plan.publish > 1 and turn_classes(plan) > 1:
        unasked = np.ones_like(unasked)  # as over a period of several turns
    again = np.maximum(by_slot(np.where(before > 0, 0.0, groups.reports)) / homes, 1.0)
    correction = unasked * again if plan.mapping == "range" else np.maximum(unasked * again, 1.0)
    speakers = timeline.different(groups.reports, distinct_span(plan))
    values = answer_watts(plan, appliance) if worth is None else worth
    return SlotStatistics(
        homes=homes,
        known=rows.known(timeline, speakers),
        weight=rows.weights(timeline, speakers),
        speakers=speakers,
        reports=reports,
        alone=alone,
        unasked=unasked,
        correction=correction,
        share=share,
        share_noise=share_noise,
        share_spread=_spread(share, share, share_noise, (correction / alone)[:, None]),
        watts=values.mean() + offset,
        watts_noise=watts_noise,
        watts_spread=_spread(by_slot(groups.squares) / reports, offset, watts_noise, correction / alone),
        draws=WeighedDraws(groups, squared * groups.reports, timeline),
    )


def _spread(square: Floats, mean: Floats, noise: Floats, sampling: Floats) -> Floats:
    """How homes differ: the mean square less the squared mean, without the errors of either.

    The squared estimate is too large by its variance, noise + sampling·spread.
    """
    return np.maximum(square - mean**2 + noise, 0) / np.maximum(1 - sampling, 0.5)


def _divisible(counts: Floats) -> Floats:
    """Counts to divide by: where there is nothing, nothing is divided and shown."""
    return np.where(counts > 0, counts, 1.0)
