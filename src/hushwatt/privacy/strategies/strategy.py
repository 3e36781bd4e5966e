"""What every strategy says of itself: its budget, and the rules of its method."""

from abc import ABC, abstractmethod
from typing import Any, ClassVar, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from hushwatt.plan.plan import Plan

Mask = NDArray[np.bool_]
Whole = NDArray[np.int64]
Slot = TypeVar("Slot", int, Whole)


class Strategy(ABC):
    """A frozen state machine, one state per slot; its class knows the rules of its method."""

    population: ClassVar[bool] = False  # the homes are shared out over the slots, rather than ε
    repeats: ClassVar[bool] = False  # a home sends its last release again in slots in which it draws none

    @classmethod
    @abstractmethod
    def start(cls, epsilon: int, window: int) -> Self:
        """The state in slot 0, for `epsilon` millionths in any `window` slots."""

    @property
    @abstractmethod
    def probe(self) -> int:
        """What looking costs, every slot, publication or not."""

    @property
    @abstractmethod
    def largest(self) -> int:
        """The largest offer that it ever makes."""

    @property
    @abstractmethod
    def smallest(self) -> int:
        """The smallest offer that it ever makes, or less, but for none at all."""

    @abstractmethod
    def offer(self) -> int:
        """What a publication would cost, and be drawn with, in this slot."""

    @abstractmethod
    def after(self, published: bool) -> Self:
        """The state in the next slot."""

    def silent(self, slots: int) -> Self:
        """The state after so many slots in which nothing was published."""
        state = self
        for _ in range(slots):
            state = state.after(False)
        return state

    def draws_within(self, slots: int) -> bool:
        """Whether something is on offer in one of so many slots, this one the first, if none is published in."""
        return any(self.silent(later).offer() for later in range(slots))

    @classmethod
    def from_fields(cls, fields: dict[str, Any]) -> Self:
        """The state that has these fields."""
        return cls(**fields)

    @abstractmethod
    def ceiling(self, window: int) -> int:
        """What no `window` slots in a row can exceed, by proof rather than by search."""

    @property
    def wait(self) -> int:
        """Slots until its turn, where it has turns."""
        return 0

    def turn(self, slots: int) -> Self:
        """The same, with its turn `slots` from now; of a start, −s is the state in slot s."""
        return self

    @classmethod
    def stride(cls, window: int) -> int:
        """Slots from one draw of a home to its next, where the clock says when.

        Draws a stride apart cost the same each, and the rotation of appliances moves on with them.
        """
        return window

    @classmethod
    def drawn_in(cls, slot: Slot, window: int) -> Slot:
        """The slot in which a report of `slot` was drawn, where the clock says when.

        >>> from hushwatt.privacy.strategies import STRATEGIES
        >>> STRATEGIES["lsp"].drawn_in(5, window=3), STRATEGIES["lpu"].drawn_in(5, window=3)
        (3, 5)
        """
        return slot - slot % cls.stride(window) if cls.repeats else slot

    @classmethod
    def groups(cls, window: int) -> int:
        """Into how many groups of homes, of which one speaks in a slot.

        >>> from hushwatt.privacy.strategies import STRATEGIES
        >>> STRATEGIES["lpu"].groups(window=3), STRATEGIES["lsp"].groups(window=3)
        (3, 1)
        """
        return window if cls.population else 1

    @classmethod
    def one_in(cls, window: int) -> int:
        """Of how many homes one is heard in a slot, on average over slots, when the fewest are.

        >>> from hushwatt.privacy.strategies import STRATEGIES
        >>> {name: strategy.one_in(window=3) for name, strategy in STRATEGIES.items()}
        {'lbu': 1, 'lsp': 1, 'lbd': 1, 'lba': 1, 'lpu': 3, 'lpd': 12, 'lpa': 6}
        """
        return 1 if cls.repeats else cls.stride(window)

    def amounts_fit(self, slot: Whole, spent: Whole, drawn: Whole) -> Mask:
        """Which reports cost what a home that started in this state can pay in their slot."""
        fit: Mask = (spent == drawn) & (drawn >= self.smallest) & (drawn <= self.largest)
        return fit

    @classmethod
    def advised(cls, plan: Plan, homes: int, slots: int) -> bool:
        """Whether advice tries the method, here that of `plan`, for so many homes and slots."""
        return False
