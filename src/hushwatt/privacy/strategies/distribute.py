"""LBD: half of what is left for each publication."""

from dataclasses import dataclass, replace
from typing import Self


@dataclass(frozen=True)
class Distribute:
    """LBD: a publication may take half of what the window still has to give.

    Half of ε pays for the probes.  Of the other half, an offer is half of what the
    last w − 1 slots left.  Offers fall towards zero, where one answer would outweigh
    thousands, so below ε/4w there is none.

    >>> slot = Distribute.start(epsilon=80, window=3)
    >>> slot.probe, slot.offer(), slot.after(True).offer(), slot.after(True).after(True).offer()
    (13, 20, 10, 0)
    """

    epsilon: int
    window: int
    recent: tuple[int, ...]  # what the last w − 1 slots published with, oldest first

    @classmethod
    def start(cls, epsilon: int, window: int) -> Self:
        return cls(epsilon, window, recent=(0,) * (window - 1))

    @property
    def probe(self) -> int:
        return self.epsilon // (2 * self.window)

    def offer(self) -> int:
        offer = (self.epsilon // 2 - sum(self.recent)) // 2
        return offer if 4 * self.window * offer >= self.epsilon else 0

    def after(self, published: bool) -> Self:
        spent = self.offer() if published else 0
        return replace(self, recent=(*self.recent, spent)[1:])
