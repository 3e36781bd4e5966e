"""What forging homes could do to a result: what each counts as at most, and how many swap two ranks."""

from itertools import pairwise

import numpy as np

from hushwatt.plan.plan import Plan
from hushwatt.privacy.influence import Reach, heaviest, reach
from hushwatt.provider.estimate.appliance_series import ApplianceSeries
from hushwatt.provider.estimate.array_types import Floats, Integers
from hushwatt.provider.estimate.arrays import SlotTimeline
from hushwatt.provider.estimate.measuring_mean import forged_worth


class ForgeryInfluence:
    """How far forging homes can move a period: the counted slots of each appliance as one weighs in them."""

    def __init__(self, plan: Plan, timeline: SlotTimeline, homes: int) -> None:
        self.plan, self.timeline, self.homes = plan, timeline, homes
        self._counted: dict[str, tuple[Reach, Integers, Floats, Floats]] = {}

    def add(self, name: str, series: ApplianceSeries) -> None:
        """Remember what every counted slot weighs in the period's mean, and what it says.

        A mean among measuring homes, or of real watts, is taken to first order: as it moves with one forged answer.
        """
        slots, rows = series.slots, self.timeline.heard_row
        counted = rows[slots.counted[rows]]
        weights = 1 / (slots.counted.sum() * slots.reports[counted])
        numbers = self.timeline.heard[slots.counted[rows]]
        if series.answers is None:
            reached, watts = reach(self.plan, series.number), slots.watts[counted]
        else:
            step = heaviest(self.plan, numbers, weights) * float(series.answers.errors.step.max())
            worth = forged_worth(self.plan, series.number, series.answers, step)
            reached = reach(self.plan, series.number, worth)
            watts = worth.mean() + slots.share[counted] @ (worth - worth.mean())
        self._counted[name] = reached, numbers, weights, watts

    def influence(self) -> float | None:
        """How many homes one forging home counts as at most, over the appliances; None without an answer."""
        return max(
            (
                self.homes * heaviest(self.plan, slots, weights) * reached.homes
                for reached, slots, weights, _ in self._counted.values()
            ),
            default=None,
        )

    def homes_to_swap(self, means: dict[str, float]) -> dict[str, float]:
        """For each appliance but the last by `means`: how many homes it takes to put the next one before it.

        At least so many beside those that took part.  One forging home lifts the lower mean by at most
        Σ (F − m)/(T·reports) over its slots, F being the most an answer can count as, and pushes the
        upper one down likewise; more of them thin each other out.
        """
        ranked = sorted(means, key=means.__getitem__, reverse=True)
        return {
            upper: (means[upper] - means[lower]) / (self._push(lower, True) + self._push(upper, False))
            for upper, lower in pairwise(ranked)
        }

    def _push(self, name: str, up: bool) -> float:
        """By how much one forging home can move an appliance's mean, up or down."""
        reached, slots, weights, watts = self._counted[name]
        room = reached.high - watts if up else watts - reached.low
        return heaviest(self.plan, slots, weights * np.maximum(room, 0.0))
