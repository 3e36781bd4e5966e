"""Two stretches of time or kinds of homes against each other: by how much an appliance's watts differ, and how surely.

A contrast is a sum of means with coefficients: a − b, or (a − b) − (c − d).  Noise is drawn apart for every
report, so errors add up; but where the same homes speak on both sides, their habits are on both sides too.
Tallies cannot show how, so the covariance is bounded by all that homes could do, and the end is taken that
makes the contrast less sure.  Where watts are real, one law of the tail above the top holds on all sides, and
every law counts as likely as the reports of all sides leave it.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import NormalDist

import numpy as np

from hushwatt.errors import UsageError
from hushwatt.provider.estimate.answer_errors import AnswerShares
from hushwatt.provider.estimate.appliance_series import ApplianceSeries
from hushwatt.provider.estimate.array_types import Floats, Mask
from hushwatt.provider.estimate.collected import CollectedSlots
from hushwatt.provider.estimate.intervals import CONFIDENCE
from hushwatt.provider.estimate.measuring_mean import OUTSIDE, MeasuringMean, Tails, normal_distribution
from hushwatt.provider.estimate.ranking.common_homes import asked_on_both, shares_homes
from hushwatt.provider.estimate.ranking.covariance import CovarianceBounds, bounds_between

DETECTION = 0.8  # the chance with which a difference that is called detectable would be seen
STEPS = 60  # of bisection
A, B = 0, 1  # the first two sides


@dataclass(frozen=True)
class Contrast:
    """One appliance: how a differs from b, or more than c from d."""

    means: tuple[float, ...]  # watts on each side
    difference: float  # watts
    low: float  # 95 % limits
    high: float
    p: float
    p_adjusted: float  # over all appliances (Holm)
    percent: float | None  # of b; None where b may be zero
    percent_low: float | None
    percent_high: float | None
    detectable: float  # watts: a difference of so much is seen in four of five cases
    low_together: float  # limits that hold for all appliances at once (Bonferroni)
    high_together: float


@dataclass(frozen=True)
class Contrasts:
    """All appliances; None where a side has no answer about one."""

    sides: tuple[CollectedSlots, ...]
    by_appliance: dict[str, Contrast | None]


def contrasts(sides: Sequence[CollectedSlots], same_homes: bool = True) -> Contrasts:
    """a − b, or with four sides (a − b) − (c − d); `same_homes` where a home may speak on several sides."""
    if len(sides) not in (2, 4):
        raise UsageError("a contrast has two sides, or four")
    names = sides[0].plan.names
    tested = {}
    for name in names:
        test = contrast_test(sides, name, same_homes)
        if test is not None:
            tested[name] = test
    raw = {name: test.p for name, test in tested.items()}
    adjusted = holm(raw)
    answers = {name: test.contrast(adjusted[name], len(tested)) for name, test in tested.items()}
    return Contrasts(tuple(sides), dict.fromkeys(names) | answers)


def contrast_test(sides: Sequence[CollectedSlots], name: str, same_homes: bool = True) -> "ContrastTest | None":
    """The test of one appliance; None where a side has no answer about it."""
    series = [side.series[name] for side in sides]
    if not all(each.period for each in series):
        return None
    bounds = _covariance(sides, name) if same_homes else CovarianceBounds.none(len(sides))
    return ContrastTest.of(series, bounds, _same_draws(sides, name))


@dataclass(frozen=True)
class ContrastTest:
    """The means of every side for each possible tail, and how they err."""

    means: Floats  # sides × tails
    variance: Floats  # sides × tails
    apart: Floats  # sides × sides × tails: the least that their covariance can be, and the most
    together: Floats
    weights: Floats  # of the tails
    middle: int  # the tail in the middle
    coefficients: Floats
    outside: float  # of each end

    @classmethod
    def of(cls, series: Sequence[ApplianceSeries], bounds: CovarianceBounds, same_draws: Mask) -> "ContrastTest":
        tails = _common_tails(series)
        pairs = [_means_by_tail(each, tails.ratios) for each in series]
        means, variance = (np.array(column) for column in zip(*pairs, strict=True))
        known = np.array([max(each.period.watts_variance, 1e-300) for each in series if each.period])
        scale = np.sqrt(variance / known[:, None])  # a heavier tail scales errors, those of sampling too
        spread = scale[:, None, :] * scale[None, :, :]
        shared = np.sqrt(variance[:, None] * variance)
        order = np.argsort(tails.ratios)
        weights = np.broadcast_to(tails.weights, tails.ratios.shape)
        half = int((np.cumsum(weights[order]) < 0.5).sum())
        middle = int(order[min(half, len(order) - 1)])
        return cls(
            means,
            variance,
            bounds.lowest[:, :, None] * spread,
            np.where(same_draws[:, :, None], shared, bounds.highest[:, :, None] * spread),
            np.asarray(weights),
            middle,
            np.array([1.0, -1.0, -1.0, 1.0][: len(series)]),
            OUTSIDE if series[0].real else (1 - CONFIDENCE) / 2,
        )

    @property
    def p(self) -> float:
        """How likely a difference at least as far from zero would be, were there none."""
        below = self._below(0.0, relative=False)
        return min(1.0, 2 * min(below, 1 - below))

    def limits(self, count: int = 1) -> tuple[float, float]:
        """The 95 % limits of the difference, wide enough to hold for `count` differences at once (Bonferroni)."""
        return replace(self, outside=self.outside / count)._ends(relative=False)

    def contrast(self, p_adjusted: float, count: int) -> Contrast:
        value, error = self._sums(0.0, relative=False)
        means = self.means[:, self.middle]
        sure = means[B] > 2 * np.sqrt(self.variance[B, self.middle]) and means[B] > 0
        low, high = self.limits()
        together = self.limits(count)
        percent = [100 * each for each in (value[self.middle] / means[B], *self._ends(relative=True))] if sure else None
        z = NormalDist().inv_cdf(1 - (1 - CONFIDENCE) / 2 / count) + NormalDist().inv_cdf(DETECTION)
        return Contrast(
            means=tuple(means.tolist()),
            difference=float(value[self.middle]),
            low=low,
            high=high,
            p=self.p,
            p_adjusted=p_adjusted,
            percent=float(percent[0]) if percent else None,
            percent_low=percent[1] if percent else None,
            percent_high=percent[2] if percent else None,
            detectable=float(z * error[self.middle]),
            low_together=together[0],
            high_together=together[1],
        )

    def _sums(self, shift: float, relative: bool) -> tuple[Floats, Floats]:
        """Σ c·m, with its error, for each tail: less a `shift`, or less as many times the mean of b."""
        coefficients = self.coefficients.copy()
        coefficients[B] -= shift * relative
        products = np.outer(coefficients, coefficients)[:, :, None]
        covariance = np.where(products < 0, products * self.apart, products * self.together)
        variance = (coefficients[:, None] ** 2 * self.variance).sum(axis=0) + covariance.sum(axis=(0, 1))
        value = coefficients @ self.means - shift * (not relative)
        return value, np.sqrt(np.maximum(variance, 1e-300))

    def _below(self, shift: float, relative: bool) -> float:
        """How sure it is that the contrast lies below `shift`."""
        value, error = self._sums(shift, relative)
        return float((normal_distribution(-value / error) * self.weights).sum())

    def _ends(self, relative: bool) -> tuple[float, float]:
        """The 95 % limits of the difference in watts, or as a part of b."""
        value, error = self._sums(0.0, relative=False)
        base = self.means[B] if relative else np.ones_like(value)
        reach = 12 * (error / np.abs(base)).max() + 1e-9
        around = float(np.min(value / base) - reach), float(np.max(value / base) + reach)
        ends = []
        for part in (self.outside, 1 - self.outside):
            low, high = around
            for _ in range(STEPS):
                middle = (low + high) / 2
                low, high = (middle, high) if self._below(middle, relative) < part else (low, middle)
            ends.append((low + high) / 2)
        return ends[0], ends[1]


def _covariance(sides: Sequence[CollectedSlots], name: str) -> CovarianceBounds:
    """What the errors of the sides may have in common: the homes that were asked on several of them.

    Of the homes asked on one side, m_ab/√(m_a·m_b) are asked on another too.  Turns say how many that is, where
    each home is asked about an appliance in one kind of slot alone.  Kinds of homes that have none in common err apart.
    """
    shared, fewest = shares_homes(sides), np.array([[min(a.homes, b.homes) for b in sides] for a in sides])
    found = bounds_between([side.series[name].compared for side in sides], fewest, *asked_on_both(sides, name))
    return CovarianceBounds(np.where(shared, found.lowest, 0.0), np.where(shared, found.highest, 0.0))


def _same_draws(sides: Sequence[CollectedSlots], name: str) -> Mask:
    """Whether two sides may hold the same answer, whose noise is on both then; not whether a side is itself."""
    drawn = [set(side.drawn_slots(name).tolist()) for side in sides]
    same = np.array([[bool(a & b) for b in drawn] for a in drawn]) & shares_homes(sides)
    np.fill_diagonal(same, False)
    return same


def _common_tails(series: Sequence[ApplianceSeries]) -> Tails:
    """The tails that the reports of all sides together leave."""
    answers = [each.answers for each in series if each.answers is not None]
    if not answers or not series[0].real:
        return Tails.none()
    share = np.mean([each.share[0] for each in answers], axis=0)
    covariance = np.sum([each.covariance[0] for each in answers], axis=0) / len(answers) ** 2
    return Tails.of(series[0].plan, series[0].number, share, covariance)


def _means_by_tail(series: ApplianceSeries, ratios: Floats) -> tuple[Floats, Floats]:
    """One side's mean for each tail, and its variance."""
    assert series.period is not None
    if series.mean is None:
        return np.full(len(ratios), series.period.watts), np.full(len(ratios), series.period.watts_variance)
    assert isinstance(series.answers, AnswerShares)
    mean = MeasuringMean.of(series.plan, series.number, series.answers, Tails.none())
    return mean.for_tails(ratios)


def holm(chances: dict[str, float]) -> dict[str, float]:
    """Chances that allow for being several: the least counts as many times, the next once less, and so on.

    >>> holm({"kettle": 0.01, "oven": 0.04, "tv": 0.02})
    {'kettle': 0.03, 'tv': 0.04, 'oven': 0.04}
    """
    adjusted, most = {}, 0.0
    for place, name in enumerate(sorted(chances, key=chances.__getitem__)):
        most = max(most, min(1.0, (len(chances) - place) * chances[name]))
        adjusted[name] = most
    return adjusted
