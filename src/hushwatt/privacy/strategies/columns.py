"""The strategies of many homes in columns: a number or two for each home, whatever the window.

Each class is one of the state machines with a column in place of a number.  Homes whose
machine is none of these, or who are all in the same state, are `Cohorts`.
"""

from dataclasses import dataclass, replace
from typing import Any, Self, cast

import numpy as np
from numpy.typing import NDArray

from hushwatt.privacy.charge_lines import ChargeBook, ChargeLines
from hushwatt.privacy.strategies.absorb import Absorb
from hushwatt.privacy.strategies.cohorts import Cohorts
from hushwatt.privacy.strategies.distribute import Distribute
from hushwatt.privacy.strategies.home_strategies import Column, HomeStrategies, Whole
from hushwatt.privacy.strategies.population import PopulationSample
from hushwatt.privacy.strategies.sample import Sample
from hushwatt.privacy.strategies.strategy import Mask, Strategy


def alike(strategy: Strategy, homes: int) -> HomeStrategies:
    """Homes that are all in the state in which this strategy is, in the form that stays small."""
    return in_columns(Cohorts.alike(strategy, homes))


def in_columns(cohorts: Cohorts) -> HomeStrategies:
    """The same homes in the form that stays small, whatever states they will come to."""
    form = COLUMNS.get(type(cohorts.states[0]))
    return cohorts if form is None else form.of(cohorts)


@dataclass(frozen=True)
class Turns(HomeStrategies):
    """LSP and LPU: the turn of each home, which never moves, and how many slots have passed.

    >>> turns = Turns.of(Cohorts.alike(Sample.start(epsilon=60, window=3), 2)).in_turn(np.array([0, 2]))
    >>> turns.offers().tolist(), turns.silent(2).offers().tolist(), turns.silent(2).waits().tolist()
    ([60, 0], [0, 60], [1, 0])
    """

    first: Sample  # at its turn
    turns: NDArray[np.int32]
    now: int = 0  # slots that have passed, going round the window

    @classmethod
    def of(cls, cohorts: Cohorts) -> Self:
        first = cast(Sample, cohorts.states[0]).turn(0)
        return cls(first, cohorts.waits().astype(np.int32))

    def __len__(self) -> int:
        return len(self.turns)

    def offers(self) -> Whole:
        return np.where(self.turns == self.now, self.first.offer(), 0)

    def probes(self) -> Whole:
        return np.full(len(self), self.first.probe)

    def columns(self) -> dict[str, Column]:
        return {"turn": self.waits()}

    def with_columns(self, columns: dict[str, Any]) -> Self:
        return replace(self, turns=columns["turn"].astype(np.int32) % self.first.window, now=0)

    def waits(self) -> Whole:
        return (self.turns.astype(np.int64) - self.now) % self.first.window

    def draw_within(self, slots: int) -> Mask:
        return self.waits() < slots

    def in_turn(self, waits: NDArray[np.integer]) -> Self:
        return replace(self, turns=((waits + self.now) % self.first.window).astype(np.int32))

    def after(self, published: Mask) -> Self:
        return self.silent(1)

    def silent(self, slots: int) -> Self:
        return replace(self, now=(self.now + slots) % self.first.window)

    def joined(self, others: Self) -> Self:
        theirs = (others.waits() + self.now) % self.first.window
        return replace(self, turns=np.concatenate([self.turns, theirs.astype(np.int32)]))

    def reordered(self, order: NDArray[np.intp]) -> Self:
        return replace(self, turns=self.turns[order])

    def state(self, home: int) -> Strategy:
        return self.first.turn(int(self.turns[home]) - self.now)


@dataclass(frozen=True)
class Savings(HomeStrategies):
    """LBA: one number for each home, the shares that it saved or, below zero, the slots that it owes.

    >>> savings = Savings.of(Cohorts.alike(Absorb.start(epsilon=60, window=3), 2))
    >>> savings = savings.silent(1).after(np.array([True, False]))
    >>> savings.offers().tolist(), savings.balance.tolist()
    ([0, 30], [-1, 2])
    """

    first: Absorb  # with nothing saved and nothing owed
    balance: NDArray[np.int32]

    @classmethod
    def of(cls, cohorts: Cohorts) -> Self:
        states = [cast(Absorb, state) for state in cohorts.states]
        balance = np.array([state.saved - state.owed for state in states], dtype=np.int32)
        return cls(replace(states[0], saved=0, owed=0), balance[cohorts.which])

    def __len__(self) -> int:
        return len(self.balance)

    def offers(self) -> Whole:
        return np.where(self.balance < 0, 0, self.first.share * (self.balance + np.int64(1)))

    def probes(self) -> Whole:
        return np.full(len(self), self.first.probe)

    def columns(self) -> dict[str, Column]:
        return {"balance": self.balance}

    def with_columns(self, columns: dict[str, Any]) -> Self:
        most = self.first.window - 1
        return replace(self, balance=np.clip(columns["balance"], -most, most).astype(np.int32))

    def waits(self) -> Whole:
        return np.zeros(len(self), dtype=np.int64)

    def draw_within(self, slots: int) -> Mask:
        return self.silent(slots - 1).offers() > 0

    def in_turn(self, waits: NDArray[np.integer]) -> Self:
        return self  # everybody may publish in every slot

    def after(self, published: Mask) -> Self:
        spent = published & (self.balance >= 0)
        return replace(self, balance=np.where(spent, -self.balance, self.silent(1).balance))

    def silent(self, slots: int) -> Self:
        """A silent slot pays back one that is owed, or saves a share, of which there are at most w − 1."""
        later = np.minimum(self.balance + np.int64(slots), self.first.window - 1)
        return replace(self, balance=later.astype(np.int32))

    def joined(self, others: Self) -> Self:
        return replace(self, balance=np.concatenate([self.balance, others.balance]))

    def reordered(self, order: NDArray[np.intp]) -> Self:
        return replace(self, balance=self.balance[order])

    def state(self, home: int) -> Strategy:
        balance = int(self.balance[home])
        return replace(self.first, saved=max(balance, 0), owed=max(-balance, 0))


@dataclass(frozen=True)
class Halves(HomeStrategies):
    """LBD: what each home published with in the last w − 1 slots, a line for each publication.

    >>> halves = Halves.of(Cohorts.alike(Distribute.start(epsilon=80, window=3), 2))
    >>> halves = halves.after(np.array([True, False]))
    >>> halves.offers().tolist(), halves.silent(2).offers().tolist(), halves.state(0).recent
    ([10, 20], [20, 20], ((1, 20),))
    """

    first: Distribute  # that has published nothing
    spent: Whole  # what the lines of each home come to
    book: ChargeBook  # their slots counted as `now` is
    now: int = 0

    @classmethod
    def of(cls, cohorts: Cohorts) -> Self:
        states = [cast(Distribute, state) for state in cohorts.states]
        lines = ChargeLines.none()
        for place, state in enumerate(states):
            homes = np.flatnonzero(cohorts.which == place)
            for age, amount in state.recent:
                lines = lines.added(-age, homes, np.full(len(homes), amount, dtype=np.int64))
        first = replace(states[0], recent=())
        return cls(first, lines.sums(len(cohorts)), ChargeBook.of(lines.sorted()))

    def __len__(self) -> int:
        return len(self.spent)

    def offers(self) -> Whole:
        epsilon, window = self.first.epsilon, self.first.window
        enough = epsilon - 2 * self.spent >= -(-epsilon // window)
        return np.where(enough, (epsilon // 2 - self.spent) // 2, 0)

    def probes(self) -> Whole:
        return np.full(len(self), self.first.probe)

    def columns(self) -> dict[str, Column]:
        return {"published": self.book.lines.later(-self.now)}

    def with_columns(self, columns: dict[str, Any]) -> Self:
        lines: ChargeLines = columns["published"].since(1 - self.first.window)
        return replace(self, spent=lines.sums(len(self)), book=ChargeBook.of(lines), now=0)

    def waits(self) -> Whole:
        return np.zeros(len(self), dtype=np.int64)

    def draw_within(self, slots: int) -> Mask:
        return self.silent(slots - 1).offers() > 0

    def in_turn(self, waits: NDArray[np.integer]) -> Self:
        return self  # everybody may publish in every slot

    def after(self, published: Mask) -> Self:
        offers = self.offers()
        who = np.flatnonzero(published & (offers > 0)).astype(np.int32)
        spent = self.spent.copy()
        spent[who] += offers[who]
        return replace(self, spent=spent, book=self.book.added(self.now, who, offers[who])).silent(1)

    def silent(self, slots: int) -> Self:
        """What is older than w − 1 slots is forgotten."""
        now = self.now + slots
        oldest = now - self.first.window + 1
        gone = self.book.before(oldest)
        spent = self.spent - gone.sums(len(self)) if len(gone) else self.spent
        return replace(self, now=now, spent=spent, book=self.book.since(oldest))

    def joined(self, others: Self) -> Self:
        homes = len(self) + np.arange(len(others), dtype=np.int32)
        theirs = others.book.lines.later(self.now - others.now).moved(homes)
        book = ChargeBook.of(self.book.lines.followed_by(theirs).sorted())
        return replace(self, spent=np.concatenate([self.spent, others.spent]), book=book)

    def reordered(self, order: NDArray[np.intp]) -> Self:
        places = np.empty(len(self), dtype=np.int32)
        places[order] = np.arange(len(self), dtype=np.int32)
        return replace(self, spent=self.spent[order], book=self.book.moved(places))

    def state(self, home: int) -> Strategy:
        lines = self.book.lines
        mine = lines.homes == home
        ages = (self.now - lines.slots[mine].astype(np.int64)).tolist()
        return replace(self.first, recent=tuple(zip(ages, lines.amounts[mine].tolist(), strict=True)))


COLUMNS: dict[type[Strategy], type[Turns] | type[Savings] | type[Halves]] = {
    Sample: Turns,
    PopulationSample: Turns,
    Absorb: Savings,
    Distribute: Halves,
}
