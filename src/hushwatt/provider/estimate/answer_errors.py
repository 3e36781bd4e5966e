"""How the shares of all answers about an appliance err together, in every slot or over a period.

A direct answer for one level is none for the others, so their errors go against each other; bits err
apart.  Whoever takes a ratio of sums over the answers needs all variances and covariances.
"""

from dataclasses import dataclass

import numpy as np

from hushwatt.plan.plan import Plan
from hushwatt.privacy.laws import is_direct
from hushwatt.provider.estimate.array_types import Floats
from hushwatt.provider.estimate.arrays import SlotTimeline
from hushwatt.provider.estimate.consistency import add_one_smoothed
from hushwatt.provider.estimate.debias import DebiasedGroups
from hushwatt.provider.estimate.intervals import VarianceFunction
from hushwatt.provider.estimate.period import period_correction, period_weights
from hushwatt.provider.estimate.slots import SlotStatistics


@dataclass(frozen=True)
class AnswerShares:
    """The share of homes behind every answer, a row for each slot or one for the period, and how sure it is."""

    share: Floats  # rows × answers
    errors: VarianceFunction
    covariance: Floats  # rows × answers × answers

    def sums(self, worth: Floats) -> tuple[Floats, Floats]:
        """The means of a home when answers are `worth` so much (a row for each sum), and their covariances.

        As every home gives one answer, what they are worth on average adds no noise and is taken out.
        """
        away = worth - worth.mean(axis=1, keepdims=True)
        means = worth.mean(axis=1) + np.einsum("ta,sa->ts", self.share, away)
        return means, np.einsum("sa,tab,ub->tsu", away, self.covariance, away)


def slot_answers(plan: Plan, slots: SlotStatistics) -> AnswerShares:
    """The answers of every slot."""
    return _answers(plan, slots.share, slots.errors)


def period_answers(
    plan: Plan, groups: DebiasedGroups, slots: SlotStatistics, timeline: SlotTimeline
) -> AnswerShares | None:
    """The answers over the slots that count, each with its weight; None if none does."""
    return _answers(plan, *period_shares(plan, groups, slots, timeline)) if slots.counted.any() else None


def period_shares(
    plan: Plan, groups: DebiasedGroups, slots: SlotStatistics, timeline: SlotTimeline
) -> tuple[Floats, VarianceFunction]:
    """The share of homes behind every answer over the slots that count, and how sure each is."""
    weights = period_weights(groups, slots.reports, slots.weight, timeline)
    correction, _ = period_correction(plan, groups, slots, weights, timeline)
    each = weights.squared * groups.reports
    each = each / (total := float(each.sum()))

    def averaged(values: Floats) -> Floats:
        return np.array([[each @ values]])

    noise_not_held = averaged(groups.noise_not_held)
    errors = VarianceFunction(
        reports=np.array([[1 / total]]),  # homes that spoke once, and would be as sure
        noise_not_held=noise_not_held,
        slope=averaged(groups.noise_held) - noise_not_held,
        correction=averaged(correction),
        step=averaged(groups.step),
        lowest=averaged(groups.lowest),
        highest=averaged(groups.highest),
    )
    return (weights.slot @ slots.share)[None], errors


def _answers(plan: Plan, share: Floats, errors: VarianceFunction) -> AnswerShares:
    return AnswerShares(share, errors, answer_covariance(share, errors, is_direct(plan.oracle)))


def answer_covariance(share: Floats, errors: VarianceFunction, correlated: bool) -> Floats:
    """Variances and covariances of the shares, judged at a histogram without negative parts.

    With L = q/(p−q), the noise of two direct answers goes together by −L² − L·(f + g), and sampling by −f·g.
    """
    histogram = np.asarray(add_one_smoothed(share, errors.reports))
    row, column = histogram[:, :, None], histogram[:, None, :]
    covariance = -errors.correction[:, :, None] * row * column
    if correlated:
        lean = -errors.lowest
        square = (errors.noise_not_held - lean) / (share.shape[1] - 1)
        covariance = covariance - square[:, :, None] - lean[:, :, None] * (row + column)
    covariance = covariance / errors.reports[:, :, None]
    places = np.arange(share.shape[1])
    covariance[:, places, places] = errors.variance(histogram)
    return covariance
