"""Two stretches of time or kinds of homes against each other: by how much an appliance's watts differ, and how surely.

A contrast is a sum of means with coefficients: a − b, or (a − b) − (c − d).  Noise is drawn apart for every
report, so errors add up; but where the same homes speak on both sides, their habits are on both sides too.
Tallies cannot show how, so the covariance is bounded by all that homes could do, and the end is taken that
makes the contrast less sure.  Where watts are real, one law of the tail above the top holds on all sides, and
every law counts as likely as the reports of all sides leave it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from hushwatt.errors import UsageError
from hushwatt.provider.estimate.array_types import Mask
from hushwatt.provider.estimate.collected import CollectedSlots
from hushwatt.provider.estimate.contrasts.score_test import B, ContrastTest
from hushwatt.provider.estimate.intervals import CONFIDENCE
from hushwatt.provider.estimate.ranking.common_homes import asked_on_both, shares_homes
from hushwatt.provider.estimate.ranking.covariance import CovarianceBounds, bounds_between

DETECTION = 0.8  # the chance with which a difference that is called detectable would be seen


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
    answers = {name: _contrast(test, adjusted[name], len(tested)) for name, test in tested.items()}
    return Contrasts(tuple(sides), dict.fromkeys(names) | answers)


def contrast_test(sides: Sequence[CollectedSlots], name: str, same_homes: bool = True) -> ContrastTest | None:
    """The test of one appliance; None where a side has no answer about it."""
    series = [side.series[name] for side in sides]
    if not all(each.period for each in series):
        return None
    bounds = _covariance(sides, name) if same_homes else CovarianceBounds.none(len(sides))
    return ContrastTest.of(series, bounds, _same_draws(sides, name))


def _contrast(test: ContrastTest, p_adjusted: float, count: int) -> Contrast:
    """What the test of one of `count` appliances says."""
    base = float(test.means[B, test.middle])
    low, high = test.limits()
    together = test.limits(count)
    percent = test.percent_limits() if test.base_is_sure else None
    z = NormalDist().inv_cdf(1 - (1 - CONFIDENCE) / 2 / count) + NormalDist().inv_cdf(DETECTION)
    return Contrast(
        means=tuple(test.means[:, test.middle].tolist()),
        difference=test.difference,
        low=low,
        high=high,
        p=test.p,
        p_adjusted=p_adjusted,
        percent=100 * test.difference / base if percent else None,
        percent_low=percent[0] if percent else None,
        percent_high=percent[1] if percent else None,
        detectable=z * test.error,
        low_together=together[0],
        high_together=together[1],
    )


def _covariance(sides: Sequence[CollectedSlots], name: str) -> CovarianceBounds:
    """What the errors of the sides may have in common: the homes that were asked on several of them.

    Kinds of homes that have none in common err apart.
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
