"""How an error shows a value from a plan file: short, and on one line."""

from collections.abc import Mapping

LONGEST = 60
LARGEST = 10**LONGEST


def shown(value: object) -> str:
    """A value as its author would recognise it.

    >>> shown("lbx"), shown(True), shown([1, 2]), shown(10**99)
    ("'lbx'", 'true', 'a list', 'a very large number')
    """
    if isinstance(value, Mapping):
        return "a table"
    if isinstance(value, list):
        return "a list"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int) and abs(value) >= LARGEST:
        return "a very large number"  # Python may refuse to write it out
    text = repr(value) if isinstance(value, str) else str(value)
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"
