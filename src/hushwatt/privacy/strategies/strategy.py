"""The members that every strategy has."""

from typing import Protocol, Self


class Strategy(Protocol):
    """A frozen state machine, one state per slot."""

    @classmethod
    def start(cls, epsilon: int, window: int) -> Self:
        """The state in slot 0, for `epsilon` millionths in any `window` slots."""
        ...

    @property
    def probe(self) -> int:
        """What looking costs, every slot, publication or not."""
        ...

    @property
    def largest(self) -> int:
        """The largest offer that it ever makes."""
        ...

    @property
    def smallest(self) -> int:
        """The smallest offer that it ever makes, or less, but for none at all."""
        ...

    def offer(self) -> int:
        """What a publication would cost, and be drawn with, in this slot."""
        ...

    def after(self, published: bool) -> Self:
        """The state in the next slot."""
        ...

    def ceiling(self, window: int) -> int:
        """What no `window` slots in a row can exceed, by proof rather than by search."""
        ...

    def __hash__(self) -> int: ...
