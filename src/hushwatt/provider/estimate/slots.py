"""One appliance, slot by slot: how many homes at each level, how many watts, how sure.

Two things blur a slot's numbers.  Noise: the answers are randomised.  Sampling: only
some of the homes spoke, or (`dither`) each drew its level at random.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hushwatt.plan.plan import Plan
from hushwatt.provider.estimate.arrays import Timeline
from hushwatt.provider.estimate.debias import Groups
from hushwatt.provider.estimate.intervals import Errors
from hushwatt.provider.estimate.pooling import pooled

Numbers = NDArray[np.float64]


@dataclass(frozen=True)
class Slots:
    """What one appliance's reports say in every slot.  Shares are parts of all homes."""

    homes: Numbers | int  # taking part, K
    known: NDArray[np.bool_]  # whether enough homes spoke of it for an answer
    counted: NDArray[np.bool_]  # whether it is part of the period
    speakers: Numbers  # homes that spoke of it
    reports: Numbers  # the same to divide by: m, and 1 where nobody did
    absent: Numbers  # weight of the homes that did not: 1 − m/K, or 1 with `dither`
    share: Numbers  # of the homes, at each level, f̂
    share_noise: Numbers
    share_spread: Numbers  # f(1−f), how the homes differ
    watts: Numbers  # mean of a home
    watts_noise: Numbers
    watts_spread: Numbers  # how the homes differ
    watts_loud: Numbers  # noise of one home's watts, when it holds each level
    errors: Errors  # the variance of a share as a function of it

    @property
    def share_variance(self) -> Numbers:
        """Noise and sampling together."""
        return self.share_noise + (self.absent / self.reports)[:, None] * self.share_spread

    @property
    def watts_variance(self) -> Numbers:
        return self.watts_noise + self.absent / self.reports * self.watts_spread


def slot_estimates(
    plan: Plan, appliance: int, groups: Groups, timeline: Timeline, homes: Numbers | int
) -> Slots:
    """Add the groups of every slot up, every home with the same weight; `homes` take part in each slot."""
    summed = timeline.summed
    speakers = summed(groups.reports)
    reports = np.where(speakers > 0, speakers, 1.0)  # where nobody spoke, nothing is divided and shown
    share, share_noise = summed(groups.held) / reports[:, None], summed(groups.noise) / reports[:, None] ** 2
    offset, watts_noise = summed(groups.watts) / reports, summed(groups.watts_noise) / reports**2
    absent = np.maximum(1 - reports / homes, 0) if plan.mapping == "range" else np.ones(len(reports))
    usual = np.asarray(plan.appliances[appliance].values, float)
    return Slots(
        homes=homes,
        known=timeline.enough & (speakers >= max(plan.minimum_homes, 1)),
        counted=pooled(plan, timeline, speakers),
        speakers=speakers,
        reports=reports,
        absent=absent,
        share=share,
        share_noise=share_noise,
        share_spread=_spread(share, share, share_noise, (absent / reports)[:, None]),
        watts=usual.mean() + offset,
        watts_noise=watts_noise,
        watts_spread=_spread(summed(groups.squares) / reports, offset, watts_noise, absent / reports),
        watts_loud=summed(groups.reports[:, None] * groups.watts_loud) / reports[:, None],
        errors=_errors(groups, reports, absent, timeline),
    )


def _spread(square: Numbers, mean: Numbers, noise: Numbers, sampling: Numbers) -> Numbers:
    """How homes differ: the mean square less the squared mean, without the errors of either.

    The squared estimate is too large by its variance, noise + sampling·spread.
    """
    return np.maximum(square - mean**2 + noise, 0) / np.maximum(1 - sampling, 0.5)


def _errors(groups: Groups, reports: Numbers, absent: Numbers, timeline: Timeline) -> Errors:
    """The groups' laws averaged over homes."""

    def averaged(values: Numbers) -> Numbers:
        return (timeline.summed(groups.reports * values) / reports)[:, None]

    quiet, lowest, step = averaged(groups.quiet), averaged(groups.lowest), averaged(groups.step)
    return Errors(
        reports=reports[:, None],
        quiet=quiet,
        slope=averaged(groups.loud) - quiet,
        absent=absent[:, None],
        step=step,
        lowest=lowest,
        highest=lowest + step,
    )
