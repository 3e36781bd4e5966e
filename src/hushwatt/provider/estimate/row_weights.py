"""Which rows of a timeline an appliance is answered in, and how much each weighs in a period.

For all homes together these are slots with the minimum of speakers, and pools of smaller ones.  A kind of homes has
others, and brings them along.
"""

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from hushwatt.plan.plan import Plan
from hushwatt.provider.estimate.array_types import Floats, Mask
from hushwatt.provider.estimate.arrays import SlotTimeline
from hushwatt.provider.estimate.pooling import pooled_slots, whole_units


class RowWeights(Protocol):
    """Says it of one appliance, by how many homes spoke of it in each row."""

    def known(self, timeline: SlotTimeline, speakers: Floats) -> Mask:
        """The rows that are answered by themselves."""

    def weights(self, timeline: SlotTimeline, speakers: Floats) -> Floats:
        """How much each row that is asked for weighs in a period; 0: not at all."""


@dataclass(frozen=True)
class WholeRows:
    """Of all homes together."""

    plan: Plan

    def known(self, timeline: SlotTimeline, speakers: Floats) -> Mask:
        return np.asarray(timeline.enough & (speakers >= max(self.plan.minimum_homes, 1)))

    def weights(self, timeline: SlotTimeline, speakers: Floats) -> Floats:
        return pooled_slots(self.plan, timeline, speakers) * self._even(timeline, speakers)

    def _even(self, timeline: SlotTimeline, speakers: Floats) -> Floats:
        """What rows weigh on the timeline; those that count together weigh alike, or two sums would give one away."""
        if np.all(timeline.weight == timeline.weight[:1]):
            return timeline.weight
        weight = timeline.weight.copy()
        for unit in whole_units(self.plan, timeline, speakers):
            weight[unit] = weight[unit].mean()
        return weight
