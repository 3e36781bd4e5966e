"""The strategies of many homes at once: the same questions, answered for each of them."""

from abc import ABC, abstractmethod
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from hushwatt.privacy.charge_lines import ChargeLines
from hushwatt.privacy.strategies.strategy import Mask, Strategy

Whole = NDArray[np.int64]
Column = NDArray[np.integer] | ChargeLines  # a number for each home, or some lines for each


class HomeStrategies(ABC):
    """A frozen state of every home; what it costs to keep does not grow with the window."""

    @abstractmethod
    def __len__(self) -> int:
        """How many homes there are."""

    @abstractmethod
    def offers(self) -> Whole:
        """What a publication would cost each home in this slot."""

    @abstractmethod
    def probes(self) -> Whole:
        """What looking costs each home."""

    @abstractmethod
    def waits(self) -> Whole:
        """How many slots each home waits for its turn, where it has turns."""

    @abstractmethod
    def draw_within(self, slots: int) -> Mask:
        """Which homes have something on offer in one of so many slots, if they publish in none."""

    @abstractmethod
    def in_turn(self, waits: NDArray[np.integer]) -> Self:
        """The same homes, each with its turn so many slots from now."""

    @abstractmethod
    def after(self, published: Mask) -> Self:
        """Every home's state in the next slot."""

    @abstractmethod
    def silent(self, slots: int) -> Self:
        """Every home's state after so many slots in which nobody published."""

    @abstractmethod
    def columns(self) -> dict[str, Column]:
        """What differs from home to home, by name, as seen from this slot."""

    @abstractmethod
    def with_columns(self, columns: dict[str, Any]) -> Self:
        """The same, with these columns."""

    @abstractmethod
    def joined(self, others: Self) -> Self:
        """These homes followed by others."""

    @abstractmethod
    def reordered(self, order: NDArray[np.intp]) -> Self:
        """The same homes in another order."""

    @abstractmethod
    def state(self, home: int) -> Strategy:
        """The strategy of one home."""
