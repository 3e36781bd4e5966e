"""Amounts are exact, and rounded towards the household."""

from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hushwatt.errors import PlanError
from hushwatt.plan.amounts import LARGEST, MICRO, parse_amount, plain, show

AMOUNTS = st.integers(1, LARGEST * MICRO)


@given(AMOUNTS)
def test_plain_reads_back(amount):
    """What `plain` writes is the same amount, as a string and as a decimal."""

    assert parse_amount(plain(amount)) == amount
    assert parse_amount(Decimal(plain(amount))) == amount


@given(AMOUNTS)
def test_show_has_all_digits(amount):
    """`show` always has six decimals, so that two amounts line up."""
    symbol, digits = show(amount).split()

    assert symbol == "ε"
    assert digits[-7] == "."
    assert parse_amount(digits) == amount


@given(st.decimals(min_value="0.000001", max_value=LARGEST, places=40))
def test_rounded_down(value):
    """However many digits are written, the amount is never above them and less than a millionth below."""
    amount = parse_amount(value)

    assert 0 <= Fraction(value) * MICRO - amount < 1


def test_many_digits_do_not_round_up():
    """Forty nines stay below ten: no context of 28 digits may round them up."""

    assert parse_amount("9." + "9" * 40) == 9_999_999


def test_whole_numbers():
    """An integer is that many ε."""

    assert parse_amount(10) == 10 * MICRO


@pytest.mark.parametrize("value", ["many", "", "NaN", "sNaN", "Infinity", True, 0.5, None, [1], "1 000"])
def test_not_an_amount(value):
    """Words, floats, booleans and infinities are no amounts."""
    with pytest.raises(PlanError, match="is not an amount of ε; write a number such as"):
        parse_amount(value)


@pytest.mark.parametrize(
    "value", [-1, "-0.5", LARGEST + 1, "1e999999", Decimal("1e999999999"), pytest.param(10**5000, id="huge")]
)
def test_out_of_range(value):
    """Negative and absurd amounts are refused at once, however long they would be to write out."""
    with pytest.raises(PlanError, match="is not an amount of ε between 0 and 1000000"):
        parse_amount(value)


@pytest.mark.parametrize("value", [0, "0", "0.0000009", Decimal("1e-999999999"), "-0"])
def test_nothing_left_after_rounding(value):
    """An amount must still be one after rounding down."""
    with pytest.raises(PlanError, match=r"it must be at least 0.000001"):
        parse_amount(value)
