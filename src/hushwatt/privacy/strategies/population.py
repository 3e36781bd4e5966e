"""LPU, LPD and LPA: the same strategies, with the homes shared out over the slots instead of ε.

Each home speaks at most once in a window, with all of ε (docs/proofs/population-division.md).
"""

from typing import ClassVar

from hushwatt.plan.plan import Plan
from hushwatt.privacy.strategies.absorb import Absorb
from hushwatt.privacy.strategies.distribute import Distribute
from hushwatt.privacy.strategies.sample import Sample, enough_turns
from hushwatt.privacy.strategies.strategy import Mask, Strategy, Whole


class PopulationSample(Sample):
    """LPU: each home speaks in every w-th slot, from a phase of its own, and is silent in between."""

    population: ClassVar[bool] = True
    repeats: ClassVar[bool] = False

    def amounts_fit(self, slot: Whole, spent: Whole, drawn: Whole) -> Mask:
        return Strategy.amounts_fit(self, slot, spent, drawn)

    @classmethod
    def advised(cls, plan: Plan, homes: int, slots: int) -> bool:
        """Turns leave 1/w of the homes in a slot; in a published period there must be enough to show it."""
        return enough_turns(plan, homes)


class PopulationDistribute(Distribute):
    """LPD: homes in place of millionths; a publication takes half of those that are left."""

    population: ClassVar[bool] = True
    repeats: ClassVar[bool] = False

    @classmethod
    def one_in(cls, window: int) -> int:
        """As few of the homes publish as the smallest offer has."""
        return 4 * window


class PopulationAbsorb(Absorb):
    """LPA: homes in place of millionths; a publication takes those that were saved up."""

    population: ClassVar[bool] = True
    repeats: ClassVar[bool] = False

    @classmethod
    def one_in(cls, window: int) -> int:
        """As few of the homes publish as the smallest offer has."""
        return 2 * window
