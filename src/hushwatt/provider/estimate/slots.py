"""One appliance, slot by slot: how many homes at each level, how many watts, how sure.

Two things blur a slot's numbers.  Noise: the answers are randomised.  Sampling: only
some of the homes spoke, or (`dither`) each drew its level at random.
"""

from dataclasses import dataclass

import numpy as np

from hushwatt.plan.plan import Plan
from hushwatt.provider.estimate.array_types import Floats, Mask
from hushwatt.provider.estimate.arrays import SlotTimeline
from hushwatt.provider.estimate.debias import DebiasedGroups, answer_watts
from hushwatt.provider.estimate.intervals import VarianceFunction
from hushwatt.provider.estimate.pooling import pooled_slots


@dataclass(frozen=True)
class SlotStatistics:
    """What one appliance's reports say in every slot.  Shares are parts of all homes."""

    homes: Floats | int  # taking part, K
    known: Mask  # whether enough homes spoke of it for an answer
    counted: Mask  # whether it is part of the period
    speakers: Floats  # homes that spoke of it
    reports: Floats  # the same to divide by: m, and 1 where nobody did
    correction: Floats  # finite population correction: 1 − m/K, or 1 with `dither`
    share: Floats  # of the homes, at each level, f̂
    share_noise: Floats
    share_spread: Floats  # f(1−f), how the homes differ
    watts: Floats  # mean of a home
    watts_noise: Floats
    watts_spread: Floats  # how the homes differ
    watts_noise_held: Floats  # noise of one home's watts, when it holds each level
    errors: VarianceFunction  # the variance of a share as a function of it

    @property
    def share_variance(self) -> Floats:
        """Noise and sampling together."""
        return self.share_noise + (self.correction / self.reports)[:, None] * self.share_spread

    @property
    def watts_variance(self) -> Floats:
        return self.watts_noise + self.correction / self.reports * self.watts_spread


def slot_statistics(
    plan: Plan,
    appliance: int,
    groups: DebiasedGroups,
    timeline: SlotTimeline,
    homes: Floats | int,
    worth: Floats | None = None,
) -> SlotStatistics:
    """Add the groups of every slot up, every home with the same weight; `homes` take part in each slot.

    Watts are what answers are `worth` to the groups.
    """
    by_slot = timeline.sum_by_slot
    speakers = by_slot(groups.reports)
    reports = np.where(speakers > 0, speakers, 1.0)  # where nobody spoke, nothing is divided and shown
    share = by_slot(groups.held) / reports[:, None]
    share_noise = by_slot(groups.noise) / reports[:, None] ** 2
    offset, watts_noise = by_slot(groups.watts) / reports, by_slot(groups.watts_noise) / reports**2
    correction = np.maximum(1 - reports / homes, 0) if plan.mapping == "range" else np.ones(len(reports))
    values = answer_watts(plan, appliance) if worth is None else worth
    return SlotStatistics(
        homes=homes,
        known=timeline.enough & (speakers >= max(plan.minimum_homes, 1)),
        counted=pooled_slots(plan, timeline, speakers),
        speakers=speakers,
        reports=reports,
        correction=correction,
        share=share,
        share_noise=share_noise,
        share_spread=_spread(share, share, share_noise, (correction / reports)[:, None]),
        watts=values.mean() + offset,
        watts_noise=watts_noise,
        watts_spread=_spread(by_slot(groups.squares) / reports, offset, watts_noise, correction / reports),
        watts_noise_held=by_slot(groups.reports[:, None] * groups.watts_noise_held) / reports[:, None],
        errors=_variance_function(groups, reports, correction, timeline),
    )


def _spread(square: Floats, mean: Floats, noise: Floats, sampling: Floats) -> Floats:
    """How homes differ: the mean square less the squared mean, without the errors of either.

    The squared estimate is too large by its variance, noise + sampling·spread.
    """
    return np.maximum(square - mean**2 + noise, 0) / np.maximum(1 - sampling, 0.5)


def _variance_function(
    groups: DebiasedGroups, reports: Floats, correction: Floats, timeline: SlotTimeline
) -> VarianceFunction:
    """The groups' laws averaged over homes."""

    def averaged(values: Floats) -> Floats:
        return (timeline.sum_by_slot(groups.reports * values) / reports)[:, None]

    noise_not_held = averaged(groups.noise_not_held)
    lowest, step = averaged(groups.lowest), averaged(groups.step)
    return VarianceFunction(
        reports=reports[:, None],
        noise_not_held=noise_not_held,
        slope=averaged(groups.noise_held) - noise_not_held,
        correction=correction[:, None],
        step=step,
        lowest=lowest,
        highest=lowest + step,
    )
