"""Who speaks of what in which slot, in numbers: homes of a kind instead of one home after the other.

Homes that read the same belong to one kind.  Turns and orders are random and
know nothing of kinds, so how many homes of each kind have a turn, or a place
for an appliance in their order, is a hypergeometric or a multinomial number.
It is drawn once and kept, as every home keeps its turn and its order.
"""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from hushwatt.plan.plan import Plan
from hushwatt.privacy.rotation import has_turns
from hushwatt.privacy.strategies import rules_of

Counts = NDArray[np.int64]


@dataclass
class TurnCounts:
    """How many homes of each kind speak, slot by slot."""

    plan: Plan
    first: int  # the first slot
    turns: Counts  # turns × kinds: how many homes of a kind have that turn
    random: np.random.Generator = field(repr=False)
    orders: dict[tuple[int, int], "OrderCounts"] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, plan: Plan, kinds: Counts, first: int, random: np.random.Generator) -> "TurnCounts":
        """So many homes of each kind begin to report in slot `first`."""
        turns = even_turns(kinds, plan.window, random) if has_turns(plan) else kinds[None, :]
        return cls(plan, first, turns, random)

    def draw_of(self, slot: int) -> tuple[int, int] | None:
        """Whose turn it is in a slot, and how many times they have spoken before; None when nobody draws."""
        stride, since = rules_of(self.plan).stride(self.plan.window), slot - self.first
        if has_turns(self.plan):
            return since % stride, since // stride
        begin = -(-self.first // stride) * stride  # all homes speak in the first slot and every so many
        return (0, (slot - begin) // stride) if slot % stride == 0 else None

    def of_appliance(self, appliance: int, turn: int, before: int) -> Counts:
        """How many homes of each kind name an appliance when it is their turn."""
        asked, appliances = self.plan.appliances_per_report, len(self.plan.appliances)
        if asked == appliances:
            return np.asarray(self.turns[turn])
        places = (before * asked + np.arange(asked)) % appliances
        order = self.orders.setdefault((appliance, turn), OrderCounts(self.turns[turn]))
        order.draw(int(places.max()) + 1, appliances, self.random)
        return np.asarray(np.sum([order.by_place[place] for place in places], axis=0))


@dataclass
class OrderCounts:
    """The place of one appliance in the orders of homes with one turn, in numbers of homes of each kind."""

    left: Counts  # homes whose place for it is not drawn yet
    by_place: list[Counts] = field(default_factory=list)  # for each place: homes that have it there

    def draw(self, count: int, appliances: int, random: np.random.Generator) -> None:
        """Draw the first `count` places, unless they are.

        Of the homes that have it at none of the first k places, 1/(n − k) have it at the next.
        """
        for before in range(len(self.by_place), count):
            homes: Counts = np.asarray(random.binomial(self.left, 1 / (appliances - before)))
            self.by_place.append(homes)
            self.left = self.left - homes


def even_turns(kinds: Counts, window: int, random: np.random.Generator) -> Counts:
    """Deal homes of several kinds into `window` turns of equal size, at random.

    What does not divide goes to some of the turns, one home each, chosen by chance.

    >>> even_turns(np.array([4, 3]), 2, np.random.default_rng(1)).sum(axis=1).tolist() in ([3, 4], [4, 3])
    True
    """
    whole, over = divmod(int(kinds.sum()), window)
    sizes = np.full(window, whole)
    sizes[random.permutation(window)[:over]] += 1
    left, turns = kinds.copy(), np.empty((window, len(kinds)), dtype=np.int64)
    for turn, size in enumerate(sizes):
        turns[turn] = random.multivariate_hypergeometric(left, size, method="marginals")
        left -= turns[turn]
    return turns
