"""Find a number in a message."""

import json
from typing import Any

UNAVAILABLE = ("unavailable", "unknown", "none", "nan", "null", "")


class Malformed(ValueError):
    """A message that is not what its sender should send; says what, never the content."""


def document(payload: bytes) -> Any:
    """The JSON of a message."""
    try:
        return json.loads(payload)
    except (ValueError, RecursionError):
        raise Malformed("its message is not JSON") from None


def at(found: Any, path: str) -> Any:
    """What stands at a path such as ENERGY.Power or $.channels.0.power, or None.

    >>> at({"ENERGY": {"Power": [3, 4]}}, "ENERGY.Power.1"), at({}, "ENERGY.Power")
    (4, None)
    """
    for step in path.removeprefix("$").strip(".").split(".") if path.strip("$.") else ():
        if isinstance(found, dict):
            found = found.get(step)
        elif isinstance(found, list) and step.isdigit() and int(step) < len(found):
            found = found[int(step)]
        else:
            return None
    return found


def number(value: Any) -> float | None:
    """A number, also one in quotes; a list is summed; None where the sender says there is none.

    >>> number("12.5"), number([1, 2]), number("unavailable")
    (12.5, 3.0, None)
    """
    if isinstance(value, list):
        parts = [number(each) for each in value]
        return (
            None if any(part is None for part in parts) else sum(part for part in parts if part is not None)
        )
    if value is None or (isinstance(value, str) and value.strip().lower() in UNAVAILABLE):
        return None
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise Malformed("its message has something else where a number should be")
    try:
        return float(value)
    except (ValueError, OverflowError):
        raise Malformed("its message has a text where a number should be") from None


def bare(payload: bytes) -> str:
    """A message that is nothing but a word or a number, with or without quotes."""
    try:
        text = payload.decode()
    except UnicodeDecodeError:
        raise Malformed("its message is not text") from None
    return text.strip().strip('"')
