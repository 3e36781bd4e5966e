"""Which slots count towards a period when only a few homes spoke of an appliance in each.

A slot in which the plan's minimum of homes spoke of an appliance counts by itself.  Smaller
ones count together or not at all: consecutive ones are pooled until that many different
homes have spoken, and a period holds whole pools only.  So every period, and every
difference between two of them, rests on at least the minimum of homes.

Pools are formed forwards in time, from the slots up to the last of each: what comes later
changes none of them.  The proof is docs/proofs/minimum-of-homes.md.
"""

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from hushwatt.plan.plan import Plan
from hushwatt.privacy.rotation import distinct_span
from hushwatt.provider.estimate.array_types import Floats, Mask
from hushwatt.provider.estimate.arrays import SlotTimeline, TallyArrays


def pooled_slots(plan: Plan, timeline: SlotTimeline, speakers: Floats) -> Mask:
    """The slots that count, of those asked for; `speakers` homes spoke of the appliance in each."""
    need = max(plan.minimum_homes, 1)
    counted: Mask = timeline.enough & timeline.requested & (speakers >= need)
    for pool in _small_pools(plan, timeline, speakers):
        counted[pool] = timeline.requested[pool].all()
    return counted


def whole_units(plan: Plan, timeline: SlotTimeline, speakers: Floats) -> list[list[int]]:
    """What counts together wherever it is asked for: slots by themselves, and pools, by the last slot of each."""
    large = np.flatnonzero(timeline.enough & (speakers >= max(plan.minimum_homes, 1)))
    units = [[row] for row in large.tolist()] + _small_pools(plan, timeline, speakers)
    return sorted(units, key=lambda unit: unit[-1])


def _small_pools(plan: Plan, timeline: SlotTimeline, speakers: Floats) -> list[list[int]]:
    """The pools of slots that are too small by themselves."""
    need, span = max(plan.minimum_homes, 1), distinct_span(plan)
    if span == 1:
        return []
    small = np.flatnonzero(timeline.enough & (speakers > 0) & (speakers < need))
    pools = _pools(timeline.slots[small].tolist(), speakers[small].tolist(), need, span, plan.publish)
    return [small[pool].tolist() for pool in pools]


def _pools(slots: list[int], speakers: list[float], need: int, span: int, publish: int = 1) -> Iterator[list[int]]:
    """Places of slots, ascending, that together have `need` speakers within `span` slots.

    Each stands for as many slots as are published together.

    >>> list(_pools([0, 1, 2, 9, 10, 11], [4, 4, 4, 4, 4, 4], need=8, span=3))
    [[0, 1], [3, 4]]
    """
    waiting: deque[int] = deque()
    total = 0.0
    for index, slot in enumerate(slots):
        while waiting and slots[waiting[0]] <= slot + publish - 1 - span:
            total -= speakers[waiting.popleft()]
        waiting.append(index)
        total += speakers[index]
        if total >= need:
            yield list(waiting)
            waiting.clear()
            total = 0.0


def even_answers(plan: Plan, timeline: SlotTimeline, arrays: TallyArrays) -> TallyArrays:
    """The same tallies, but within a pool every report has the pool's mean answers.

    Means stay as they are, and errors tell as little of a single slot as they do: from a mean and its error two slots
    that are pooled could be told apart.
    """
    counts: Floats = arrays.counts.astype(float)
    first = 0
    for reports, width in zip(arrays.reports.T.astype(float), plan.widths, strict=True):
        columns = slice(first, first + width)
        if pools := _small_pools(plan, timeline, timeline.different(reports, distinct_span(plan))):
            counts[:, columns] = _even_counts(pools, timeline, reports, counts[:, columns])
        first += width
    return replace(arrays, counts=counts)


def _even_counts(pools: list[list[int]], timeline: SlotTimeline, reports: Floats, counts: Floats) -> Floats:
    """The counts of every group: in a pool its reports' part of the mean over the pool's rows."""
    rows = np.concatenate(pools)
    pool = np.full(len(timeline.slots), -1)
    pool[rows] = np.repeat(np.arange(len(pools)), [len(each) for each in pools])
    means = np.zeros((len(pools), counts.shape[1]))
    by_row = timeline.sum_by_slot(counts)[rows] / timeline.sum_by_slot(reports)[rows, None]
    np.add.at(means, pool[rows], by_row / np.array([len(pools[number]) for number in pool[rows]])[:, None])
    of_group = pool[timeline.slot_index]
    return np.where(of_group[:, None] >= 0, reports[:, None] * means[of_group], counts)


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
