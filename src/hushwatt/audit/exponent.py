"""Is a ratio at most e^x?  Decided in whole numbers, never by a float.

e^x is enclosed between two fractions by its series, as closely as the question needs.
The laws round theirs with decimals; this is another road to the same number.
"""

from decimal import Decimal, localcontext
from fractions import Fraction
from math import inf


def at_most(ratio: Fraction, exponent: Fraction) -> bool:
    """Whether `ratio` ≤ e^`exponent`, exactly.

    >>> at_most(Fraction(271828182845904523, 10**17), Fraction(1))
    True
    >>> at_most(Fraction(271828182845904524, 10**17), Fraction(1))
    False
    """
    if exponent == 0:
        return ratio <= 1
    bits = 128
    while True:  # e^x is irrational, so some number of bits tells
        below, above = exp_between(exponent, bits)
        if ratio <= below:
            return True
        if ratio >= above:
            return False
        bits *= 2


def exp_between(exponent: Fraction, bits: int) -> tuple[Fraction, Fraction]:
    """Two fractions with e^x between them, about 2^−bits of it apart, for x ≥ 0.

    e^x = (e^y)^(2^k) with y ≤ 1/2, and e^y by its series: what is left after N terms is
    at most twice the N-th.

    >>> below, above = exp_between(Fraction(1), 64)
    >>> below < above, float(below)
    (True, 2.718281828459045)
    """
    halvings = (2 * exponent).__ceil__().bit_length()
    places = bits + 2 * halvings + 16
    one, small = 1 << places, exponent / 2**halvings
    below = above = least = most = one  # whole multiples of 2^−places; `least` ≤ term ≤ `most`
    count = 0
    while most > 1:
        count += 1
        least = least * small.numerator // (small.denominator * count)
        most = -(-most * small.numerator // (small.denominator * count))
        below, above = below + least, above + most
    above += 2 * most
    for _ in range(halvings):
        below, above = below * below >> places, -(-above * above >> places)
    return Fraction(below, one), Fraction(above, one)


def loss(ratio: Fraction | None) -> float:
    """The ε that a likelihood ratio amounts to, ln `ratio`; None stands for an infinite one.

    >>> loss(Fraction(2)), loss(None)
    (0.6931471805599453, inf)
    """
    if ratio is None:
        return inf
    with localcontext() as context:
        context.prec = 60
        return float((Decimal(ratio.numerator) / Decimal(ratio.denominator)).ln())
