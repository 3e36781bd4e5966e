"""Memoised answers: what they would cost over a lifetime, in exact fractions.

A home draws one permanent answer for every level and keeps it for ever; each report randomises the permanent
answer of the present level afresh.  While a home stays at one level, all its reports together tell at most what
the permanent answer tells.  A home that changes is another matter: this enumerates what its changes tell.  No
plan can name this mechanism; docs/explanation/memoised-answers.md says why.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, lru_cache, partial
from itertools import pairwise, product, starmap
from math import prod

from hushwatt.plan.amounts import MICRO
from hushwatt.privacy.laws import RESOLUTION, Budget
from hushwatt.privacy.laws.direct import DirectLaw, grr

Row = tuple[int, ...]  # how often each answer was given at one level
Table = tuple[Row, ...]  # a row for each level


@dataclass(frozen=True)
class MemoisedHome:
    """One appliance's permanent answers, and the fresh one of every report; both direct (GRR).

    >>> home = memoised_home(permanent=2_000_000, fresh=500_000, levels=2)
    >>> round(float(home.permanent.hold), 6), round(float(home.fresh.hold), 6)
    (0.880797, 0.622459)
    """

    permanent: DirectLaw
    fresh: DirectLaw

    @property
    def levels(self) -> int:
        return self.fresh.levels

    def chance(self, stream: Row, answers: Row) -> Fraction:
        """The chance of these answers for this stream of levels: every set of permanent answers in turn.

        Slow and plain; `weight_of` is the quick road to the same number.
        """
        return sum((self._with(kept, stream, answers) for kept in self._memories()), Fraction(0))

    def _memories(self) -> Iterator[Row]:
        return product(range(self.levels), repeat=self.levels)

    def _with(self, kept: Row, stream: Row, answers: Row) -> Fraction:
        drawn = prod((self.permanent.chance(each, level) for level, each in enumerate(kept)), start=Fraction(1))
        pairs = zip(stream, answers, strict=True)
        return drawn * prod((self.fresh.chance(answer, kept[level]) for level, answer in pairs), start=Fraction(1))

    def weight_of(self, table: Table) -> int:
        """The chance of any transcript with these counts, as a whole multiple of 2^−64 for every draw.

        Each level has its own permanent answer: P(r|x) = Π_v Σ_b P∞(b|v) Π_a P₁(a|b)^n(v,a), with n(v,a) the
        times that a was answered at level v.
        """
        return prod(_row_weight(self, level, row) for level, row in enumerate(table))


def memoised_home(permanent: int, fresh: int, levels: int) -> MemoisedHome:
    """A home with ε∞ = `permanent` and ε₁ = `fresh`, in millionths."""
    return MemoisedHome(grr(Budget(permanent, MICRO), levels), grr(Budget(fresh, MICRO), levels))


def _row_weight(home: MemoisedHome, level: int, row: Row) -> int:
    """The answers at one level, over its permanent answer; a level that was never held has its permanent one too."""
    hold, rise = _steps(home.fresh.hold), _steps(home.fresh.rise)
    given = ((kept, _steps(home.permanent.chance(kept, level))) for kept in range(home.levels))
    return sum(drawn * hold ** row[kept] * rise ** (sum(row) - row[kept]) for kept, drawn in given)


def _steps(chance: Fraction) -> int:
    return int(chance * RESOLUTION)  # a law's chances are whole multiples of 1/RESOLUTION


@dataclass(frozen=True)
class LifetimeRatios:
    """The worst likelihood ratios over so many reports, whatever they say."""

    constant: Fraction  # between two homes that never change
    changing: Fraction  # between any two streams of levels at all


@lru_cache(maxsize=64)  # a year of reports takes seconds
def lifetime_ratios(home: MemoisedHome, reports: int) -> LifetimeRatios:
    """Every pair of streams and every transcript, gone through by their counts.

    A transcript is as likely as any other with the same counts, so one of each kind is enough: for given numbers of
    each answer, the likeliest and the unlikeliest table of counts are the worst pair of streams.  Levels that change
    names with their answers change no chance, so one order of the answers stands for all.
    """
    row_weight = cache(partial(_row_weight, home))  # as `weight_of`, each row once: tables share them
    constant = changing = Fraction(1)
    for answers in _shares(reports, home.levels):
        if any(one > next_one for one, next_one in pairwise(answers)):
            continue
        weights = [prod(starmap(row_weight, enumerate(table))) for table in _tables(answers, home.levels)]
        still = [prod(starmap(row_weight, enumerate(table))) for table in _constant(answers)]
        constant = max(constant, Fraction(max(still), min(still)))
        changing = max(changing, Fraction(max(weights), min(weights)))
    return LifetimeRatios(constant, changing)


def _shares(whole: int, parts: int) -> Iterator[Row]:
    """Every way to write a number as a sum of so many, in order."""
    if parts == 1:
        yield (whole,)
        return
    for first in range(whole + 1):
        for rest in _shares(whole - first, parts - 1):
            yield (first, *rest)


def _tables(answers: Row, levels: int) -> Iterator[Table]:
    """Every table whose columns add up to the answers: at which levels each of them was given."""
    for columns in product(*(list(_shares(count, levels)) for count in answers)):
        yield tuple(zip(*columns, strict=True))


def _constant(answers: Row) -> Iterator[Table]:
    """The tables of the homes that stay at one level."""
    silent = (0,) * len(answers)
    for level in range(len(answers)):
        yield tuple(answers if each == level else silent for each in range(len(answers)))


def noise_of_constant(home: MemoisedHome, reports: int) -> float:
    """The variance that one constant home adds to the share of a level, by so many reports; levels equally common.

    Fresh noise averages out over the reports, the permanent noise never does:
    [E c(1−c)/R + Var c] / ((p∞−q∞)(p₁−q₁))², with c = p₁ or q₁ as the permanent answer is the level or not.
    """
    hold, rise = float(home.fresh.hold), float(home.fresh.rise)
    total = 0.0
    for level in range(home.levels):  # the home's, seen by the estimate of level 0
        kept = float(home.permanent.chance(0, level))
        drawn = kept * hold * (1 - hold) + (1 - kept) * rise * (1 - rise)
        total += drawn / reports + kept * (1 - kept) * (hold - rise) ** 2
    slope = (hold - rise) * float(home.permanent.hold - home.permanent.rise)
    return total / home.levels / slope**2


def noise_without(law: DirectLaw, reports: int) -> float:
    """The same without permanent answers: all of it averages out."""
    hold, rise = float(law.hold), float(law.rise)
    drawn = hold * (1 - hold) + (law.levels - 1) * rise * (1 - rise)
    return drawn / law.levels / reports / (hold - rise) ** 2
