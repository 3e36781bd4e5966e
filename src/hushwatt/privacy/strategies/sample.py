"""LSP and LPU: the whole budget in one slot of every window, at a fixed phase."""

from dataclasses import dataclass, replace
from typing import Self


@dataclass(frozen=True)
class Sample:
    """Speaks with ε every w-th slot; the phase never moves.

    LSP: all homes in slots 0, w, 2w, …, and they repeat themselves in between.
    LPU: each home from its own phase, and silent in between (docs/proofs/population-division.md).

    >>> slot = Sample.start(epsilon=60, window=2)
    >>> slot.offer(), slot.after(True).offer(), slot.after(True).after(False).offer()
    (60, 0, 60)
    >>> Sample.start(epsilon=60, window=2).turn(1).offer()
    0
    """

    epsilon: int
    window: int
    wait: int = 0  # slots until its turn

    @classmethod
    def start(cls, epsilon: int, window: int) -> Self:
        return cls(epsilon, window)

    def turn(self, slots: int) -> Self:
        """The same, with its turn `slots` from now."""
        return replace(self, wait=slots % self.window)

    @property
    def probe(self) -> int:
        return 0

    @property
    def largest(self) -> int:
        return self.epsilon

    @property
    def smallest(self) -> int:
        return self.epsilon

    def offer(self) -> int:
        return 0 if self.wait else self.epsilon

    def after(self, published: bool) -> Self:
        return self.turn(self.wait - 1)

    def ceiling(self, window: int) -> int:
        """One turn in every w slots."""
        return -(-window // self.window) * self.epsilon
