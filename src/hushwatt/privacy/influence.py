"""What one home that says what it likes can do to a published mean.

Its unit is one home: what an honest home does to the mean when it goes from the lowest level of an appliance
to the highest and stays there.  A forged answer counts for more, because the provider undoes noise that it
does not have; and it counts again as often as the home may speak.  Turns and orders are taken to be kept:
a home speaks in every w-th slot where homes take turns, and about the next s appliances of its order,
but chooses both as suits it.
"""

from dataclasses import dataclass
from functools import lru_cache
from itertools import product

import numpy as np
from numpy.typing import NDArray

from hushwatt.plan.plan import Plan
from hushwatt.privacy.band import band
from hushwatt.privacy.laws import Law, law_for
from hushwatt.privacy.strategies import affordable, rules_of, strategy_for
from hushwatt.privacy.tails import is_real

DAY, MONTH = 86_400, 30  # seconds, days
MOST_CELLS = 4_000  # of a report whose possible numbers of ones are worked out
MOST_SUBSETS = 6  # answers up to which everything that bits can say is gone through
Numbers = NDArray[np.float64]


@dataclass(frozen=True)
class Reach:
    """The watts that one forged answer about an appliance counts as, at the least and at the most."""

    low: float
    high: float
    lowest: float  # of the appliance's levels
    highest: float
    level: float  # homes that it adds to one level: (1−q)/(p−q)

    @property
    def homes(self) -> float:
        """How many homes at the other end of the levels it counts as, or at one level where that is more."""
        width = self.highest - self.lowest
        return max((self.high - self.lowest) / width, (self.highest - self.low) / width, self.level)


def reach(plan: Plan, appliance: int, worth: Numbers | None = None) -> Reach:
    """What a forged answer about the appliance with this number can count as, when answers are `worth` so much.

    A mean is v̄ + Σ y·(v − v̄)/(p − q) over the answers y for each level: one of them for a direct answer, any
    number of ones that the inbox lets pass for bits.  The less it was drawn with, the more it counts.
    """
    values = level_worth(plan, appliance) if worth is None else worth
    law = dearest_law(plan, appliance)
    step = 1 / float(law.hold - law.rise)
    away = np.sort(values - values.mean())
    few, many = _ones(plan, appliance, law)
    upwards = np.concatenate([[0.0], np.cumsum(away[::-1])])[few : many + 1]
    downwards = np.concatenate([[0.0], np.cumsum(away)])[few : many + 1]
    return Reach(
        low=float(values.mean() + step * downwards.min()),
        high=float(values.mean() + step * upwards.max()),
        lowest=float(values.min()),
        highest=float(values.max()),
        level=level_reach(law),
    )


def dearest_law(plan: Plan, appliance: int) -> Law:
    """The law under which one answer about an appliance counts for most: with the smallest budget."""
    return law_for(plan.oracle, smallest_budget(plan), plan.appliances_per_report, plan.widths[appliance])


def level_reach(law: Law) -> float:
    """How many homes an answer adds to the level that it speaks for.

    A direct answer never counts for more than that in a mean either, whatever the answers are worth.
    """
    return float(1 - law.rise) / float(law.hold - law.rise)


def sayings(plan: Plan, appliance: int) -> Numbers:
    """Everything a home may say about an appliance, as the shares of one home that it counts as; a row for each.

    Of bits over many levels, those that speak for all levels above one or below one, "not measured" or not.
    """
    law = dearest_law(plan, appliance)
    (few, many), width = _ones(plan, appliance, law), law.levels
    if law.direct:
        said = np.eye(width)
    elif width <= MOST_SUBSETS:
        said = np.array(list(product((0.0, 1.0), repeat=width)))
    else:
        levels = width - plan.answers_unmeasured
        ends = [[*range(first, last)] for first, last in _ends(levels)]
        both = ends + [[*each, levels] for each in ends] * plan.answers_unmeasured
        said = np.array([np.isin(np.arange(width), each) for each in both], float)
    ones = said.sum(axis=1)
    return np.asarray((said[(few <= ones) & (ones <= many)] - float(law.rise)) / float(law.hold - law.rise))


def _ends(levels: int) -> list[tuple[int, int]]:
    """The lowest and the highest levels, some or all of them."""
    return [(0, last) for last in range(levels + 1)] + [(first, levels) for first in range(1, levels)]


def level_worth(plan: Plan, appliance: int) -> Numbers:
    """The watts of each answer; "not measured" is worth none."""
    values = plan.appliances[appliance].values
    return np.array([*values, *[0.0] * plan.answers_unmeasured])


def _ones(plan: Plan, appliance: int, law: Law) -> tuple[int, int]:
    """How many levels an answer about the appliance may speak for, whatever it says about the others."""
    if law.direct:
        return 1, 1
    width, asked = law.levels, plan.appliances_per_report
    cells = {1: width, len(plan.appliances): plan.width}.get(asked)
    if cells is None or cells > MOST_CELLS:
        return 0, width
    few, many = band(plan.oracle, smallest_budget(plan), asked, cells)
    return max(0, few - (cells - width)), min(width, many)


def smallest_budget(plan: Plan) -> int:
    """The smallest budget that a report can claim to be drawn with, in millionths of ε."""
    return affordable(plan) if rules_of(plan).population else strategy_for(plan).smallest


@lru_cache(maxsize=256)
def report_influence(plan: Plan) -> float:
    """How many homes one report counts as, among those that speak of the same appliance in its slot.

    Where "not measured" is an answer, or estimates are of real watts: whatever the mean and the tail turn out to be.
    """
    return max(_most_homes(plan, number) for number in range(len(plan.appliances)))


def _most_homes(plan: Plan, appliance: int) -> float:
    """What one answer can count as, when nobody knows yet what answers will be worth.

    That is as many homes as at the worst worth of each: the least and the most are at the ends, and for those in
    between, as the reach is convex in each of them, at one end or the other.
    """
    if not plan.answers_unmeasured and not is_real(plan, appliance):
        return reach(plan, appliance).homes
    width = plan.widths[appliance]
    return max(reach(plan, appliance, (np.arange(width) >= low).astype(float)).homes for low in range(1, width))


def influence(plan: Plan, slots: int) -> float:
    """How many homes one forging home counts as in a mean over `slots` slots, when homes are spread evenly.

    A home's part of the mean is N/(T·f) of an honest home's: N answers about an appliance in T slots, in each
    of which a part f of all homes speaks of it.

    >>> from hushwatt.plan.presets import preset
    >>> [round(influence(preset("advised"), slots), 2) for slots in (1, 30, 31)]
    [6.17, 2.06, 2.19]
    """
    return report_influence(plan) * most_answers(plan, slots) / (slots * speaking(plan))


def month(plan: Plan) -> int:
    """The slots of 30 days, at least one and at most all of the plan."""
    return min(max(1, MONTH * DAY // plan.slot.seconds), plan.calendar.slots)


def speaking(plan: Plan) -> float:
    """The least part of all homes that speaks of an appliance in a slot, on average."""
    return plan.appliances_per_report / len(plan.appliances) / rules_of(plan).one_in(plan.window)


def most_answers(plan: Plan, slots: int) -> int:
    """The most slots, of `slots` in a row, in which a home can be heard about one appliance."""
    rules, stride = rules_of(plan), rules_of(plan).stride(plan.window)
    if plan.decision is not None:
        return slots
    if rules.repeats:  # a draw is heard until the next one; the first of them may have begun before
        return min(slots, stride * rotations(plan, (slots + stride - 2) // stride + 1))
    return rotations(plan, -(-slots // stride))


def rotations(plan: Plan, draws: int) -> int:
    """In how many of `draws` draws in a row an appliance can be asked about, ⌈draws·s/n⌉."""
    return min(draws, -(-draws * plan.appliances_per_report // len(plan.appliances)))


def heaviest(plan: Plan, slots: NDArray[np.int64], weights: Numbers) -> float:
    """The most that the weights of the slots in which one home is heard about an appliance add up to.

    `slots` ascend; where one is missing between them it weighs nothing, but takes its turn.
    """
    if not len(slots):
        return 0.0
    if plan.decision is not None:
        return float(weights.sum())
    turns, weights, draws = _draws(plan, slots, weights)
    order = np.lexsort((-weights, turns))
    turns, weights = turns[order], weights[order]
    place = np.arange(len(turns)) - np.searchsorted(turns, turns)  # of each draw among those of its turn, by weight
    heard = place < rotations(plan, draws)
    _, which = np.unique(turns[heard], return_inverse=True)
    return float(np.bincount(which, weights[heard]).max())


def _draws(plan: Plan, slots: NDArray[np.int64], weights: Numbers) -> tuple[NDArray[np.int64], Numbers, int]:
    """What every draw weighs, the turn that a home must have chosen for it, and how many draws a turn has."""
    everywhere, stride = int(slots[-1] - slots[0]) + 1, rules_of(plan).stride(plan.window)
    if not rules_of(plan).repeats:
        return slots % stride, weights, -(-everywhere // stride)
    draws, which = np.unique(slots // stride, return_inverse=True)
    return np.zeros_like(draws), np.bincount(which, weights).astype(float), int(draws[-1] - draws[0]) + 1
