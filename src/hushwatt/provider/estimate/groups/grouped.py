"""Everything that was collected, ready to be asked about any kind of homes: what all of them have in common.

The joint pools of every appliance are worked out once; whoever is asked for, they are the same.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from hushwatt.plan.plan import Plan
from hushwatt.privacy.rotation import distinct_span
from hushwatt.provider.estimate.appliance_series import ApplianceSeries
from hushwatt.provider.estimate.array_types import Floats, Mask
from hushwatt.provider.estimate.arrays import CellArrays, SlotTimeline, TallyArrays
from hushwatt.provider.estimate.groups.group_rows import GroupRows, even_pools
from hushwatt.provider.estimate.groups.joint_pools import CellSpeakers, JointPools
from hushwatt.provider.estimate.groups.partitions import label_codes
from hushwatt.provider.tally.labels import Cells


@dataclass(frozen=True)
class GroupedTallies:
    """The tallies of every cell on the timeline of the whole."""

    plan: Plan
    cells: Cells
    by_cell: CellArrays
    timeline: SlotTimeline

    @cached_property
    def pools(self) -> list[JointPools]:
        """The joint pools of each appliance; those in which the same homes spoke are worked out once."""
        found: dict[bytes, JointPools] = {}
        codes, arrays = label_codes(self.cells), self.by_cell.arrays
        pools = []
        for reports in arrays.reports.T:
            key = reports.tobytes()
            if key not in found:
                spoke = CellSpeakers.of(
                    self.timeline,
                    self.by_cell.group,
                    self.by_cell.cell,
                    len(self.cells),
                    reports.astype(float),
                    distinct_span(self.plan),
                )
                found[key] = JointPools.of(self.plan, self.timeline, spoke, codes)
            pools.append(found[key])
        return pools

    @cached_property
    def report_weights(self) -> Floats:
        """What one report weighs in each row and for each appliance: 1/m of all homes."""
        reports = self.timeline.sum_by_slot(self.by_cell.whole.reports.astype(float))
        return np.divide(1.0, reports, out=np.ones_like(reports), where=reports > 0)

    def series(self, cells: Mask, homes: Floats) -> tuple[TallyArrays, list[ApplianceSeries]]:
        """What these cells say of every appliance, and the tallies as far as they may be told."""
        plan, arrays = self.plan, self.by_cell.only(cells)
        reports, counts = arrays.reports.astype(float), arrays.counts.astype(float, order="F")  # quick by level
        first = 0
        for number, (pools, width) in enumerate(zip(self.pools, plan.widths, strict=True)):
            columns = slice(first, first + width)
            reports[:, number], counts[:, columns] = even_pools(
                pools, self.timeline.slot_index, reports[:, number], counts[:, columns], self.report_weights[:, number]
            )
            first += width
        told = TallyArrays(arrays.slot, arrays.as_of, arrays.drawn, arrays.rows, reports, counts)
        in_rows = self.timeline.sum_by_slot(reports)
        series = [
            ApplianceSeries.of(plan, told, number, self.timeline, homes, GroupRows.of(pools, cells, in_rows[:, number]))
            for number, pools in enumerate(self.pools)
        ]
        return told, series

    def most_speakers(self, cells: Mask) -> dict[str, int]:
        """The most homes of these cells that spoke of each appliance in slots that count together."""
        return {name: pools.most(cells) for name, pools in zip(self.plan.names, self.pools, strict=True)}
