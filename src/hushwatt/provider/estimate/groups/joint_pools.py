"""Which slots count together when homes are divided into groups: the same ones for all groups.

What counts by itself for all homes together is a unit: a slot, or slots that are pooled.  Consecutive units are joined
until homes may be divided by the values of their labels, within a stretch in which no home speaks twice; then the next
joint pool begins.  A group pooled over two slots whose complement were told slot by slot would be given away.

Pools are formed forwards in time and for all questions alike.  What a whole stretch did not bring is not waited for
again until some stretches later.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from hushwatt.plan.plan import Plan
from hushwatt.privacy.rotation import distinct_span
from hushwatt.provider.estimate.array_types import Floats, Indices, Integers, Mask
from hushwatt.provider.estimate.arrays import SlotTimeline
from hushwatt.provider.estimate.groups.partitions import NOBODY, Partitions, PoolSpeakers, answers, partitions
from hushwatt.provider.estimate.pooling import whole_units

PATIENCE = 8  # stretches after which everything is waited for again


@dataclass(frozen=True)
class CellSpeakers:
    """How many homes of each cell spoke of one appliance, in every row of a timeline."""

    different: Floats  # rows × cells: at least
    present: Mask  # rows × cells: whether anybody did

    @classmethod
    def of(
        cls, timeline: SlotTimeline, group: Indices, cell: Integers, cells: int, speakers: Floats, span: int
    ) -> "CellSpeakers":
        """From the `speakers` of every group of homes and cell.

        A row longer than `span` slots counts those in which most spoke, the same ones for all cells.
        """
        heard = len(timeline.heard)
        flat = timeline.heard_index[group] * cells + cell
        in_slot: Floats = np.bincount(flat, weights=speakers, minlength=heard * cells).astype(float)
        in_slot = in_slot.reshape(heard, cells)
        if heard == len(timeline.slots):
            return cls(in_slot, in_slot > 0)
        sums = np.concatenate([np.zeros((1, cells)), np.cumsum(in_slot, axis=0)])
        begin = np.searchsorted(
            timeline.heard, np.maximum(timeline.heard - span + 1, timeline.slots[timeline.heard_row])
        )
        window = sums[1:] - sums[begin]
        last = np.zeros(len(timeline.slots), dtype=np.intp)
        for place in np.lexsort((-np.arange(heard), window.sum(axis=1))).tolist():
            last[timeline.heard_row[place]] = place
        present = np.zeros((len(timeline.slots), cells), dtype=bool)
        np.logical_or.at(present, timeline.heard_row, in_slot > 0)
        return cls(window[last], present)


@dataclass(frozen=True)
class JointPool:
    """Rows that count together for every group, and how homes may be divided in them."""

    rows: list[int]
    partitions: Partitions
    speakers: Floats  # of each cell


@dataclass(frozen=True)
class JointPools:
    """All joint pools of one appliance."""

    pool_of: Indices  # of each row of the timeline; −1: of none
    sizes: Indices  # rows of each pool
    speakers: Floats  # pools × cells
    kinds: tuple[Partitions, ...]  # the different ways in which homes may be divided
    kind_of: Indices  # of each pool

    @classmethod
    def of(cls, plan: Plan, timeline: SlotTimeline, spoke: CellSpeakers, codes: Indices) -> "JointPools":
        """From how many of each cell spoke in every row."""
        walk = _Walk(plan, timeline, spoke, codes)
        pools = list(walk.pools(whole_units(plan, timeline, spoke.different.sum(axis=1))))
        pool_of = np.full(len(timeline.slots), -1, dtype=np.intp)
        for number, pool in enumerate(pools):
            pool_of[pool.rows] = number
        kinds: dict[Partitions, int] = {}
        kind_of = np.array([kinds.setdefault(pool.partitions, len(kinds)) for pool in pools], dtype=np.intp)
        speakers = np.array([pool.speakers for pool in pools]).reshape(len(pools), len(codes))
        return cls(pool_of, np.bincount(pool_of[pool_of >= 0], minlength=len(pools)), speakers, tuple(kinds), kind_of)

    def __len__(self) -> int:
        return len(self.sizes)

    @cached_property
    def inside(self) -> Indices:
        """The rows that are in any pool."""
        return np.flatnonzero(self.pool_of >= 0)

    def answered(self, cells: Mask) -> Mask:
        """In which pools a question about these cells is answered."""
        by_kind = np.array([answers(kind, cells) for kind in self.kinds], dtype=bool)
        return by_kind[self.kind_of] if len(self) else np.zeros(0, dtype=bool)

    def most(self, cells: Mask) -> int:
        """The most homes of these cells that spoke in a pool."""
        return int(self.speakers[:, cells].sum(axis=1).max(initial=0))


class _Walk:
    """Joins units in their order in time."""

    def __init__(self, plan: Plan, timeline: SlotTimeline, spoke: CellSpeakers, codes: Indices) -> None:
        self.need, self.span = max(plan.minimum_homes, 1), distinct_span(plan)
        self.starts, self.ends = timeline.slots.tolist(), timeline.ends.tolist()
        self.newest = self.ends[-1] if self.ends else -1
        self.spoke, self.codes = spoke, codes
        self.full: Mask = np.asarray(((spoke.different >= self.need) | ~spoke.present).all(axis=1))
        self.values = [
            codes[:, label] == value for label in range(codes.shape[1]) for value in np.unique(codes[:, label])
        ]
        self.member = np.array(self.values, dtype=float).reshape(-1, len(codes))
        self.given_up = np.zeros(len(self.values), dtype=bool)
        self.each_cell: dict[bytes, Partitions] = {}
        self.given_up_until = -1

    def pools(self, units: Sequence[list[int]]) -> Iterator[JointPool]:
        """The joint pools of all units, by the last slot of each."""
        waiting: list[list[int]] = []
        for unit in units:
            if waiting and self._length([*waiting, unit]) > self.span:
                yield self._closed(waiting)
                waiting = []
            waiting.append(unit)
            if self._ready(waiting):
                yield self._pool(waiting)
                waiting = []
        if waiting and self.newest >= min(self.starts[unit[0]] for unit in waiting) + self.span - 1:
            yield self._closed(waiting)

    def _length(self, units: list[list[int]]) -> int:
        start = min(self.starts[unit[0]] for unit in units)
        return int(max(self.ends[unit[-1]] for unit in units) - start + 1)

    def _ready(self, units: list[list[int]]) -> bool:
        """Whether homes may be divided by every value that is waited for."""
        if len(units) == 1 and len(units[0]) == 1 and self.full[units[0][0]]:
            self.given_up[self._present_values(units)] = False
            return True
        if self.ends[units[-1][-1]] > self.given_up_until:
            self.given_up[:] = False
        present = self._present_values(units)
        rows = [row for unit in units for row in unit]
        wanted = present & ~self.given_up
        if not wanted.any() or (self.member[wanted] @ self.spoke.different[rows].sum(axis=0) < self.need).any():
            return False
        answered = self._answered(self._pool(units))
        if (wanted & ~answered).any():
            return False
        self.given_up &= ~answered
        return True

    def _closed(self, units: list[list[int]]) -> JointPool:
        """What a whole stretch brought; what it did not bring is not waited for in the next ones."""
        pool = self._pool(units)
        self.given_up = self._present_values(units) & ~self._answered(pool)
        self.given_up_until = self.ends[units[-1][-1]] + PATIENCE * self.span
        return pool

    def _present_values(self, units: list[list[int]]) -> Mask:
        rows = [row for unit in units for row in unit]
        return np.asarray(self.member @ self.spoke.present[rows].any(axis=0) > 0)

    def _answered(self, pool: JointPool) -> Mask:
        return np.array([answers(pool.partitions, value) for value in self.values], dtype=bool)

    def _pool(self, units: list[list[int]]) -> JointPool:
        if len(units) == 1 and len(units[0]) == 1 and self.full[units[0][0]]:
            (row,) = units[0]
            return JointPool([row], self._each_cell(self.spoke.present[row].tobytes()), self.spoke.different[row])
        rows = sorted(row for unit in units for row in unit)
        present = np.array([self.spoke.present[unit].any(axis=0) for unit in units])
        speakers = self.spoke.different[rows].sum(axis=0)
        return JointPool(rows, partitions(PoolSpeakers(speakers, present, self.need), self.codes), speakers)

    def _each_cell(self, present: bytes) -> Partitions:
        """Every cell that is there a block, remembered for the next time."""
        if present not in self.each_cell:
            cells = np.frombuffer(present, dtype=bool)
            self.each_cell[present] = (tuple(np.where(cells, np.cumsum(cells) - 1, NOBODY).tolist()),)
        return self.each_cell[present]
