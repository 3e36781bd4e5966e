"""How an error shows a value from a plan file: short, and on one line."""

from collections.abc import Iterable, Mapping
from difflib import get_close_matches

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


def printable(name: str) -> str:
    """A name from elsewhere, on one line of a terminal: as it is, unless it would do something there.

    >>> printable("oven"), printable("\\x1b[2J")
    ('oven', "'\\\\x1b[2J'")
    """
    return name if name.isprintable() else shown(name)


def nearest(word: str, known: Iterable[str]) -> str:
    """A hint at the known word that is nearest, or nothing.

    >>> nearest("epsilom", ["epsilon", "window"]), nearest("colour", ["epsilon"])
    ("; did you mean 'epsilon'?", '')
    """
    near = get_close_matches(word[:LONGEST], list(known), n=1)
    return f"; did you mean {near[0]!r}?" if near else ""
