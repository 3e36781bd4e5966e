"""The law of a direct answer (GRR): the true level, or any one of the others.

The answer is a level.  The true one comes with chance `hold`, each other one with
chance `rise`.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from hushwatt.privacy.laws.law import Budget, exp_below, steps_above


@dataclass(frozen=True)
class DirectLaw:
    """How likely each level is to be the answer.

    >>> law = grr(Budget(1), levels=3)
    >>> round(float(law.hold), 6), law.hold + 2 * law.rise
    (0.576117, Fraction(1, 1))
    """

    direct: ClassVar[bool] = True

    hold: Fraction  # P[answer is the true level], the paper's p
    rise: Fraction  # P[answer is one given other level], the paper's q
    levels: int

    @property
    def likelihood_ratio(self) -> Fraction:
        """The most that an answer can tell two levels apart.  [claim C1]"""
        return self.hold / self.rise

    @property
    def truthful(self) -> Fraction:
        """The chance that the answer is the true level."""
        return self.hold

    @property
    def expected_difference(self) -> Fraction:
        """How many cells of the one-hot answer are expected to differ from the true ones, 2(1−p)."""
        return 2 * (1 - self.hold)

    @property
    def correlated(self) -> bool:
        """An answer speaks for one level only, so the counts of a tally depend on each other."""
        return True

    def answers(self) -> Iterator[int]:
        """Every answer that one appliance can give."""
        return iter(range(self.levels))

    def chance(self, answer: int, level: int) -> Fraction:
        """The exact probability of `answer` when `level` is true."""
        return self.hold if answer == level else self.rise


def grr(budget: Budget, levels: int) -> DirectLaw:
    """Generalised randomised response: q = 1/(e^x + d − 1) rounded up, p the rest."""
    rise = steps_above(exp_below(budget) + (levels - 1))
    return DirectLaw(hold=1 - (levels - 1) * rise, rise=rise, levels=levels)
