"""What an estimate says: every number with its uncertainty.

Counts of homes are on the scale of all homes that take part.
"""

from dataclasses import dataclass, field
from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from hushwatt.plan.plan import Plan

Numbers = NDArray[np.float64]


@dataclass(frozen=True)
class Slot:
    """One slot, and how many homes' reports are behind it."""

    slot: int
    start: datetime  # UTC
    as_of: int | None  # the newest slot any of its answers was drawn in
    reports: int
    enough: bool  # whether the plan's minimum of homes is met


@dataclass(frozen=True)
class SlotNumbers:
    """One appliance in every slot; rows that are not `known` mean nothing."""

    known: NDArray[np.bool_]
    levels: Numbers  # homes at each level
    levels_se: Numbers
    low: Numbers  # 95 % limits of each
    high: Numbers
    watts: Numbers  # mean of a home
    watts_se: Numbers


@dataclass(frozen=True)
class PeriodNumbers:
    """One appliance over all slots."""

    levels: Numbers  # homes at each level
    levels_se: Numbers
    watts: float  # mean of a home
    watts_se: float
    low: float  # 95 % limits of the watts
    high: float
    share: float  # of all appliances' watts; NaN when these are zero
    share_low: float
    share_high: float
    rank: int  # 1: the most watts
    rank_best: int
    rank_worst: int


@dataclass(frozen=True)
class Estimates:
    """Everything the provider answers about a period."""

    plan: Plan
    homes: int
    smoothed: bool
    slots: tuple[Slot, ...]
    by_slot: dict[str, SlotNumbers]  # by appliance, in the plan's order
    by_period: dict[str, PeriodNumbers | None]  # None: nobody spoke of it
    influence: float | None = None  # homes that one forging home counts as at most, in any mean of the period
    swap_homes: dict[str, float] = field(default_factory=dict)  # by appliance: forging homes, at least, that
    # put the next one before it

    @property
    def answered(self) -> bool:
        """Whether any slot has enough homes."""
        return any(slot.enough for slot in self.slots)

    @property
    def top(self) -> tuple[str, ...]:
        """The appliances by their mean watts, the most first."""
        ranked = {name: period.rank for name, period in self.by_period.items() if period}
        return tuple(sorted(ranked, key=ranked.__getitem__))
