"""How far a long reading has come, as one fraction from 0 to 1."""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass
class Progress:
    """Tells `tell` how much of `total` is done, between two fractions of the whole work.

    >>> progress = Progress(print, total=10, start=0.5, stop=1.0)
    >>> progress.reached(5)
    0.75
    >>> progress.passed(10)
    1.0
    """

    tell: Callable[[float], object] | None
    total: float
    start: float
    stop: float
    done: float = 0.0

    def reached(self, amount: float) -> None:
        """So much has been done since the last piece was passed."""
        if self.tell and self.total:
            share = min(1.0, (self.done + amount) / self.total)
            self.tell(self.start + (self.stop - self.start) * share)

    def passed(self, amount: float) -> None:
        """A piece of this size is done."""
        self.done += amount
        self.reached(0)
