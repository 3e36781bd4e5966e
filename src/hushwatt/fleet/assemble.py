"""A fleet from the homes of an earlier batch and new ones, in the order of their names."""

from bisect import bisect_left, bisect_right

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from hushwatt.errors import StateError
from hushwatt.fleet.fleet import Fleet
from hushwatt.fleet.provider_decisions import NEVER, DecisionState
from hushwatt.fleet.readings.partitions import PartitionSource
from hushwatt.fleet.state import FleetState
from hushwatt.household.report.homes import enrol, turns_taken
from hushwatt.plan.plan import Plan
from hushwatt.privacy.entropy import Source


def assemble(plan: Plan, known: FleetState | None, households: pa.Array, first: int, source: Source) -> Fleet:
    """All homes that report from slot `first` on; those of a state go on where they were."""
    if known is None:
        decisions = DecisionState.start(plan, len(households)) if plan.decision == "provider" else None
        fleet = Fleet(plan, households, first, decisions)
        _enrol_all(fleet, source)
        return fleet
    if first < known.slot:
        raise StateError(f"the readings begin in slot {first}, but the state has already passed slot {known.slot - 1}")
    fleet = Fleet(plan, households, first, known.decisions())
    if fleet.decisions is not None:
        fleet.slot = known.slot  # the provider's strategy still has the slots between to go
    _join_all(fleet, known, first, source)
    return fleet


def _enrol_all(fleet: Fleet, source: Source) -> None:
    taken = np.zeros(fleet.plan.window, dtype=np.int64)
    for part in range(len(fleet.partitions)):
        count, streams = fleet.partitions.length(part), PartitionSource(source, part)
        homes = enrol(fleet.plan, count, fleet.slot, streams, taken)
        taken += turns_taken(homes)
        fleet.memory.put(part, homes)


def _join_all(fleet: Fleet, known: FleetState, first: int, source: Source) -> None:
    """Put every home at its place by name; new ones take the turns that fewer homes have."""
    taken, old = known.turns_taken(first), []
    for part, where in enumerate(fleet.partitions):
        names = fleet.households[where]
        rows = _rows_between(known.households, names)
        homes = known.homes(rows)
        if fleet.decisions is None:
            homes.skip_to(first)
        homes.slot = first
        is_old = pc.is_in(names, value_set=known.households[rows])
        old.append(is_old.to_numpy(zero_copy_only=False))
        new = names.filter(pc.invert(is_old))
        if len(new):
            joining = enrol(fleet.plan, len(new), first, PartitionSource(source, part), taken)
            taken = taken + turns_taken(joining)
            by_name = pc.sort_indices(pa.concat_arrays([known.households[rows], new])).to_numpy()
            homes = homes.joined(joining).reordered(by_name)
        fleet.memory.put(part, homes)
    if fleet.decisions is not None:
        last_spoke = np.full(len(fleet.households), NEVER)  # new homes wait with those whose turn may come
        last_spoke[np.concatenate(old)] = fleet.decisions.last_spoke
        fleet.decisions.last_spoke = last_spoke


def _rows_between(known: pa.Array, names: pa.Array) -> slice:
    """Which of the known homes have names from the first to the last of these; both are sorted."""
    if not len(names):
        return slice(0, 0)
    numbers = range(len(known))
    first, last = names[0].as_py(), names[-1].as_py()
    return slice(
        bisect_left(numbers, first, key=lambda number: known[number].as_py()),
        bisect_right(numbers, last, key=lambda number: known[number].as_py()),
    )
