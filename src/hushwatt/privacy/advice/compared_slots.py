"""Two sides that are to be compared, and what their difference will err by: the law that `compare` judges it by.

The closed form of `provider/estimate/contrasts`: the noise of the answers on both sides, which homes were asked, and
the worst that habits of homes asked on both sides could do (docs/proofs/turns.md).
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hushwatt.plan.plan import Plan
from hushwatt.privacy.rotation import has_turns, part_asked, parts_asked_on_both, take_turns
from hushwatt.privacy.strategies import rules_of

Slots = NDArray[np.int64]


@dataclass(frozen=True)
class ComparedSlots:
    """The slots of two sides, of the same homes or of two groups of equal size."""

    a: Slots
    b: Slots
    groups: bool

    @classmethod
    def of_groups(cls, slots: int) -> "ComparedSlots":
        """Two halves of the homes in the same slots."""
        return cls(np.arange(slots), np.arange(slots), groups=True)

    @classmethod
    def of_stretches(cls, slots: int) -> "ComparedSlots":
        """The same homes in two stretches of so many slots, one after the other."""
        return cls(np.arange(slots), np.arange(slots, 2 * slots), groups=False)

    @property
    def homes(self) -> float:
        """The part of all homes on each side."""
        return 0.5 if self.groups else 1.0


@dataclass(frozen=True)
class AskedSide:
    """How one side asks about an appliance, for every home there is."""

    answers: float  # drawn afresh, that are as sure as those of the side
    sampling: float  # the weight of how homes differ, as not all are asked
    finite: bool  # whether that has the correction for a finite population

    @classmethod
    def of(cls, plan: Plan, slots: Slots, homes: float) -> "AskedSide":
        """When a part of all `homes` is asked in these slots."""
        drawn, repeats = np.unique(rules_of(plan).drawn_in(slots, plan.window), return_counts=True)
        once = plan.appliances_per_report / len(plan.appliances) / (plan.window if has_turns(plan) else 1)
        turns, fresh = take_turns(plan, drawn), once * len(drawn)
        again = max(1.0, fresh / part_asked(plan, drawn))
        answers = homes * once * len(slots) ** 2 / float(repeats @ repeats)
        return cls(answers, (1.0 if turns else 1 - once) * again / answers, not turns)


@dataclass(frozen=True)
class DifferenceLaw:
    """What noise, the spread of homes, and the worst of their habits weigh in the variance of a difference."""

    noise: float
    spread: float
    shared: float  # of homes asked on both sides
    same: float  # the part of it that is one home's on both sides, at most
    other: float  # and the part that is of homes asked apart

    @classmethod
    def of(cls, plan: Plan, compared: ComparedSlots) -> "DifferenceLaw":
        """For a single home; for more it is as much less."""
        sides = [AskedSide.of(plan, slots, compared.homes) for slots in (compared.a, compared.b)]
        noise = sum(1 / side.answers for side in sides)
        least = 1.0 if plan.mapping == "dither" else 0.0  # levels are drawn at random too, anew each time
        varied = sum(max(side.sampling, least / side.answers) for side in sides)
        shared = (sides[0].sampling * sides[1].sampling) ** 0.5
        if compared.groups or not shared:
            return cls(noise, varied, 0.0, 0.0, 0.0)
        fewest, most = (float(each[0, 1]) for each in parts_asked_on_both(plan, [compared.a, compared.b]))
        finite = any(side.finite for side in sides)
        return cls(noise, varied, shared, most, (1 - fewest) * min(1 / shared, 1.0) if finite else 0.0)

    def variance(self, noise: float, differ: float, above: float) -> float:
        """Of the difference of an appliance, with one answer's noise, how homes differ, and their mean above none."""
        together = self.same * min(above**2, differ) + self.other * differ
        return self.noise * noise + self.spread * differ + 2 * self.shared * min(together, differ)
