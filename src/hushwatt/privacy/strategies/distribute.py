"""LBD: half of what is left for each publication."""

from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

from hushwatt.privacy.strategies.strategy import Mask, Strategy, Whole


@dataclass(frozen=True)
class Distribute(Strategy):
    """LBD: a publication may take half of what the window still has to give.

    Half of ε pays for the probes.  Of the other half, an offer is half of what the
    last w − 1 slots left.  Offers fall towards zero, where one answer would outweigh
    thousands, so below ε/4w there is none.

    >>> slot = Distribute.start(epsilon=80, window=3)
    >>> slot.probe, slot.offer(), slot.after(True).offer(), slot.after(True).after(True).offer()
    (13, 20, 10, 0)
    """

    repeats: ClassVar[bool] = True

    epsilon: int
    window: int
    recent: tuple[tuple[int, int], ...] = ()  # publications of the last w − 1 slots: slots ago, amount; oldest first

    @classmethod
    def start(cls, epsilon: int, window: int) -> Self:
        return cls(epsilon, window)

    @classmethod
    def from_fields(cls, fields: dict[str, Any]) -> Self:
        """From its fields; older ones have an amount for each of the last w − 1 slots, oldest first."""
        recent = fields["recent"]
        if not all(isinstance(each, tuple) for each in recent):
            recent = tuple((len(recent) - place, amount) for place, amount in enumerate(recent) if amount)
        return cls(**fields | {"recent": recent})

    @property
    def probe(self) -> int:
        return self.epsilon // (2 * self.window)

    @property
    def largest(self) -> int:
        return self.epsilon // 2 // 2

    @property
    def smallest(self) -> int:
        """ε/4w, below which there is no offer, but for two roundings down."""
        return max(1, -(-self.epsilon // (4 * self.window)) - 1)

    def offer(self) -> int:
        spent = sum(amount for _, amount in self.recent)
        left = self.epsilon - 2 * spent  # four times the offer, before it is rounded down
        return (self.epsilon // 2 - spent) // 2 if self.window * left >= self.epsilon else 0

    def after(self, published: bool) -> Self:
        spent = self.offer() if published else 0
        return replace(self, recent=(*self.recent, (0, spent))).silent(1) if spent else self.silent(1)

    def silent(self, slots: int) -> Self:
        older = ((age + slots, amount) for age, amount in self.recent)
        return replace(self, recent=tuple(each for each in older if each[0] < self.window))

    def amounts_fit(self, slot: Whole, spent: Whole, drawn: Whole) -> Mask:
        """A probe, and what was published with: from ε/4w, below which nothing is offered, to ε/4."""
        inside = (4 * self.window * (drawn + 1) >= self.epsilon) & (4 * drawn <= self.epsilon) & (drawn > 0)
        fit: Mask = ((spent == self.probe) | (spent == self.probe + drawn)) & inside
        return fit

    def ceiling(self, window: int) -> int:
        """Probes, and half of ε for every w slots: offers take only part of what the half has left."""
        return window * self.probe + -(-window // self.window) * (self.epsilon // 2)
