"""The laws of one bit per level: optimised (OUE) and symmetric (SUE) unary encoding.

The true level's bit is reported as 1 with chance `hold`, every other bit with
chance `rise`, each bit on its own.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import prod
from typing import ClassVar

from hushwatt.privacy.laws.law import Budget, exp_below, steps_above


@dataclass(frozen=True)
class BitLaw:
    """How likely a bit is to be reported as 1.

    >>> law = oue(Budget(1), levels=10)
    >>> law.hold, round(float(law.rise), 6)
    (Fraction(1, 2), 0.268941)
    """

    direct: ClassVar[bool] = False

    hold: Fraction  # P[1 → 1], the paper's p
    rise: Fraction  # P[0 → 1], the paper's q
    levels: int

    @property
    def likelihood_ratio(self) -> Fraction:
        """The most that a report can tell two levels of one appliance apart.

        Moving the single 1 changes two bits, hence two factors.  [claim C1]
        """
        return (self.hold / self.rise) * ((1 - self.rise) / (1 - self.hold))

    @property
    def truthful(self) -> Fraction:
        """The chance that the answer is exactly the true one: its bit 1, all others 0."""
        return self.hold * (1 - self.rise) ** (self.levels - 1)

    @property
    def expected_difference(self) -> Fraction:
        """How many bits of an answer are expected to differ from the true ones, (1−p) + (d−1)q."""
        return (1 - self.hold) + (self.levels - 1) * self.rise

    @property
    def correlated(self) -> bool:
        """Every bit is drawn on its own, so the counts of a tally are independent given the truth."""
        return False

    def answers(self) -> Iterator[tuple[int, ...]]:
        """Every answer that one appliance can give."""
        return product((0, 1), repeat=self.levels)

    def chance(self, answer: tuple[int, ...], level: int) -> Fraction:
        """The exact probability of `answer` when `level` is true."""
        ones = [self.hold if place == level else self.rise for place in range(self.levels)]
        return prod((one if bit else 1 - one for one, bit in zip(ones, answer, strict=True)), start=Fraction(1))


def oue(budget: Budget, levels: int) -> BitLaw:
    """Optimised unary encoding: p = 1/2 and q = 1/(1 + e^x), q rounded up.

    >>> oue(Budget(1), 2).likelihood_ratio <= Fraction(271828182846, 10**11)
    True
    """
    rise = steps_above(1 + exp_below(budget))
    return BitLaw(hold=Fraction(1, 2), rise=rise, levels=levels)


def sue(budget: Budget, levels: int) -> BitLaw:
    """Symmetric unary encoding (RAPPOR's): q = 1/(1 + e^(x/2)) rounded up, and p = 1 − q.

    >>> law = sue(Budget(1), 2)
    >>> law.hold + law.rise
    Fraction(1, 1)
    """
    rise = steps_above(1 + exp_below(budget / 2))
    return BitLaw(hold=1 - rise, rise=rise, levels=levels)
