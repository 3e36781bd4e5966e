"""How many ones an honest unary report has, but for one in 10⁹.

The true level of each appliance answers 1 with chance p, every other one with q, whatever the
truth is: the number of ones is the sum of two binomials.  Their chances are bounded from above,
in whole numbers, so a band is never narrower than the promise allows.
"""

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, partial
from itertools import accumulate

from hushwatt.privacy.laws import law_for

DOUBT = Fraction(1, 10**9)  # an honest report is refused less often than this
CHANCES = 1 << 64  # a law's chances are whole multiples of one in this many
WHOLE = 1 << 192  # the weight of the likeliest number
MOST = 4096  # bands that are remembered

Case = tuple[str, int, int, int]  # oracle, budget, appliances asked about, levels they have together
Band = tuple[int, int]
_remembered: dict[Case, Band] = {}


def band(oracle: str, drawn: int, asked: int, levels: int) -> Band:
    """The numbers of ones between which a report of `asked` appliances stays, but for one in 10⁹.

    >>> band("oue", drawn=1_000_000, asked=1, levels=10)
    (0, 10)
    >>> band("oue", drawn=1_000_000, asked=15, levels=150)
    (36, 110)
    """
    case = (oracle, drawn, asked, levels)
    found = _remembered.get(case)
    if found is None:
        found = _band(*case)
        if len(_remembered) >= MOST:
            _remembered.clear()
        _remembered[case] = found
    return found


def remembers(cases: Iterable[Case]) -> bool:
    """Whether the bands of all cases are at hand."""
    return all(case in _remembered for case in cases)


def _band(oracle: str, drawn: int, asked: int, levels: int) -> Band:
    law = law_for(oracle, drawn, asked, levels)
    hold, rise = (int(chance * CHANCES) for chance in (law.hold, law.rise))
    low = _smallest(Weights.of(asked, hold), Weights.of(levels - asked, rise))
    high = _smallest(Weights.of(asked, CHANCES - hold), Weights.of(levels - asked, CHANCES - rise))
    return low, levels - high


def _smallest(few: "Weights", many: "Weights") -> int:
    """The least number for which `number or less` may be likelier than half the doubt."""
    allowed = DOUBT / 2 * few.total * many.total // 1
    return bisect_right(range(few.count + many.count), allowed, key=partial(_at_most, few, many))


def _at_most(few: "Weights", many: "Weights", number: int) -> int:
    """The weight of two binomials being `number` or less together, from above."""
    inside = sum(weight * many.at_most(number - value) for value, weight in enumerate(few.inside, few.first))
    return inside + few.outside * many.sums[-1]


@dataclass(frozen=True)
class Weights:
    """A binomial's chances, as whole numbers beside WHOLE for its likeliest value.

    Far from that value a weight is less than 1, and counts as 1.
    """

    count: int  # of trials
    first: int  # the first value whose weight is above 1
    inside: list[int]  # weights from there on, rounded up
    total: int  # of all weights, rounded down

    @classmethod
    def of(cls, count: int, chance: int) -> "Weights":
        """The weights of `count` trials, each of which succeeds `chance` times in CHANCES.

        The weight of k + 1 is to that of k as (n − k)·p to (k + 1)·(1 − p).
        """
        mode, fail = min(count, (count + 1) * chance // CHANCES), CHANCES - chance
        more = list(_falling(((count - k) * chance, (k + 1) * fail) for k in range(mode, count)))
        less = list(_falling((k * fail, (count - k + 1) * chance) for k in range(mode, 0, -1)))
        inside = [over for _, over in reversed(less)] + [WHOLE] + [over for _, over in more]
        return cls(count, mode - len(less), inside, WHOLE + sum(under for under, _ in less + more))

    @property
    def outside(self) -> int:
        """The weight of all values that are not inside."""
        return self.count + 1 - len(self.inside)

    @cached_property
    def sums(self) -> list[int]:
        return list(accumulate(self.inside, initial=self.outside))

    def at_most(self, number: int) -> int:
        """The weight of all values up to `number`, from above."""
        return self.sums[max(0, min(number - self.first + 1, len(self.inside)))]


def _falling(steps: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Weights from the likeliest value outwards, rounded down and up, while they are above 1."""
    under = over = WHOLE
    for times, parts in steps:
        under, over = under * times // parts, -(-over * times // parts)
        if over <= 1:
            return
        yield under, over
