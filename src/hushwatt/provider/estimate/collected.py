"""What was collected in some slots: every appliance's series, on the timeline that asks for these slots."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from hushwatt.plan.plan import Plan
from hushwatt.privacy.rotation import reporting_span
from hushwatt.provider.estimate.appliance_series import ApplianceSeries, MeanOf
from hushwatt.provider.estimate.array_types import Floats, Integers, Mask
from hushwatt.provider.estimate.arrays import CellArrays, SlotTimeline, TallyArrays
from hushwatt.provider.estimate.groups.grouped import GroupedTallies
from hushwatt.provider.estimate.measuring_mean import MeasuringMean
from hushwatt.provider.estimate.pooling import even_answers
from hushwatt.provider.estimate.times.time_filter import TimeFilter
from hushwatt.provider.tally.tally import Tallies

NOW = -1  # in place of a slot: how many homes take part in all


@dataclass(frozen=True)
class CollectedSlots:
    """The slots that are asked for, and what the reports say of every appliance in them."""

    plan: Plan
    arrays: TallyArrays
    timeline: SlotTimeline
    slot_homes: Floats  # taking part in each row of the timeline
    homes: int  # taking part in all
    unpublished: int  # slots with reports whose period is not complete
    series: dict[str, ApplianceSeries]  # by appliance, in the plan's order
    cells: Mask | None = None  # the cells of the homes that are asked for; None: all
    most: Mapping[str, int] | None = None  # of these, the most that spoke of each appliance in slots that go together

    @classmethod
    def of(
        cls,
        plan: Plan,
        tallies: Tallies,
        first: int | None = None,
        last: int | None = None,
        times: TimeFilter | None = None,
        where: Mapping[str, str] | None = None,
    ) -> "CollectedSlots":
        """The slots `first` to `last`, both included, that lie at certain times; `where` homes have these labels.

        Where a plan publishes several slots together, only whole periods that have all their reports count.
        """
        every = CollectedCells.of(plan, tallies, first, last, times)
        return every.only(where) if where else every.whole()

    @property
    def known(self) -> dict[str, ApplianceSeries]:
        """The appliances with an answer over the period."""
        return {name: each for name, each in self.series.items() if each.period}

    @property
    def slots(self) -> int:
        """How many slots, or periods published together, are asked for."""
        return int(self.timeline.requested.sum())

    def drawn_slots(self, name: str) -> Integers:
        """The slots in which the answers about an appliance that count were drawn."""
        series = self.series[name]
        counted = series.slots.counted[self.timeline.slot_index] & (series.groups.reports > 0)
        return np.unique(series.groups.as_of[counted])

    def only(self, rows: Mask) -> "CollectedSlots":
        """The same, with only these rows of the timeline asked for."""
        timeline = self.timeline.only(rows)
        over = {name: each.over(self.arrays, timeline, self.slot_homes) for name, each in self.series.items()}
        return replace(self, timeline=timeline, series=over)

    def weighted(
        self, weight: Floats, population: int | None = None, mean_of: MeanOf = MeasuringMean.of
    ) -> "CollectedSlots":
        """The same, with rows that count so much in a period, about a `population` of homes, or about another mean."""
        same = np.all(weight == weight[:1]) and population is None
        if same and (mean_of is MeasuringMean.of or not self.plan.answers_unmeasured):
            return self
        timeline, homes = self.timeline.weighted(weight), self.homes if population is None else population
        over = {
            name: each.over(self.arrays, timeline, self.slot_homes, population, mean_of)
            for name, each in self.series.items()
        }
        return replace(self, timeline=timeline, homes=homes, series=over)


@dataclass(frozen=True)
class CollectedCells:
    """The slots that are asked for, of every kind of homes: what one question after another is answered from."""

    tallies: Tallies
    grouped: GroupedTallies
    unpublished: int
    times: TimeFilter | None = None  # that are asked for

    @classmethod
    def of(
        cls, plan: Plan, tallies: Tallies, first: int | None, last: int | None, times: TimeFilter | None
    ) -> "CollectedCells":
        asked = CellArrays.of(plan, tallies, last)
        arrays = asked if plan.publish == 1 else asked.up_to(tallies.complete(plan, last))
        timeline = SlotTimeline.of(
            arrays.whole, plan.minimum_homes, first, publish=plan.publish, span=reporting_span(plan)
        )
        if times is not None and not times.everything:
            timeline = timeline.only(times.rows(plan, timeline))
        unpublished = len(np.unique(asked.arrays.slot)) - len(timeline.heard)
        return cls(tallies, GroupedTallies(plan, tallies.cells, arrays, timeline), unpublished, times)

    def groups(self, by: Sequence[str]) -> list[dict[str, str]]:
        """The combinations of the values of some labels that any home has, in order."""
        cells = self.grouped.cells
        present = np.isin(np.arange(len(cells)), self.grouped.by_cell.cell) | (self._homes[-1] > 0)
        return [labels for labels in cells.groups(by) if present[cells.matching(labels)].any()]

    @cached_property
    def _homes(self) -> Integers:
        """The homes of each cell in every row of the timeline, and now."""
        return self.tallies.cell_homes_in(np.append(self.grouped.timeline.newest, NOW))

    def whole(self) -> CollectedSlots:
        """All homes together."""
        plan, timeline = self.grouped.plan, self.grouped.timeline
        arrays = even_answers(plan, timeline, self.grouped.by_cell.whole)
        homes = self.tallies.homes_in(timeline.newest).astype(float)
        numbers = range(len(plan.appliances))
        series = [ApplianceSeries.of(plan, arrays, number, timeline, homes) for number in numbers]
        named = dict(zip(plan.names, series, strict=True))
        return CollectedSlots(plan, arrays, timeline, homes, self.tallies.homes, self.unpublished, named)

    def only(self, where: Mapping[str, str]) -> CollectedSlots:
        """The homes with these labels, where that gives no smaller kind of homes away."""
        cells, timeline = self.grouped.cells.matching(where), self.grouped.timeline
        homes = self._homes[:-1, cells].sum(axis=1).astype(float)
        arrays, series = self.grouped.series(cells, np.maximum(homes, 1.0))
        return CollectedSlots(
            self.grouped.plan,
            arrays,
            timeline,
            homes,
            int(self._homes[-1, cells].sum()),
            self.unpublished,
            dict(zip(self.grouped.plan.names, series, strict=True)),
            cells,
            self.grouped.most_speakers(cells),
        )
