"""What forging homes could do to a result: what each counts as at most, and how many swap two ranks.

A plain mean moves as far with every forging home.  One among measuring homes, or of real watts, does not: who
measures and how heavy the tail is move with it.  There every answer that a home may forge is tried on the estimate.
"""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from hushwatt.plan.plan import Plan
from hushwatt.privacy.influence import Reach, dearest_law, heaviest, level_reach, reach, sayings
from hushwatt.provider.estimate.answer_errors import AnswerShares
from hushwatt.provider.estimate.appliance_series import ApplianceSeries
from hushwatt.provider.estimate.array_types import Floats, Integers
from hushwatt.provider.estimate.arrays import SlotTimeline
from hushwatt.provider.estimate.measuring_mean import moved_means

BENT = 0.05  # of a swing, added to it: an honest home may move the mean that much less where it swings to
HALVINGS = 30  # between no home and as many as swap two ranks if each pushes as far as the first


@dataclass(frozen=True)
class PushedMean:
    """The counted slots of one appliance as a forging home weighs in them, and how far its answers reach."""

    plan: Plan
    slots: Integers
    weights: Floats  # of one report in each slot
    watts: Floats  # what each slot says
    reach: Reach

    @property
    def part(self) -> float:
        """What one home weighs in the mean, at most."""
        return heaviest(self.plan, self.slots, self.weights)

    def push(self, up: bool) -> float:
        """By how much one forging home can move the mean, up or down."""
        room = self.reach.high - self.watts if up else self.watts - self.reach.low
        return heaviest(self.plan, self.slots, self.weights * np.maximum(room, 0.0))

    def gain(self, homes: float, up: bool) -> float:
        """How many times as far as one alone each of so many homes moves it, at least once."""
        return 1.0


@dataclass(frozen=True)
class PushedRatio(PushedMean):
    """Likewise of a mean that is no plain sum."""

    number: int
    answers: AnswerShares
    centre: float

    def gain(self, homes: float, up: bool) -> float:
        part = min(max(homes, 1.0) * self.part, 1.0)
        worth = _worth(self.plan, self.number, self.answers, part, sayings(self.plan, self.number))
        many, one = (worth.max(), self.reach.high) if up else (worth.min(), self.reach.low)
        return max(abs(float(many) - self.centre) / max(abs(one - self.centre), 1e-300), 1.0)


def pushed_mean(plan: Plan, series: ApplianceSeries, timeline: SlotTimeline) -> PushedMean:
    """How far forging homes can move the period of an appliance."""
    number, answers, inside = series.number, series.answers, series.slots.counted[timeline.heard_row]
    counted, slots = timeline.heard_row[inside], timeline.heard[inside]
    weights = series.slots.weight[counted] / (series.slots.weight.sum() * series.slots.reports[counted])
    if answers is None:
        return PushedMean(plan, slots, weights, series.slots.watts[counted], reach(plan, number))
    part = heaviest(plan, slots, weights)
    honest = _worth(plan, number, answers, part, np.eye(plan.widths[number]))
    forged = _worth(plan, number, answers, part, sayings(plan, number))
    further = (1 + BENT) * _swing(plan, number, answers, part) / 2 - float(np.ptp(forged)) / 2
    reached = Reach(
        low=float(forged.min()) - further,
        high=float(forged.max()) + further,
        lowest=float(honest.min()),
        highest=float(honest.max()),
        level=level_reach(dearest_law(plan, number)),
    )
    watts = honest.mean() + series.slots.share[counted] @ (honest - honest.mean())
    centre = float(moved_means(plan, number, answers, 0.0, answers.share)[0])
    return PushedRatio(plan, slots, weights, watts, reached, number, answers, centre)


def _swing(plan: Plan, number: int, answers: AnswerShares, part: float) -> float:
    """How far a home that pushes one way can move the mean by pushing the other: reports may hold its own already."""
    says = sayings(plan, number)
    moved = moved_means(plan, number, answers, part, says)
    centre = moved_means(plan, number, answers, 0.0, answers.share)
    back = [answers.share + part * (answers.share - says[place]) for place in (moved.argmin(), moved.argmax())]
    swings = [moved_means(plan, number, answers, 1.0, each + part * (says - answers.share)) for each in back]
    return float(max(np.ptp(moved), *(np.abs(each - centre).max() for each in swings))) / part


def _worth(plan: Plan, number: int, answers: AnswerShares, part: float, says: Floats) -> Floats:
    """What it is worth to say something, when homes that weigh `part` do."""
    centre = moved_means(plan, number, answers, 0.0, answers.share)
    return np.asarray(centre + (moved_means(plan, number, answers, part, says) - centre) / part)


class ForgeryInfluence:
    """How far forging homes can move a period."""

    def __init__(self, plan: Plan, timeline: SlotTimeline, homes: int) -> None:
        self.plan, self.timeline, self.homes = plan, timeline, homes
        self._pushed: dict[str, PushedMean] = {}

    def add(self, name: str, series: ApplianceSeries) -> None:
        """Remember what every counted slot weighs in the period's mean, and what it says."""
        self._pushed[name] = pushed_mean(self.plan, series, self.timeline)

    def influence(self) -> float | None:
        """How many homes one forging home counts as at most, over the appliances; None without an answer."""
        return max((self.homes * each.part * each.reach.homes for each in self._pushed.values()), default=None)

    def homes_to_swap(self, means: dict[str, float]) -> dict[str, float]:
        """For each appliance but the last by `means`: how many homes it takes to put the next one before it.

        At least so many beside those that took part.  One forging home lifts the lower mean by at most
        Σ (F − m)/(T·reports) over its slots, F being the most an answer can count as, and pushes the
        upper one down likewise; more of them thin each other out.
        """
        ranked = sorted(means, key=means.__getitem__, reverse=True)
        return {
            upper: _fewest(means[upper] - means[lower], self._pushed[upper], self._pushed[lower])
            for upper, lower in pairwise(ranked)
        }


def _fewest(gap: float, upper: PushedMean, lower: PushedMean) -> float:
    """The fewest homes that close a gap between two means, if each moves them as far as so many can."""
    rise, fall = lower.push(True), upper.push(False)
    few, many = 0.0, gap / (rise + fall)
    if lower.gain(many, True) == upper.gain(many, False) == 1.0:
        return many
    for _ in range(HALVINGS):
        middle = (few + many) / 2
        closed = middle * (rise * lower.gain(middle, True) + fall * upper.gain(middle, False)) >= gap
        few, many = (few, middle) if closed else (middle, many)
    return few
