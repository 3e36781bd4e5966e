"""What a home can hold in one slot, as far as a report can tell.

With `range` an appliance holds a level.  With `dither` the rounding is a coin toss between
two neighbouring levels, made once a slot, so what is held is a mixture of the two.  Where "not
measured" is an answer, it counts as one more level: a home holds it, or not, and never a mixture,
but trying mixtures with it as well misses nothing.
"""

from fractions import Fraction
from functools import lru_cache
from itertools import pairwise, product
from math import prod

from hushwatt.plan.plan import Plan

Mixture = tuple[Fraction, ...]  # the chance of each level of one appliance
Held = tuple[Mixture, ...]  # one mixture per appliance

UPWARDS = Fraction(1, 3)  # a reading a third of the way to the next value


@lru_cache
def mixtures(levels: int, mapping: str) -> tuple[Mixture, ...]:
    """What one appliance can hold: each level, and between neighbours when dithering.

    >>> [tuple(map(str, mixture)) for mixture in mixtures(2, "dither")]
    [('1', '0'), ('0', '1'), ('2/3', '1/3')]
    """
    pure = [tuple(Fraction(place == level) for place in range(levels)) for level in range(levels)]
    if mapping == "range":
        return tuple(pure)
    between = [
        tuple((1 - UPWARDS) * low + UPWARDS * high for low, high in zip(one, following, strict=True))
        for one, following in pairwise(pure)
    ]
    return (*pure, *between)


def holdings(plan: Plan) -> list[Held]:
    """Everything that a home can hold in a slot."""
    return list(product(*(mixtures(width, plan.mapping) for width in plan.widths)))


def chance_of(levels: tuple[int, ...], held: Held) -> Fraction:
    """The chance that what is held counts as exactly these levels."""
    return prod((mixture[level] for level, mixture in zip(levels, held, strict=True)), start=Fraction(1))
