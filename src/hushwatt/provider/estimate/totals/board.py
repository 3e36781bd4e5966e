"""What is asked beside watts: what homes and customers use, and how many homes are above so many watts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from hushwatt.provider.estimate.collected import CollectedCells, CollectedSlots
from hushwatt.provider.estimate.homes_above.homes_above import HomesAbove, homes_above, homes_above_in_periods
from hushwatt.provider.estimate.totals.covered_time import CoveredTime, hours_a_day
from hushwatt.provider.estimate.totals.customers import Customers
from hushwatt.provider.estimate.totals.totals import Totals, totals_of
from hushwatt.provider.tally.labels import group_name


@dataclass(frozen=True)
class BoardAnswers:
    """Answers it for any slots of a collection; the time that they cover and kinds of homes are worked out once."""

    cells: CollectedCells
    customers: Customers | None
    above: tuple[float | None, ...]  # watts; None: the lowest level
    _kinds: dict[str, CollectedSlots] = field(default_factory=dict)

    @classmethod
    def about(
        cls,
        cells: CollectedCells,
        customers: Customers | int | None,
        above: Sequence[float | None],
    ) -> "BoardAnswers":
        counted = Customers(customers) if isinstance(customers, int) else customers
        if counted is not None:
            counted.check(cells.grouped.cells)
        return cls(cells, counted, tuple(above))

    def totals(self, collected: CollectedSlots, hour: int | None = None) -> Totals:
        """The totals of some slots, those of an hour of the day perhaps, and of all customers."""
        asked = collected.timeline.requested

        def kind_of(labels: Mapping[str, str]) -> CollectedSlots:
            name = group_name(labels)
            if name not in self._kinds:
                self._kinds[name] = self.cells.only(labels)
            kind = self._kinds[name]
            return kind if np.array_equal(kind.timeline.requested, asked) else kind.only(asked)

        return totals_of(collected, self._covered(hour), self.customers, kind_of)

    def totals_of_homes(self, collected: CollectedSlots) -> Totals:
        """The totals of the homes taking part alone."""
        return totals_of(collected, self._covered())

    def homes_above(self, collected: CollectedSlots, folds: Mapping[str, CollectedSlots]) -> tuple[HomesAbove, ...]:
        """The shares of homes above each number of watts."""
        hours = hours_a_day(collected.plan, self.cells.times)
        return tuple(homes_above(collected, folds, watts, hours) for watts in self.above)

    def shares_of_homes(self, collected: CollectedSlots, folds: Mapping[str, CollectedSlots]) -> tuple[HomesAbove, ...]:
        """The same over the period and its folds alone."""
        return tuple(homes_above_in_periods(collected, folds, watts) for watts in self.above)

    def _covered(self, hour: int | None = None) -> CoveredTime:
        hours = hours_a_day(self.cells.grouped.plan, self.cells.times, hour)
        return self._whole_days if hours is None else self._whole_days.in_days_of(hours)

    @cached_property
    def _whole_days(self) -> CoveredTime:
        return CoveredTime.of(self.cells.grouped.plan, self.cells.grouped.timeline)
