"""How many ones an honest report can have: what lies outside is refused, and a forger must stay inside."""

from fractions import Fraction
from functools import lru_cache

from hushwatt.privacy.laws import law_for

DOUBT = Fraction(1, 10**9)  # an honest report is refused less often than this


@lru_cache(maxsize=1024)
def band(oracle: str, drawn: int, asked: int, levels: int) -> tuple[int, int]:
    """The numbers of ones between which a report of `asked` appliances stays, but for one in 10⁹.

    One level of each appliance is true and answers 1 with chance p, all others with q, whatever
    the truth is; the distribution of the sum is worked out in whole numbers.

    >>> band("oue", drawn=1_000_000, asked=1, levels=10)
    (0, 10)
    >>> band("oue", drawn=1_000_000, asked=15, levels=150)
    (36, 110)
    """
    law = law_for(oracle, drawn, asked, levels)
    scale = 1 << 64
    hold, rise = (int(chance * scale) for chance in (law.hold, law.rise))
    chances = [1]
    for ones in [hold] * asked + [rise] * (levels - asked):
        chances = [
            stay * (scale - ones) + move * ones
            for stay, move in zip([*chances, 0], [0, *chances], strict=True)
        ]
    allowed = scale**levels * DOUBT / 2
    low, high, below, above = 0, levels, 0, 0
    while below + chances[low] <= allowed:
        below, low = below + chances[low], low + 1
    while above + chances[high] <= allowed:
        above, high = above + chances[high], high - 1
    return low, high
