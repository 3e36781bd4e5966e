"""All tallies of a period as arrays: one row for each group of homes, and the slots they fall into."""

from dataclasses import dataclass, fields

import numpy as np

from hushwatt.plan.plan import Plan
from hushwatt.provider.estimate.array_types import Floats, Indices, Integers, Mask
from hushwatt.provider.tally.draws import PUBLICATION
from hushwatt.provider.tally.tally import Tallies


@dataclass(frozen=True)
class TallyArrays:
    """All groups, by slot.  A group's homes stand by answers drawn in one slot with one budget."""

    slot: Integers
    as_of: Integers  # the slot they were drawn in
    drawn: Integers  # millionths of ε
    rows: Integers  # homes
    reports: Integers  # homes that speak of each appliance
    counts: Integers  # answers for every level of every appliance

    @classmethod
    def of(cls, plan: Plan, tallies: Tallies) -> "TallyArrays":
        """The publications among the tallies; probes are not estimated from."""
        keys = sorted(key for key in tallies.groups if key.round == PUBLICATION)
        tallied = [tallies.groups[key] for key in keys]
        slot, _, as_of, drawn = np.array(keys, dtype=np.int64).reshape(-1, 4).T
        return cls(
            slot,
            as_of,
            drawn,
            np.array([each.rows for each in tallied], dtype=np.int64),
            np.array([each.reports for each in tallied], dtype=np.int64).reshape(-1, len(plan.appliances)),
            np.array([each.counts for each in tallied], dtype=np.int64).reshape(-1, plan.width),
        )

    def up_to(self, last: int | None) -> "TallyArrays":
        """The groups of the slots up to `last`."""
        rows = slice(None) if last is None else self.slot <= last
        return TallyArrays(*(getattr(self, column.name)[rows] for column in fields(self)))


@dataclass(frozen=True)
class SlotTimeline:
    """Which slots there are, ascending, and to which of them each group belongs."""

    slots: Integers
    slot_index: Indices  # of each group's slot in `slots`
    rows: Integers  # homes behind each slot
    as_of: Integers  # the newest slot its answers were drawn in
    enough: Mask  # whether the plan's minimum of homes is met
    requested: Mask  # whether it was asked for; those before it are history

    @classmethod
    def of(cls, arrays: TallyArrays, minimum: int, first: int | None = None) -> "SlotTimeline":
        """The slots of these groups; an answer needs `minimum` homes, and at least one."""
        slots, slot_index = np.unique(arrays.slot, return_inverse=True)
        rows = np.zeros(len(slots), dtype=np.int64)
        np.add.at(rows, slot_index, arrays.rows)
        as_of = np.full(len(slots), -1, dtype=np.int64)
        np.maximum.at(as_of, slot_index, arrays.as_of)
        requested = np.ones(len(slots), dtype=bool) if first is None else slots >= first
        return cls(slots, slot_index, rows, as_of, rows >= max(minimum, 1), requested)

    def sum_by_slot(self, values: Floats) -> Floats:
        """The sum of `values`, one or a row for each group, over the groups of every slot."""
        sums = np.zeros((len(self.slots), *values.shape[1:]))
        np.add.at(sums, self.slot_index, values)
        return sums
