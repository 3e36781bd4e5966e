"""LSP: the whole budget in one slot of every window, at a fixed phase."""

from dataclasses import dataclass, replace
from typing import ClassVar, Self

import numpy as np

from hushwatt.plan.phases import aliases
from hushwatt.plan.plan import Plan
from hushwatt.privacy.strategies.strategy import Mask, Strategy, Whole


@dataclass(frozen=True)
class Sample(Strategy):
    """LSP: speaks with ε every w-th slot, and repeats itself in between; the phase never moves.

    All homes draw in slots 0, w, 2w, …

    >>> slot = Sample.start(epsilon=60, window=2)
    >>> slot.offer(), slot.after(True).offer(), slot.after(True).after(False).offer()
    (60, 0, 60)
    >>> Sample.start(epsilon=60, window=2).turn(1).offer()
    0
    """

    repeats: ClassVar[bool] = True

    epsilon: int
    window: int
    wait: int = 0  # slots until its turn

    @classmethod
    def start(cls, epsilon: int, window: int) -> Self:
        return cls(epsilon, window)

    def turn(self, slots: int) -> Self:
        """The same, with its turn `slots` from now."""
        return replace(self, wait=slots % self.window)

    def amounts_fit(self, slot: Whole, spent: Whole, drawn: Whole) -> Mask:
        """A repeat costs nothing."""
        price = np.where(slot == self.drawn_in(slot, self.window), self.epsilon, 0)
        fit: Mask = (drawn == self.epsilon) & (spent == price)
        return fit

    @classmethod
    def advised(cls, plan: Plan, homes: int, slots: int) -> bool:
        """Where homes are too few to take turns, if their slots come to all hours and weekdays."""
        return not enough_turns(plan, homes) and not aliases(plan, slots)

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

    def silent(self, slots: int) -> Self:
        return self.turn(self.wait - slots)

    def draws_within(self, slots: int) -> bool:
        return self.wait < slots

    def ceiling(self, window: int) -> int:
        """One turn in every w slots."""
        return -(-window // self.window) * self.epsilon


def enough_turns(plan: Plan, homes: int) -> bool:
    """Whether homes that take turns are enough in a published period for it to be shown.

    >>> from hushwatt.plan.presets import preset
    >>> enough_turns(preset("advised"), homes=300), enough_turns(preset("advised"), homes=299)
    (True, False)
    """
    return homes * min(plan.publish, plan.window) // plan.window >= plan.minimum_homes
