"""What the errors of two appliances may have in common: the homes that happened to be asked.

Answers are randomised apart, appliance by appliance.  But the homes that speak of one
appliance speak of others too, and their habits may go together: a home cooks with gas or
with induction, or owns everything.  Tallies of single appliances cannot show that, so the
covariance is bounded by all that homes could do, and whoever compares appliances takes the
end that makes the comparison less sure.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hushwatt.plan.plan import Plan
from hushwatt.privacy.strategies import rules_of
from hushwatt.provider.estimate.array_types import Floats, Integers
from hushwatt.provider.estimate.arrays import SlotTimeline
from hushwatt.provider.estimate.period import PeriodMean


@dataclass(frozen=True)
class CovarianceBounds:
    """Bounds on the covariance of the errors of two appliances' watts, one row and column for each."""

    lowest: Floats  # at least this, not above 0; 0 for an appliance and itself
    highest: Floats  # at most this, not below 0; likewise

    @classmethod
    def none(cls, count: int) -> "CovarianceBounds":
        """Of `count` appliances with independent errors."""
        return cls(np.zeros((count, count)), np.zeros((count, count)))


def covariance_bounds(
    plan: Plan, periods: Sequence[PeriodMean], timeline: SlotTimeline, homes: int
) -> CovarianceBounds:
    """The bounds for a period, from what sampling homes adds to each appliance's variance.

    With X and Y what homes hold of two appliances, above the least that can be held, and c the weight of
    sampling: Cov = c·(E[XY] − E[X]·E[Y]), and E[XY] is at least 0 (they exclude each other); and
    by Cauchy and Schwarz |Cov| ≤ c·sd(X)·sd(Y).  That is for homes asked about both.  If only a part b of
    them is, the covariance is that much less, and (1 − b)/K times the homes' own is taken off, because
    samples drawn apart from the same K homes err in opposite ways; which can turn its sign.
    """
    return bounds_between(periods, homes, *asked_about_both(plan, timeline))


def bounds_between(
    periods: Sequence[PeriodMean], homes: Integers | int, least_both: Floats | float, most_both: Floats | float
) -> CovarianceBounds:
    """The same for any periods, of which so large a part of the homes of one are asked in another too."""
    weight = np.array([period.sampling for period in periods])
    spread = np.sqrt([period.watts_sampling for period in periods])
    above = np.array([max(period.watts_above, 0.0) for period in periods]) * np.sqrt(weight)
    together = np.outer(spread, spread)
    apart = np.minimum(np.outer(above, above), together)
    opposite = np.zeros_like(together)
    scaled = homes * np.sqrt(np.outer(weight, weight))
    np.divide(1.0, scaled, out=opposite, where=scaled > 0)
    least, most = (np.clip(part - (1 - part) * opposite, -1, 1) for part in (least_both, most_both))
    same, turned = np.maximum(most, 0), np.maximum(-least, 0)
    lowest = -np.maximum(same * apart, turned * together)
    highest = np.maximum(same * together, turned * apart)
    np.fill_diagonal(lowest, 0.0)
    np.fill_diagonal(highest, 0.0)
    return CovarianceBounds(lowest, highest)


def asked_about_both(plan: Plan, timeline: SlotTimeline) -> tuple[float, float]:
    """Of the homes asked about an appliance, the part asked about another too: at once, and in all slots."""
    rows, count = timeline.requested & timeline.enough, len(plan.appliances)
    asked = timeline.heard[rows[timeline.heard_row]]
    if count == 1 or not len(asked):
        return 1.0, 1.0
    slots = int(asked[-1] - asked[0]) + 1
    reports = -(-slots // rules_of(plan).groups(plan.window))
    once, ever = plan.appliances_per_report, min(plan.appliances_per_report * reports, count)
    return (once - 1) / (count - 1), (ever - 1) / (count - 1)
