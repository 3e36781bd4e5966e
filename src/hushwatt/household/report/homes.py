"""What homes remember between slots: budgets, turns, and the release they stand by.

One home and a whole fleet are the same thing here, a fleet only has more rows.
Nothing in it is a reading: releases and probes are randomised already.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hushwatt.errors import StateError
from hushwatt.household.report.randomise import Randomiser, randomise
from hushwatt.plan.plan import Plan
from hushwatt.privacy.entropy import Entropy, Source, permutations, shuffled
from hushwatt.privacy.kernels import Rows
from hushwatt.privacy.ledger import Ledger
from hushwatt.privacy.rotation import first_place, has_turns, repeats_by_clock
from hushwatt.privacy.strategies import HomeStrategies, alike, rules_of, strategy_for
from hushwatt.wire.payload import Layout, Members

PER_HOME = ("drawn", "releases", "probes", "order", "cursor")  # arrays with a row for each home


@dataclass
class Homes:
    """The memory of every home that takes part; `enrol` makes it, `report` moves it on."""

    plan: Plan
    slot: int  # the next slot to report in
    strategies: HomeStrategies
    ledger: Ledger
    drawn: NDArray[np.int64]  # millionths of ε the home's release was drawn with, 0: no release yet
    releases: Rows | None = None  # the payload each home stands by
    probes: Rows | None = None  # the probe kept from the slot of that release; never sent
    order: Members | None = None  # each home's own order of the appliances, when not all are asked
    cursor: NDArray[np.int64] | None = None  # how far along it is, where the provider says when to draw
    randomiser: Randomiser = randomise  # the one step that sees a level; audits pass another in

    def __len__(self) -> int:
        return len(self.drawn)

    def __repr__(self) -> str:
        return f"<{len(self)} homes before slot {self.slot}>"

    @property
    def layout(self) -> Layout:
        return Layout.of(self.plan)

    def skip_to(self, slot: int) -> None:
        """Let the slots before `slot` pass in silence; they cost nothing."""
        if slot > self.slot:
            self.forget_older_turn(slot - self.slot)
            self.strategies = self.strategies.silent(slot - self.slot)
            self.slot = slot

    def forget_older_turn(self, slots: int = 1) -> None:
        """LSP: whoever misses a draw keeps silent until the next, as all others stand by a newer one."""
        if repeats_by_clock(self.plan):
            self.drawn[self.strategies.draw_within(slots)] = 0

    def next_members(self, who: NDArray[np.intp]) -> Members | None:
        """The s appliances whose turn it is in the order of each home in `who`, in the plan's order.

        The slot alone says which; only where the provider says when to draw, every draw moves on.
        """
        if self.order is None:
            return None
        asked, appliances = self.plan.appliances_per_report, len(self.plan.appliances)
        places = first_place(self.plan, self.slot) + np.arange(asked)[None, :]
        if self.cursor is not None:
            places = self.cursor[who, None] + np.arange(asked)
            self.cursor[who] = (self.cursor[who] + asked) % appliances
        return np.sort(self.order[who[:, None], places % appliances], axis=1)

    def take_place(self, turn: int | None, order: Members) -> None:
        """Let a lone home speak at this turn, in this order, from now on; what it spent stays spent."""
        if turn is not None:
            self.strategies = alike(self.strategies.state(0).turn(turn - self.slot), 1)
        if self.order is not None:
            self.order = order[None, :]
            self.drawn[:] = 0  # what it stood by was about other appliances

    def joined(self, others: "Homes") -> "Homes":
        """These homes followed by others, who are new: what they had spent would be forgotten."""
        if others.slot != self.slot or others.ledger.log.last is not None:
            raise StateError(f"only homes that have not reported yet can join, in slot {self.slot}")
        strategies, ledger = self.strategies.joined(others.strategies), self.ledger.joined(len(others))
        arrays = {name: _below(getattr(self, name), getattr(others, name)) for name in PER_HOME}
        return replace(self, strategies=strategies, ledger=ledger, **arrays)

    def reordered(self, order: NDArray[np.intp]) -> "Homes":
        """The same homes in another order."""
        strategies = self.strategies.reordered(order)
        arrays: dict[str, Any] = {name: rows[order] for name in PER_HOME if (rows := getattr(self, name)) is not None}
        return replace(self, strategies=strategies, ledger=self.ledger.reordered(order), **arrays)


def _below(upper: NDArray[Any] | None, lower: NDArray[Any] | None) -> Any:
    return None if upper is None or lower is None else np.concatenate([upper, lower])


def walked_by_cursor(homes: Homes, cursor: NDArray[np.int64]) -> None:
    """Turn orders of which a cursor said how far each home had come, so that the slot says the same."""
    if homes.order is None or homes.plan.decision is not None:
        homes.cursor = cursor
        return
    waits = homes.strategies.waits()
    kinds, places = np.unique(waits, return_inverse=True)
    firsts = np.array([first_place(homes.plan, homes.slot + int(wait)) for wait in kinds])[places]
    appliances = homes.order.shape[1]
    turned = (cursor[:, None] - firsts[:, None] + np.arange(appliances)) % appliances
    homes.order = np.take_along_axis(homes.order, turned, axis=1)


def turns_taken(homes: Homes) -> NDArray[np.int64]:
    """How many homes wait 0, 1, … slots for their turn; nothing when there are no turns."""
    if not has_turns(homes.plan):
        return np.zeros(homes.plan.window, dtype=np.int64)
    return np.bincount(homes.strategies.waits(), minlength=homes.plan.window)


def enrol(plan: Plan, count: int, slot: int, source: Source, taken: NDArray[np.int64] | None = None) -> Homes:
    """`count` new homes that report from `slot` on, beside others whose turns are `taken`.

    Turns and orders are drawn at random, never from the data or from the order of enrolment.
    """
    blank = np.zeros((count, Layout.of(plan).size), dtype=np.uint8)
    order = cursor = None
    if plan.appliances_per_report < len(plan.appliances):
        entropy = source.stream("order", slot)
        order = permutations(count, len(plan.appliances), entropy).astype(np.uint16)
        cursor = None if plan.decision is None else np.zeros(count, dtype=np.int64)
    return Homes(
        plan=plan,
        slot=slot,
        strategies=_strategies(plan, count, slot, source, taken),
        ledger=Ledger.of(plan, count),
        drawn=np.zeros(count, dtype=np.int64),
        releases=blank if rules_of(plan).repeats else None,
        probes=blank.copy() if plan.decision == "household" else None,
        order=order,
        cursor=cursor,
    )


def _strategies(plan: Plan, count: int, slot: int, source: Source, taken: NDArray[np.int64] | None) -> HomeStrategies:
    first = strategy_for(plan)
    if has_turns(plan):
        sizes = np.zeros(plan.window, dtype=np.int64) if taken is None else taken
        turns = even_turns(sizes, count, source.stream("turns", slot))
        return alike(first, count).in_turn(turns)
    return alike(first.turn(-slot), count)  # in step with all others


def even_turns(sizes: NDArray[np.integer], count: int, entropy: Entropy) -> NDArray[np.intp]:
    """`count` turns in random order that leave the groups as even as they can be.

    Where one more turn fits several groups alike, chance chooses among them.

    >>> from hushwatt.privacy.entropy import OperatingSystem
    >>> sorted(even_turns(np.array([3, 1, 1]), 4, OperatingSystem()).tolist())
    [1, 1, 2, 2]
    """
    low, high = 0, int(sizes.max(initial=0)) + count
    while low < high:  # the lowest height to which all groups can be filled
        middle = (low + high + 1) // 2
        if np.maximum(middle - sizes, 0).sum() <= count:
            low = middle
        else:
            high = middle - 1
    added = np.maximum(low - sizes, 0)
    lowest = np.flatnonzero(sizes + added == low)
    left = lowest[shuffled(len(lowest), entropy)][: count - int(added.sum())]
    return np.concatenate([np.repeat(np.arange(len(sizes)), added), left])[shuffled(count, entropy)]
