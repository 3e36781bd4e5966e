"""JSON from elsewhere: the one door for it, with bounds, and typed looks at what stands in it.

Whatever comes in, what comes out is a value or one Malformed: no size, no depth and no type
can do more than that.
"""

import json
import re
from math import isfinite
from typing import Any

MAX_BYTES = 1 << 20  # bytes of a document
MAX_DEPTH = 32  # lists and tables in one another
MAX_NUMBER = 400  # characters
DECODER = json.JSONDecoder(parse_constant=lambda name: None)
NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)


class Malformed(ValueError):
    """Something is not what its sender should send; says what, never the content."""


def parse_json(data: bytes, largest: int = MAX_BYTES) -> Any:
    """The value that a document holds; NaN and infinities, which JSON has not, are null.

    >>> parse_json(b'{"power": 3}'), parse_json(b"NaN")
    ({'power': 3}, None)
    >>> parse_json(b"[" * 200_000)
    Traceback (most recent call last):
    ...
    hushwatt.household.untrusted_json.Malformed: is nested too deeply
    """
    if len(data) > largest:
        raise Malformed("is too large")
    try:
        value = DECODER.decode(data.decode("utf-8-sig"))
    except RecursionError:
        raise Malformed("is nested too deeply") from None
    except ValueError:
        raise Malformed("is not JSON") from None
    if data.count(b"[") + data.count(b"{") > MAX_DEPTH and _is_deep(value):
        raise Malformed("is nested too deeply")
    return value


def _is_deep(value: Any) -> bool:
    level, depth = [value], 0
    while level and depth <= MAX_DEPTH:
        depth += 1
        level = [
            inner
            for each in level
            if isinstance(each, dict | list)
            for inner in (each.values() if isinstance(each, dict) else each)
        ]
    return bool(level)


def as_table(value: Any) -> dict[str, Any]:
    """A table, and an empty one in the place of anything else."""
    return value if isinstance(value, dict) else {}


def as_list(value: Any) -> list[Any]:
    """A list, and an empty one in the place of anything else."""
    return value if isinstance(value, list) else []


def as_text(value: Any) -> str:
    """A text, and an empty one in the place of anything else."""
    return value if isinstance(value, str) else ""


def as_count(value: Any) -> int | None:
    """A whole number from 0 to 2^53; None for anything else, true and false included.

    >>> as_count(3), as_count(True), as_count(-1), as_count(10**99), as_count("3")
    (3, None, None, None, None)
    """
    good = isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= 1 << 53
    return value if good else None


def parse_decimal(word: str) -> float:
    """The number that a word is, written in plain ASCII digits and finite.

    >>> parse_decimal(" 12.5 ")
    12.5
    >>> parse_decimal("١٢")
    Traceback (most recent call last):
    ...
    hushwatt.household.untrusted_json.Malformed: has a text where a number should be
    """
    bare = word.strip()
    if len(bare) > MAX_NUMBER or NUMBER.fullmatch(bare) is None:
        raise Malformed("has a text where a number should be")
    return as_finite(float(bare))


def as_finite(value: float) -> float:
    """The same number as a float, if it is one that can be reckoned with."""
    try:
        number = float(value)
    except OverflowError:
        number = float("inf")
    if not isfinite(number):
        raise Malformed("has a number beyond all sense")
    return number
