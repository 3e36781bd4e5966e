"""A kind of homes in joint pools: what is answered of it, and its tallies as far as they may be told.

In a pool of several rows only the sum is told, with the weights that the rows have for all homes together; so the
rows are given the pool's answers in equal parts, and as many reports as would be as sure.  Nothing that is worked out
from these tallies then depends on how the answers were spread over the rows.
"""

from dataclasses import dataclass

import numpy as np

from hushwatt.provider.estimate.array_types import Floats, Mask
from hushwatt.provider.estimate.arrays import SlotTimeline
from hushwatt.provider.estimate.groups.joint_pools import JointPools


@dataclass(frozen=True)
class GroupRows:
    """The rows that one kind of homes is answered in about one appliance."""

    pools: JointPools
    answered: Mask  # by pool
    parts: Floats  # of each row: what it weighs in its pool, in rows

    @classmethod
    def of(cls, pools: JointPools, cells: Mask, reports: Floats) -> "GroupRows":
        """From the reports of this kind of homes in every row, made even in each pool."""
        inside, pool = pools.inside, pools.pool_of[pools.inside]
        sums = np.bincount(pool, weights=reports[inside], minlength=len(pools))
        scale = np.divide(pools.sizes, sums, out=np.zeros(len(pools)), where=sums > 0)
        parts = np.zeros(len(pools.pool_of))
        parts[inside] = np.where(pools.sizes[pool] == 1, reports[inside] > 0, reports[inside] * scale[pool])
        return cls(pools, pools.answered(cells), parts)

    def known(self, timeline: SlotTimeline, speakers: Floats) -> Mask:
        return self._by_row(self.answered & (self.pools.sizes == 1)) & (self.parts > 0)

    def weights(self, timeline: SlotTimeline, speakers: Floats) -> Floats:
        whole = self.answered.copy()
        whole[self.pools.pool_of[self.pools.inside[~timeline.requested[self.pools.inside]]]] = False
        return np.where(self._by_row(whole), self.parts * timeline.weight, 0.0)

    def _by_row(self, pools: Mask) -> Mask:
        rows = np.zeros(len(self.parts), dtype=bool)
        rows[self.pools.inside] = pools[self.pools.pool_of[self.pools.inside]]
        return rows


def even_pools(
    pools: JointPools, slot_index: np.ndarray, reports: Floats, counts: Floats, weight: Floats
) -> tuple[Floats, Floats]:
    """The reports and counts of every group of homes, made even within pools of several rows.

    `weight` is that of a report in each row, 1/m of all homes.  With M = Σ w·m, a pool is as sure as
    M²/Σ w²·m reports would be that all weigh the same.
    """
    several = np.append(pools.sizes > 1, False)
    if not several.any():
        return reports, counts
    pool = pools.pool_of[slot_index]
    rows = np.flatnonzero(several[pool])
    if not len(rows):
        return reports, counts
    number, weighed = pool[rows], weight[slot_index[rows]] * reports[rows]
    total = np.bincount(number, weights=weighed, minlength=len(pools))
    square = np.bincount(number, weights=weight[slot_index[rows]] * weighed, minlength=len(pools))
    sums = np.zeros((len(pools), counts.shape[1]))
    np.add.at(sums, number, weight[slot_index[rows]][:, None] * counts[rows])
    square, divisor = np.where(square > 0, square, 1.0), np.where(total > 0, total, 1.0)
    even_reports, even_counts = reports.astype(float), counts.astype(float)
    even_reports[rows] = weighed * (total / square)[number]
    even_counts[rows] = even_reports[rows][:, None] * (sums / divisor[:, None])[number]
    return even_reports, even_counts
