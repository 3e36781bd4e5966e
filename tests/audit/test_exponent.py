"""Whether a ratio is at most e^x is decided exactly."""

from decimal import Decimal, localcontext
from fractions import Fraction
from math import inf, log

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hushwatt.audit.exponent import at_most, exp_between, loss

budgets = st.fractions(min_value=Fraction(1, 10**8), max_value=60, max_denominator=10**8)


def exp(exponent):
    """e^x to 100 digits, by another road."""
    with localcontext() as context:
        context.prec = 110
        return Fraction((Decimal(exponent.numerator) / Decimal(exponent.denominator)).exp())


@given(exponent=budgets, bits=st.sampled_from([64, 128, 256]))
def test_encloses(exponent, bits):
    """The two fractions lie on either side of e^x, no further apart than was asked."""
    below, above = exp_between(exponent, bits)

    assert below < exp(exponent) < above
    assert (above - below) / above < Fraction(1, 2**bits)


@given(exponent=budgets)
def test_tells_the_last_digit(exponent):
    """A ratio a hair below e^x passes and one a hair above does not."""
    hair = Fraction(1, 10**90)

    assert at_most(exp(exponent) * (1 - hair), exponent)
    assert not at_most(exp(exponent) * (1 + hair), exponent)


@pytest.mark.parametrize("ratio, answer", [(Fraction(1), True), (Fraction(10**9 + 1, 10**9), False)])
def test_nothing_spent_nothing_told(ratio, answer):
    """With no budget at all the only ratio allowed is 1."""

    assert at_most(ratio, Fraction(0)) is answer


def test_loss():
    """A ratio's loss is its logarithm, exact to the last float, and infinite when there is none."""

    assert loss(Fraction(3, 2)) == pytest.approx(log(1.5), abs=1e-16)
    assert loss(Fraction(10**30 + 1, 10**30)) == pytest.approx(1e-30, rel=1e-12)
    assert loss(None) == inf
