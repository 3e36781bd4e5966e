"""Find a number in a message."""

from typing import Any

from hushwatt.household.untrusted_json import Malformed, as_finite, parse_decimal, parse_json

UNAVAILABLE_WORDS = ("unavailable", "unknown", "none", "nan", "null", "")
MAX_WORD = 1_000  # characters of a message that is a bare word


def parse_document(payload: bytes) -> Any:
    """The JSON of a message."""
    try:
        return parse_json(payload)
    except Malformed as wrong:
        raise Malformed(f"its message {wrong}") from None


def at_path(found: Any, path: str) -> Any:
    """What stands at a path such as ENERGY.Power or $.channels.0.power, or None.

    >>> at_path({"ENERGY": {"Power": [3, 4]}}, "ENERGY.Power.1"), at_path({}, "ENERGY.Power")
    (4, None)
    """
    for step in path.removeprefix("$").strip(".").split(".") if path.strip("$.") else ():
        found = step_into(found, step)
    return found


def step_into(found: Any, step: str) -> Any:
    """One step of a path: what a table or a list has there, or None; the step itself may contain dots.

    >>> step_into({"switch:0": 3}, "switch:0"), step_into([1, 2], "1"), step_into(7, "0"), step_into([1], "²")
    (3, 2, None, None)
    """
    if isinstance(found, dict):
        return found.get(step)
    if isinstance(found, list) and step.isascii() and step.isdigit() and len(step) < 10:
        return found[int(step)] if int(step) < len(found) else None
    return None


def parse_number(value: Any) -> float | None:
    """A number, also one in quotes; a list is summed; None where the sender says there is none.

    >>> parse_number("12.5"), parse_number([1, 2]), parse_number("unavailable")
    (12.5, 3.0, None)
    """
    if isinstance(value, list):
        parts = [parse_number(each) for each in value]
        known = [part for part in parts if part is not None]
        return as_finite(sum(known)) if known and len(known) == len(parts) else None
    if value is None or (isinstance(value, str) and value.strip().lower() in UNAVAILABLE_WORDS):
        return None
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise Malformed("its message has something else where a number should be")
    try:
        return parse_decimal(value) if isinstance(value, str) else as_finite(value)
    except Malformed as wrong:
        raise Malformed(f"its message {wrong}") from None


def plain_word(payload: bytes) -> str:
    """A message that is nothing but a word or a number, with or without quotes."""
    try:
        text = payload[: MAX_WORD + 1].decode()
    except UnicodeDecodeError:
        raise Malformed("its message is not text") from None
    if len(text) > MAX_WORD:
        raise Malformed("its message is too long for a number or a word")
    return text.strip().strip('"')
