"""Many homes in few states: the state machines of a fleet, each run once."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from hushwatt.privacy.strategies.home_strategies import Column, HomeStrategies
from hushwatt.privacy.strategies.strategy import Strategy


@dataclass(frozen=True)
class Cohorts(HomeStrategies):
    """The strategy of every home, stored once per distinct state.

    It holds any strategy, and is small while homes share few states.

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

    def __len__(self) -> int:
        return len(self.which)

    def each(self, amount: Callable[[Strategy], int]) -> NDArray[np.int64]:
        """What `amount` says of every home's state."""
        return np.array([amount(state) for state in self.states], dtype=np.int64)[self.which]

    def offers(self) -> NDArray[np.int64]:
        return self.each(lambda state: state.offer())

    def probes(self) -> NDArray[np.int64]:
        return self.each(lambda state: state.probe)

    def waits(self) -> NDArray[np.int64]:
        return self.each(lambda state: state.wait)

    def draw_within(self, slots: int) -> NDArray[np.bool_]:
        return self.each(lambda state: state.draws_within(slots)).astype(bool)

    def in_turn(self, waits: NDArray[np.integer]) -> Self:
        return type(self).of([self.state(home).turn(wait) for home, wait in enumerate(waits.tolist())])

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

    def silent(self, slots: int) -> Self:
        """Every home's state after so many slots in which nobody published; equal states meet again."""
        places: dict[Strategy, int] = {}
        moved = [places.setdefault(state.silent(slots), len(places)) for state in self.states]
        return type(self)(tuple(places), np.array(moved, dtype=np.int32)[self.which])

    def columns(self) -> dict[str, Column]:
        return {"cohort": self.which}

    def with_columns(self, columns: dict[str, Any]) -> Self:
        return replace(self, which=columns["cohort"].astype(np.int32))

    def joined(self, others: Self) -> Self:
        """These homes followed by others."""
        places = {state: place for place, state in enumerate(self.states)}
        moved = np.array([places.setdefault(state, len(places)) for state in others.states], dtype=np.int32)
        return type(self)(tuple(places), np.concatenate([self.which, moved[others.which]]))

    def reordered(self, order: NDArray[np.intp]) -> Self:
        return replace(self, which=self.which[order])

    def state(self, home: int) -> Strategy:
        return self.states[int(self.which[home])]
