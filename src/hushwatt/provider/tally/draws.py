"""In which slot each report was drawn.

A repeated release is no new information, so the provider must know a repeat when it
sees one.  What a home spent tells it: only a fresh draw is paid for.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from hushwatt.plan.plan import Plan
from hushwatt.privacy.rotation import repeats_by_clock
from hushwatt.privacy.strategies import rules_of, strategy_for
from hushwatt.wire.row_error import refuse

if TYPE_CHECKING:
    import pyarrow as pa

    from hushwatt.wire.reports import ReportBatch

PUBLICATION, PROBE = 0, 1  # the two rounds of a slot
BEFORE_FIRST = -1  # drawn before the first report seen
SlotArray = NDArray[np.int64]


class Draws(Protocol):
    """Told every batch of reports in the order of slots, says when each was drawn."""

    def slots_of(self, batch: "ReportBatch") -> SlotArray: ...


def draws_of(plan: Plan) -> Draws:
    """How this plan's reports tell in which slot they were drawn."""
    if plan.decision == "household":
        return DrawsByHome(strategy_for(plan).probe)
    return DrawsByClock(plan) if repeats_by_clock(plan) else DrawsInStep()


@dataclass(frozen=True)
class DrawsByClock:
    """Everyone draws in the same slots, as the clock says, and repeats that in between."""

    plan: Plan

    def slots_of(self, batch: "ReportBatch") -> SlotArray:
        return rules_of(self.plan).drawn_in(batch.slot.astype(np.int64), self.plan.window)


@dataclass
class DrawsInStep:
    """Every home publishes when the others do, and repeats itself when they do."""

    last: int = BEFORE_FIRST  # the last slot with a fresh publication

    def slots_of(self, batch: "ReportBatch") -> SlotArray:
        slots = batch.slot.astype(np.int64)
        fresh = batch.spent == batch.drawn
        if fresh.all() and not batch.round.any():  # publications only, and all of them paid for
            self.last = int(slots.max(initial=self.last))
            return slots
        fresh |= batch.round == PROBE
        known = np.where(fresh & (batch.round == PUBLICATION), slots, self.last)
        known = np.maximum.accumulate(known)
        self.last = int(known[-1]) if len(known) else self.last
        return np.where(fresh, slots, known)


@dataclass
class DrawsByHome:
    """Every home decides for itself, so each has its own last draw."""

    probe: int  # what looking costs in every slot; a publication's budget comes on top
    homes: "pa.Array | None" = None  # the homes seen so far
    last: SlotArray = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    slot: int = -1
    cursor: int = 0  # where the next household of this slot is expected

    def slots_of(self, batch: "ReportBatch") -> SlotArray:
        fresh = is_fresh(batch.spent, batch.drawn, self.probe)
        refuse(~(fresh | (batch.spent == self.probe)), "spent is neither a probe nor a probe and its publication")
        drawn_in = np.empty(len(fresh), dtype=np.int64)
        for rows, slot in slot_runs(batch.slot):
            homes = self._indices(batch.households[rows], slot)
            self.last[homes[fresh[rows]]] = slot
            drawn_in[rows] = self.last[homes]
        return drawn_in

    def _indices(self, households: "pa.Array", slot: int) -> NDArray[np.intp]:
        """Where each household stands among the homes; usually they come in the same order again."""
        start = self.cursor if slot == self.slot else 0
        self.slot, self.cursor = slot, start + len(households)
        if self.homes is not None and self.homes.slice(start, len(households)).equals(households):
            return np.arange(start, self.cursor)
        return self._look_up(households)

    def _look_up(self, households: "pa.Array") -> NDArray[np.intp]:
        import pyarrow as pa
        import pyarrow.compute as pc

        if self.homes is None:
            self.homes = households.slice(0, 0)
        new = households.filter(pc.invert(pc.is_in(households, value_set=self.homes)))
        self.homes = pa.concat_arrays([self.homes, new])
        self.last = np.concatenate([self.last, np.full(len(new), BEFORE_FIRST)])
        indices: NDArray[np.intp] = pc.index_in(households, value_set=self.homes).to_numpy().astype(np.intp)
        return indices


def is_fresh(spent: SlotArray, drawn: SlotArray, probe: int) -> NDArray[np.bool_]:
    """Which reports their homes drew anew, where each home decides: only a fresh draw is paid for."""
    fresh: NDArray[np.bool_] = spent == drawn + probe
    return fresh


def slot_runs(slots: NDArray[np.integer]) -> Iterator[tuple[slice, int]]:
    """The runs of equal slots."""
    edges = [0, *(np.flatnonzero(np.diff(slots)) + 1), len(slots)]
    for start, end in pairwise(edges):
        if end > start:
            yield slice(start, end), int(slots[start])
