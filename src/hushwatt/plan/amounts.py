"""Amounts of ε, counted in whole millionths and rounded down.

What a home spends is decided on these integers, so that no window can slip
over its promise by a rounding of floats.
"""

from decimal import ROUND_FLOOR, Decimal, InvalidOperation

from hushwatt.errors import PlanError
from hushwatt.plan.shown import shown

MICRO = 1_000_000  # one ε
LARGEST = 1_000_000  # ε; above it there is no privacy left to speak of


def parse_amount(value: object) -> int:
    """Whole millionths of ε in an integer, a decimal or a decimal string, rounded down.

    >>> parse_amount(10), parse_amount(Decimal("0.1")), parse_amount("0.6666666")
    (10000000, 100000, 666666)
    """
    amount = _decimal(value)
    if amount is None or not amount.is_finite():
        raise PlanError(f"{shown(value)} is not an amount of ε; write a number such as 0.5")
    if not 0 <= amount <= LARGEST:
        raise PlanError(f"{shown(value)} is not an amount of ε between 0 and {LARGEST}")
    millionths = int(amount.quantize(Decimal("0.000001"), ROUND_FLOOR).scaleb(6))
    if millionths == 0:
        raise PlanError(f"{shown(value)} is not an amount of ε: it must be at least 0.000001")
    return millionths


def show(amount: int) -> str:
    """An amount with all its digits, for a reader who compares two of them.

    >>> show(600_000)
    'ε 0.600000'
    """
    return f"ε {amount // MICRO}.{amount % MICRO:06d}"


def plain(amount: int) -> str:
    """An amount as one would write it in a plan.

    >>> plain(600_000), plain(10_000_000)
    ('0.6', '10')
    """
    whole, rest = divmod(amount, MICRO)
    return f"{whole}.{rest:06d}".rstrip("0").rstrip(".")


def _decimal(value: object) -> Decimal | None:
    """The number exactly as written; a float is not, so it is no amount."""
    if isinstance(value, bool) or not isinstance(value, int | Decimal | str):
        return None
    try:
        return Decimal(value)
    except InvalidOperation:
        return None
