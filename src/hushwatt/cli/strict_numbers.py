"""Numbers on the command line mean what they say: 1.5 homes are refused, not rounded."""

import math
from collections.abc import Sequence
from typing import Any

from cyclopts import CoercionError, Token, convert


def strict_number(kind: Any, tokens: Sequence[Token]) -> Any:
    """Give what the words say as a `kind`; whole numbers must be whole, and all must be finite."""
    value = convert(kind, tokens)
    if kind is int and not _says(tokens[0].value, value):
        raise CoercionError(token=tokens[0], target_type=int)
    if kind is float and not math.isfinite(value):
        raise CoercionError(token=tokens[0], target_type=float)
    return value


def _says(word: str, number: int) -> bool:
    """Whether `word` is exactly this whole number, in decimal digits.

    >>> _says("1_000", 1000), _says("1.5", 2)
    (True, False)
    """
    try:
        return int(word) == number
    except ValueError:
        return False
