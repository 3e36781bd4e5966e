"""A scenario: one kind of trouble, one promise, and what one case of it does."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

Case = Callable[[int, Path], None]
"""Given a seed and an empty folder, makes trouble and checks the promise; a broken one is a Fault."""


@dataclass(frozen=True)
class Scenario:
    """Trouble that comes in cases, each decided by its seed alone."""

    name: str  # the file's, with dashes
    promise: int  # its number in docs/claims.md
    says: str  # what holds in every case, in one sentence
    quick: int  # how many of `unit` the tests go through
    full: int  # the number aimed at, of `unit`
    case: Case
    each: int = 1  # how many of `unit` one case makes up
    unit: str = "cases"

    def cases(self, number: int) -> int:
        """How many cases make up a number of `unit`, rounded up."""
        return -(-number // self.each)
