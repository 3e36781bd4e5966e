"""The mean watts among the homes that measure an appliance, real where the plan knows a typical high.

A ratio: watts of all homes over the part of homes that measure it, both unbiased.  Where a plan says what a
high reading typically is, an answer "top" stands for T·(1 + r) watts: r by the law of the tail that the
reports leave in the middle.  The upper end of an interval holds every tail as likely as it is, and the
lower one holds that there is none.  The ends are Fieller's: the means μ for which watts − μ·measured is not
too far from zero.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from statistics import NormalDist

import numpy as np

from hushwatt.plan.plan import Plan
from hushwatt.privacy.tails import is_real, median_of_sorted, median_tail, median_tails, tail_ratios, tail_weights
from hushwatt.provider.estimate.answer_errors import AnswerShares
from hushwatt.provider.estimate.array_types import Floats, Mask
from hushwatt.provider.estimate.debias import answer_watts
from hushwatt.provider.estimate.intervals import CONFIDENCE, Z95, score_interval

OUTSIDE = 0.02  # above an interval of real watts: half a hundredth is kept back, as no family of tails is true
MIN_SIGMAS = 2.06  # standard errors from zero that the part of measuring homes must have: then limits are bounded
SURE_SIGMAS = (
    3.0  # with fewer, what is shown was chosen by chance, and no lower limit above the lowest level is believed
)
STEPS = 20  # of bisection, between what the lightest and the heaviest tail say
ROWS = 512  # slots at a time: what fits into a processor's memory is worked out several times as fast
BIN = 7  # laws, of neighbouring tails, where slots by the thousand have limits
LOWEST, HIGHEST = -5.0, 100.0  # tops between which a mean is looked for
WATTS, TOP, MEASURED = range(3)  # the sums that a mean is made of


def is_plain(plan: Plan, appliance: int) -> bool:
    """Whether a mean is that of all homes on the watts of the levels, nothing more."""
    return not plan.answers_unmeasured and not is_real(plan, appliance)


@dataclass(frozen=True)
class Tails:
    """The tails that are thought possible above the top level, and how likely each is; rows where slots differ."""

    ratios: Floats  # r, watts above the top over those that the top level holds
    weights: Floats
    median: Floats | float

    @classmethod
    def none(cls) -> "Tails":
        return cls(np.zeros(1), np.ones(1), 0.0)

    @classmethod
    def of(cls, plan: Plan, appliance: int, share: Floats, covariance: Floats) -> "Tails":
        """After the reports of a period, by the share of homes behind each answer."""
        if not is_real(plan, appliance):
            return cls.none()
        ratios, weights = _likely(plan, appliance, share, covariance)
        return cls(ratios, weights, median_tail(ratios, weights))

    @classmethod
    def so_far(cls, plan: Plan, appliance: int, answers: AnswerShares, known: Mask) -> "Tails":
        """For every slot after the reports up to it, in a few bins of neighbours: later ones change nothing."""
        if not is_real(plan, appliance):
            return cls.none()
        slots = np.maximum(np.cumsum(known), 1)
        share = np.cumsum(np.where(known[:, None], answers.share, 0), axis=0) / slots[:, None]
        covariance = np.cumsum(np.where(known[:, None, None], answers.covariance, 0), axis=0)
        covariance /= slots[:, None, None] ** 2
        parts = [slice(start, start + ROWS) for start in range(0, len(share), ROWS)]
        binned = [_binned(*_likely(plan, appliance, share[rows], covariance[rows])) for rows in parts]
        return cls(*(np.concatenate(each) for each in zip(*binned, strict=True)))


def _binned(ratios: Floats, weights: Floats) -> tuple[Floats, Floats, Floats]:
    """Neighbouring tails taken together, for every row: their mean, how likely they are; and the median of all."""
    order = np.argsort(ratios, kind="stable")
    ratios, weights = ratios[order], weights[:, order]
    median = median_of_sorted(ratios, weights)
    starts = np.arange(0, len(ratios), BIN)
    total = np.add.reduceat(weights, starts, axis=1)
    weights *= ratios
    return np.add.reduceat(weights, starts, axis=1) / np.maximum(total, 1e-300), total, median


def _likely(plan: Plan, appliance: int, share: Floats, covariance: Floats) -> tuple[Floats, Floats]:
    """The tails of all laws and how likely each is."""
    each = plan.appliances[appliance]
    levels, high = each.levels, float(each.typical_high or 0.0)
    weights = tail_weights(
        share[..., :levels],
        np.diagonal(covariance, axis1=-2, axis2=-1)[..., :levels],
        each.values,
        high,
        covariance=covariance[..., levels - 2, levels - 1],
    )
    return tail_ratios(each.values, high), weights


@dataclass(frozen=True)
class MeasuringMean:
    """One appliance's mean among the homes that measure it, a row for each slot or one for the period."""

    top: float  # watts of the top level
    sums: Floats  # rows × (watts of all homes, part at the top level, part that measures it)
    covariance: Floats  # rows × 3 × 3
    tails: Tails
    lowest: float = 0.0  # watts of the lowest level
    all_homes: bool = False  # of all homes, to whose watts those that do not measure it add nothing

    @classmethod
    def of(cls, plan: Plan, appliance: int, answers: AnswerShares, tails: Tails) -> "MeasuringMean":
        sums, covariance = answers.sums(_worths(plan, appliance))
        values = plan.appliances[appliance].values
        return cls(values[-1], sums, covariance, tails, values[0])

    @classmethod
    def of_all_homes(cls, plan: Plan, appliance: int, answers: AnswerShares, tails: Tails) -> "MeasuringMean":
        """What homes that measure it use, spread over all homes: no ratio any more."""
        mean = cls.of(plan, appliance, answers, tails)
        sums, covariance = mean.sums.copy(), mean.covariance.copy()
        sums[:, MEASURED], covariance[:, MEASURED, :], covariance[:, :, MEASURED] = 1.0, 0.0, 0.0
        return replace(mean, sums=sums, covariance=covariance, all_homes=True)

    @cached_property
    def enough(self) -> Mask:
        """Whether surely some homes measure it."""
        return self._measured_by(MIN_SIGMAS)

    def _measured_by(self, sigmas: float) -> Mask:
        """Whether the part of measuring homes is so many standard errors from zero."""
        doubt = np.sqrt(np.maximum(self.covariance[:, MEASURED, MEASURED], 0))
        return np.asarray(self.sums[:, MEASURED] > sigmas * doubt)

    @cached_property
    def measured(self) -> Floats:
        """The part of homes that measures it; 1 where that is not sure, and nothing is shown."""
        return np.where(self.enough, self.sums[:, MEASURED], 1.0)

    @property
    def clipped(self) -> Floats:
        """The mean as if nothing lay above the top."""
        return self.sums[:, WATTS] / self.measured

    @property
    def watts(self) -> Floats:
        return self.clipped + self.tails.median * self.top * self.sums[:, TOP] / self.measured

    @property
    def noise(self) -> Floats:
        """The standard error of the clipped mean, by the delta method."""
        away = self._away(np.zeros(1))
        return np.sqrt(away.variance(self.clipped[:, None])[:, 0]) / self.measured

    def for_tails(self, ratios: Floats) -> tuple[Floats, Floats]:
        """The mean of the first row for each tail, and its variance by the delta method."""
        away = self._away(ratios)
        means = away.watts / away.measured
        return means[0], (away.variance(means) / away.measured**2)[0]

    def limits(self, real: bool) -> tuple[Floats, Floats]:
        """The 95 % limits: of real watts, not below 0 as far as the estimate allows, or of clipped ones."""
        outside = (1 - CONFIDENCE) / 2
        low = self.end(outside, Tails.none())
        low = np.where(self._measured_by(SURE_SIGMAS), low, np.minimum(low, self.lowest))
        if not real:
            return low, self.end(1 - outside, Tails.none())
        high = np.maximum(self.end(1 - OUTSIDE, self.tails), Z95 * self.noise)
        return np.minimum(np.maximum(low, 0.0), self.watts), np.maximum(high, self.watts)

    def end(self, part: float, tails: Tails) -> Floats:
        """The mean below which the real one is with chance `part`: between what the single tails say of it."""
        away = self._away(tails.ratios)
        least, most = LOWEST * self.top, HIGHEST * self.top
        ends = np.clip(away.root(NormalDist().inv_cdf(part)), least, most)
        low, high = ends.min(axis=1), ends.max(axis=1)
        for _ in range(STEPS if ends.shape[1] > 1 else 0):
            middle = (low + high) / 2
            below = (normal_distribution(away.sigmas(middle[:, None])) * tails.weights).sum(axis=1) < part
            low, high = np.where(below, middle, low), np.where(below, high, middle)
        return np.asarray(high)

    def _away(self, ratios: Floats) -> "MeanTest":
        """How far a mean is from what the reports say, for each tail."""
        parts, more = self.covariance[:, :, :, None], self.top * ratios
        return MeanTest(
            watts=self.sums[:, [WATTS]] + more * self.sums[:, [TOP]],
            measured=self.measured[:, None],
            watts_variance=parts[:, WATTS, WATTS] + 2 * more * parts[:, WATTS, TOP] + more**2 * parts[:, TOP, TOP],
            covariance=parts[:, WATTS, MEASURED] + more * parts[:, TOP, MEASURED],
            measured_variance=parts[:, MEASURED, MEASURED],
        )


def joined_means(means: Sequence[MeasuringMean]) -> MeasuringMean:
    """The same appliance's means over several periods, a row for each."""
    tails = [each.tails for each in means]
    return replace(
        means[0],
        sums=np.concatenate([each.sums for each in means]),
        covariance=np.concatenate([each.covariance for each in means]),
        tails=Tails(tails[0].ratios, np.array([each.weights for each in tails]), np.array([t.median for t in tails])),
    )


@dataclass(frozen=True)
class MeanTest:
    """Fieller's test of a mean μ: whether watts − μ·measured may be zero; rows × tails."""

    watts: Floats
    measured: Floats
    watts_variance: Floats
    covariance: Floats
    measured_variance: Floats

    def variance(self, mean: Floats) -> Floats:
        """Of watts − mean·measured."""
        spread = self.watts_variance - 2 * mean * self.covariance + mean**2 * self.measured_variance
        return np.asarray(np.maximum(spread, 0))

    def sigmas(self, mean: Floats) -> Floats:
        """By how many standard errors mean·measured is above the watts."""
        return np.asarray((mean * self.measured - self.watts) / np.sqrt(np.maximum(self.variance(mean), 1e-300)))

    def root(self, sigmas: float) -> Floats:
        """The mean that is so many standard errors away, of a quadratic; infinite where there is none."""
        doubt = sigmas**2
        square = self.measured**2 - doubt * self.measured_variance
        middle = self.measured * self.watts - doubt * self.covariance
        reach = np.sqrt(np.maximum(middle**2 - square * (self.watts**2 - doubt * self.watts_variance), 0))
        bounded = square > 0
        root = (middle + np.copysign(reach, sigmas)) / np.where(bounded, square, 1.0)
        return np.asarray(np.where(bounded, root, np.copysign(np.inf, sigmas)))


def _worths(plan: Plan, appliance: int) -> Floats:
    """What every answer adds to each of the sums."""
    watts, levels = answer_watts(plan, appliance), plan.appliances[appliance].levels
    places = np.arange(len(watts))
    return np.stack([watts, places == levels - 1, places < levels]).astype(float)


def mean_of(plan: Plan, appliance: int, share: Floats, covariance: Floats) -> float:
    """The point estimate when so many homes are behind each answer."""
    return float(means_of(plan, appliance, share[None], covariance)[0])


def means_of(plan: Plan, appliance: int, share: Floats, covariance: Floats) -> Floats:
    """The same for rows of shares that are equally sure; where hardly any home measures, as if just enough did."""
    worths, top = _worths(plan, appliance), plan.appliances[appliance].values[-1]
    away = worths - worths.mean(axis=1, keepdims=True)
    watts, at_top, measured = (worths.mean(axis=1) + share @ away.T).T
    doubt = float(np.sqrt(max(away[MEASURED] @ covariance @ away[MEASURED], 0)))
    tail = median_tails(*_likely(plan, appliance, share, covariance)) if is_real(plan, appliance) else 0.0
    return np.asarray((watts + tail * top * at_top) / np.maximum(measured, MIN_SIGMAS * doubt))


def linear_worth(plan: Plan, appliance: int, mean: MeasuringMean) -> Floats:
    """What every answer is worth for the mean of all homes to be the `mean` of a period among measuring ones.

    To first order: a home that does not measure the appliance is worth that mean, and one that does is as
    much further from it as fewer homes measure it.
    """
    watts, levels = answer_watts(plan, appliance), plan.appliances[appliance].levels
    centre, measured = float(mean.watts[0]), float(mean.measured[0])
    watts[levels - 1] *= 1 + mean.tails.median
    worth = centre + (watts - centre) / measured
    worth[levels:] = 0.0 if mean.all_homes else centre
    return np.asarray(worth)


def moved_means(plan: Plan, appliance: int, answers: AnswerShares, part: float, says: Floats) -> Floats:
    """The mean after homes that weigh `part` of all say other things: rows of shares, and the tail moves too."""
    share = answers.share[0]
    return means_of(plan, appliance, share + part * (says - share), answers.covariance[0])


def measured_limits(answers: AnswerShares) -> tuple[Floats, Floats, Floats]:
    """The part of homes that measure it, from the last answer, and its 95 % limits between 0 and 1."""
    low, high = score_interval(answers.share[:, -1:], answers.errors)
    share = 1 - answers.share[:, -1]
    return share, np.minimum(np.clip(1 - high[:, 0], 0, 1), share), np.maximum(np.clip(1 - low[:, 0], 0, 1), share)


def normal_distribution(deviations: Floats) -> Floats:
    """The normal distribution function (Abramowitz and Stegun 7.1.26, error below 1e-7).

    >>> normal_distribution(np.array([-1.96, 0.0, 1.96])).round(4).tolist()
    [0.025, 0.5, 0.975]
    """
    part = 1 / (1 + 0.3275911 * np.abs(deviations) / np.sqrt(2))
    factors = (0.254829592, -0.284496736, 1.421413741, -1.453152027, 1.061405429)
    polynomial = np.zeros_like(part)
    for factor in reversed(factors):
        polynomial = part * (factor + polynomial)
    tail = polynomial * np.exp(-(deviations**2) / 2) / 2
    return np.asarray(np.where(deviations > 0, 1 - tail, tail))
