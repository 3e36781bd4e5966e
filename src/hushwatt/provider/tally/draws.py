"""In which slot each report was drawn.

A repeated release is no new information, so the provider must know a repeat when it
sees one.  What a home spent tells it: only a fresh draw is paid for.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from hushwatt.plan.plan import Plan
from hushwatt.privacy.rotation import repeats_by_clock
from hushwatt.privacy.strategies import rules_of, strategy_for
from hushwatt.wire.row_error import refuse

if TYPE_CHECKING:
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


class DrawsInStep:
    """Every home publishes when the others do, and repeats itself when they do."""

    def __init__(self) -> None:
        self._published = np.array([BEFORE_FIRST])  # the last two slots with a fresh publication

    def slots_of(self, batch: "ReportBatch") -> SlotArray:
        """A repeat was drawn in an earlier slot, wherever in its own slot it stands."""
        slots = batch.slot.astype(np.int64)
        fresh = batch.spent == batch.drawn
        paid = slots[fresh & (batch.round == PUBLICATION)]
        published = np.union1d(self._published, paid[np.diff(paid, prepend=BEFORE_FIRST) != 0])  # few are sorted
        self._published = published[-2:]
        fresh |= batch.round == PROBE
        if fresh.all():
            return slots
        return np.where(fresh, slots, published[np.searchsorted(published, slots) - 1])


class DrawsByHome:
    """Every home decides for itself, so each has its own last draw."""

    def __init__(self, probe: int) -> None:
        from hushwatt.provider.tally.home_index import HomeIndex

        self.probe = probe  # what looking costs in every slot; a publication's budget comes on top
        self._homes = HomeIndex()
        self._last = np.empty(0, dtype=np.int32)  # the slot of each home's last draw, and room for more homes

    def slots_of(self, batch: "ReportBatch") -> SlotArray:
        fresh = is_fresh(batch.spent, batch.drawn, self.probe)
        refuse(~(fresh | (batch.spent == self.probe)), "spent is neither a probe nor a probe and its publication")
        drawn_in = np.empty(len(fresh), dtype=np.int64)
        for rows, slot in slot_runs(batch.slot):
            homes = self._homes.numbers(slot, batch.households[rows])
            self._make_room()
            self._last[homes[fresh[rows]]] = slot
            drawn_in[rows] = self._last[homes]
        return drawn_in

    def _make_room(self) -> None:
        """Half as much again whenever it is full, so that no home is moved often."""
        missing = len(self._homes) - len(self._last)
        if missing > 0:
            more = np.full(max(missing, len(self._last) // 2), BEFORE_FIRST, dtype=np.int32)
            self._last = np.concatenate([self._last, more])


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
