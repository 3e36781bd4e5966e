"""What every law has in common, and how a tally is undone.

The two probabilities of a law are whole multiples of 1/2⁶⁴: one draw compares 64
random bits, so the numbers in the proof are the numbers in the sampler.
"""

from collections.abc import Iterator
from decimal import Decimal, localcontext
from fractions import Fraction
from math import ceil
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

RESOLUTION = 1 << 64
Budget = Fraction  # what one appliance is asked with, in whole ε


class Law(Protocol):
    """How one appliance's level becomes an answer.

    Every answer says something about each level (a bit for it, or being it); `hold`
    is the chance of that for the true level, `rise` for each other one.
    """

    @property
    def hold(self) -> Fraction: ...  # the paper's p
    @property
    def rise(self) -> Fraction: ...  # the paper's q
    @property
    def levels(self) -> int: ...  # the paper's d
    @property
    def likelihood_ratio(self) -> Fraction: ...
    @property
    def truthful(self) -> Fraction: ...
    @property
    def expected_difference(self) -> Fraction: ...
    @property
    def correlated(self) -> bool: ...  # whether answers for one level come at the cost of another's
    @property
    def direct(self) -> bool: ...  # whether an answer is a level's number rather than a bit for each level
    def answers(self) -> Iterator[Any]: ...
    def chance(self, answer: Any, level: int) -> Fraction: ...


def exp_below(exponent: Fraction) -> Fraction:
    """e^x, at most 1 part in 10⁵⁰ too small, and never too large."""
    with localcontext() as context:
        context.prec = 70
        rounded = (Decimal(exponent.numerator) / Decimal(exponent.denominator)).exp()
    return Fraction(rounded) * (1 - Fraction(1, 10**50))


def steps_above(share: Fraction) -> Fraction:
    """1/`share`, rounded up to whole steps of 1/2⁶⁴: towards more privacy."""
    return Fraction(ceil(RESOLUTION / share), RESOLUTION)


def debias(counts: ArrayLike, reports: ArrayLike, law: Law) -> NDArray[np.float64]:
    """How many households hold each level, judged by the answers for it.

    A level held by c of m households collects c·p + (m − c)·q answers on average;
    this solves for c, and is unbiased.  [claim C3]

    >>> from hushwatt.privacy.laws.unary import BitLaw
    >>> debias([30, 25], 100, BitLaw(Fraction(1, 2), Fraction(1, 4), levels=2))
    array([20.,  0.])
    """
    hold, rise = float(law.hold), float(law.rise)
    return (np.asarray(counts, float) - np.asarray(reports, float) * rise) / (hold - rise)


def noise(counts: ArrayLike, reports: ArrayLike, law: Law) -> NDArray[np.float64]:
    """The variance of each debiased count, given who holds what.

    c holders add p(1−p) each and the others q(1−q); with c replaced by its estimate
    that is (y(1−p−q) + m·p·q)/(p−q)², unbiased and never negative.  [claim C4]

    >>> from hushwatt.privacy.laws.unary import BitLaw
    >>> noise([30, 25], 100, BitLaw(Fraction(1, 2), Fraction(1, 4), levels=2))
    array([320., 300.])
    """
    hold, rise = float(law.hold), float(law.rise)
    spread = np.asarray(counts, float) * (1 - hold - rise) + np.asarray(reports, float) * hold * rise
    return spread / (hold - rise) ** 2
