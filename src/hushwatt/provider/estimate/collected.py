"""What was collected in some slots: every appliance's series, on the timeline that asks for these slots."""

from dataclasses import dataclass, replace

import numpy as np

from hushwatt.plan.plan import Plan
from hushwatt.privacy.rotation import reporting_span
from hushwatt.provider.estimate.appliance_series import ApplianceSeries, MeanOf
from hushwatt.provider.estimate.array_types import Floats, Integers, Mask
from hushwatt.provider.estimate.arrays import SlotTimeline, TallyArrays
from hushwatt.provider.estimate.measuring_mean import MeasuringMean
from hushwatt.provider.estimate.times.time_filter import TimeFilter
from hushwatt.provider.tally.tally import Tallies


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

    @classmethod
    def of(
        cls,
        plan: Plan,
        tallies: Tallies,
        first: int | None = None,
        last: int | None = None,
        times: TimeFilter | None = None,
    ) -> "CollectedSlots":
        """The slots `first` to `last`, both included, that lie at certain times.

        Where a plan publishes several slots together, only whole periods that have all their reports count.
        """
        asked = TallyArrays.of(plan, tallies).up_to(last)
        arrays = asked if plan.publish == 1 else asked.up_to(tallies.complete(plan, last))
        timeline = SlotTimeline.of(arrays, plan.minimum_homes, first, publish=plan.publish, span=reporting_span(plan))
        if times is not None and not times.everything:
            timeline = timeline.only(times.rows(plan, timeline))
        homes = tallies.homes_in(timeline.newest).astype(float)
        numbers = range(len(plan.appliances))
        series = [ApplianceSeries.of(plan, arrays, number, timeline, homes) for number in numbers]
        unpublished = len(np.unique(asked.slot)) - len(timeline.heard)
        named = dict(zip(plan.names, series, strict=True))
        return cls(plan, arrays, timeline, homes, tallies.homes, unpublished, named)

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
