"""All tallies of a period as arrays: one row for each group of homes, and the slots they fall into."""

from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from hushwatt.plan.plan import Plan
from hushwatt.provider.tally.draws import PUBLICATION
from hushwatt.provider.tally.tally import Tallies

Numbers = NDArray[np.float64]
Whole = NDArray[np.int64]


@dataclass(frozen=True)
class TallyArrays:
    """All groups, by slot.  A group's homes stand by answers drawn in one slot with one budget."""

    slot: Whole
    as_of: Whole  # the slot they were drawn in
    drawn: Whole  # millionths of ε
    rows: Whole  # homes
    reports: Whole  # homes that speak of each appliance
    counts: Whole  # answers for every level of every appliance

    @classmethod
    def of(cls, plan: Plan, tallies: Tallies) -> "TallyArrays":
        """The publications among the tallies; probes are not estimated from."""
        keys = sorted(key for key in tallies.groups if key.round == PUBLICATION)
        found = [tallies.groups[key] for key in keys]
        slot, _, as_of, drawn = np.array(keys, dtype=np.int64).reshape(-1, 4).T
        return cls(
            slot,
            as_of,
            drawn,
            np.array([each.rows for each in found], dtype=np.int64),
            np.array([each.reports for each in found], dtype=np.int64).reshape(-1, len(plan.appliances)),
            np.array([each.counts for each in found], dtype=np.int64).reshape(-1, plan.width),
        )

    def until(self, last: int | None) -> "TallyArrays":
        """The groups of the slots up to `last`."""
        rows = slice(None) if last is None else self.slot <= last
        return TallyArrays(*(getattr(self, column.name)[rows] for column in fields(self)))


@dataclass(frozen=True)
class Timeline:
    """Which slots there are, ascending, and to which of them each group belongs."""

    slots: Whole
    places: NDArray[np.intp]  # of each group's slot in `slots`
    rows: Whole  # homes behind each slot
    as_of: Whole  # the newest slot its answers were drawn in
    enough: NDArray[np.bool_]  # whether the plan's minimum of homes is met
    inside: NDArray[np.bool_]  # whether it was asked for; those before it are history

    @classmethod
    def of(cls, stack: TallyArrays, minimum: int, first: int | None = None) -> "Timeline":
        """The slots of these groups; an answer needs `minimum` homes, and at least one."""
        slots, places = np.unique(stack.slot, return_inverse=True)
        rows = np.zeros(len(slots), dtype=np.int64)
        np.add.at(rows, places, stack.rows)
        as_of = np.full(len(slots), -1, dtype=np.int64)
        np.maximum.at(as_of, places, stack.as_of)
        inside = np.ones(len(slots), dtype=bool) if first is None else slots >= first
        return cls(slots, places, rows, as_of, rows >= max(minimum, 1), inside)

    def summed(self, values: Numbers) -> Numbers:
        """The sum of `values`, one or a row for each group, over the groups of every slot."""
        sums = np.zeros((len(self.slots), *values.shape[1:]))
        np.add.at(sums, self.places, values)
        return sums
