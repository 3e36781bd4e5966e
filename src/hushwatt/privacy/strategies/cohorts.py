"""A fleet's strategies: homes in the same state go through it together."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from hushwatt.privacy.strategies.strategy import Strategy


@dataclass(frozen=True)
class Cohorts:
    """The strategy of every home, stored once per distinct state.

    >>> from hushwatt.privacy.strategies.absorb import Absorb
    >>> cohorts = Cohorts.of([Absorb.start(60, 3)] * 2)
    >>> cohorts.after(np.array([True, False])).offers().tolist()
    [10, 20]
    """

    states: tuple[Strategy, ...]
    which: NDArray[np.int32]  # the state of each home

    @classmethod
    def of(cls, strategies: list[Strategy]) -> Self:
        """One strategy per home, equal ones stored once."""
        places: dict[Strategy, int] = {}
        which = [places.setdefault(strategy, len(places)) for strategy in strategies]
        return cls(tuple(places), np.array(which, dtype=np.int32))

    @classmethod
    def alike(cls, strategy: Strategy, homes: int) -> Self:
        """Every home in the same state."""
        return cls((strategy,), np.zeros(homes, dtype=np.int32))

    def each(self, amount: Callable[[Strategy], int]) -> NDArray[np.int64]:
        """What `amount` says of every home's state."""
        return np.array([amount(state) for state in self.states], dtype=np.int64)[self.which]

    def offers(self) -> NDArray[np.int64]:
        return self.each(lambda state: state.offer())

    def probes(self) -> NDArray[np.int64]:
        return self.each(lambda state: state.probe)

    def after(self, published: NDArray[np.bool_]) -> Self:
        """Every home's state in the next slot; equal states meet again."""
        places: dict[Strategy, int] = {}
        following = np.array(
            [places.setdefault(state.after(answer), len(places)) for state in self.states for answer in (False, True)],
            dtype=np.int32,
        )
        seen = np.zeros(len(places), dtype=bool)
        which = following[2 * self.which + published]
        seen[np.unique(which)] = True
        moved = np.cumsum(seen, dtype=np.int32) - 1
        return type(self)(tuple(s for s, here in zip(places, seen, strict=True) if here), moved[which])

    def joined(self, others: Self) -> Self:
        """These homes followed by others."""
        places = {state: place for place, state in enumerate(self.states)}
        moved = np.array([places.setdefault(state, len(places)) for state in others.states], dtype=np.int32)
        return type(self)(tuple(places), np.concatenate([self.which, moved[others.which]]))
