"""What a page is made from: the address, the answers to it, and the moment."""

from dataclasses import dataclass
from datetime import datetime
from functools import cached_property

from hushwatt.plan.plan import Plan
from hushwatt.privacy.strategies import rules_of
from hushwatt.provider.dashboard import words
from hushwatt.provider.dashboard.query import Asked
from hushwatt.provider.estimate.results import Estimates, PeriodNumbers
from hushwatt.provider.service.collection_reader import CollectionReader, NotYet
from hushwatt.provider.store.plans import PlanState

FEW, SILENT = "too few homes", "nobody was asked"
ALONE = "not smoothed"


@dataclass(frozen=True)
class Cell:
    """One appliance in one slot; without a value when there is no answer, and why."""

    slot: int
    reports: int
    value: float = 0.0  # mean watts of a home
    low: float = 0.0  # 95 % limits
    high: float = 0.0
    alone: bool = False  # whether it is not smoothed although that was asked for
    why_not: str = ""
    in_full: str = ""  # the same, with how many homes there are and how many it takes

    @property
    def reach(self) -> float:
        """Half of the 95 % interval."""
        return (self.high - self.low) / 2

    @property
    def told(self) -> str:
        """The watts and their interval, or why there are none."""
        if self.why_not:
            return self.why_not
        return words.watts_limited(self.value, self.low, self.high) + (f", {ALONE}" if self.alone else "")


@dataclass(frozen=True)
class PageContext:
    """One request for a page."""

    read: CollectionReader
    asked: Asked
    now: datetime

    @property
    def plan(self) -> Plan:
        return self.asked.plan

    @cached_property
    def state(self) -> PlanState:
        return self.read.state(self.plan)

    @cached_property
    def found(self) -> Estimates:
        """The answer to what was asked."""
        return self.read.estimates(self.plan, self.asked.first, self.asked.last, smooth=self.asked.smooth)

    @cached_property
    def not_yet(self) -> NotYet:
        return self.read.not_yet(self.plan)

    @cached_property
    def ranked(self) -> list[tuple[str, PeriodNumbers]]:
        """The appliances with an answer, the most watts first."""
        pairs = ((name, self.found.by_period[name]) for name in self.found.top)
        return [(name, period) for name, period in pairs if period is not None]

    def expected(self, homes: int) -> int:
        """How many homes should report in a slot: all, or those whose turn it is."""
        turns = rules_of(self.plan).groups(self.plan.window)
        return -(-homes // turns)

    def slots(self, most: int) -> range:
        """The published slots that were asked for, without gaps; the last `most` of them."""
        found, last = self.found.slots, self.asked.last
        if not found:
            return range(0)
        end = self.state.published if last is None else min(last, self.state.published)
        start = found[0].slot if self.asked.first is None else max(self.asked.first, 0)
        return range(max(start, end - most + 1), end + 1)

    def cut(self, slots: range) -> str:
        """What to say when `slots` are not all that was asked for."""
        if not self.found.slots or slots.start <= self.found.slots[0].slot:
            return ""
        return (
            f"Only the last {len(slots):,} slots of the range are shown; choose a shorter one to see others."
        )

    def course(self, name: str, slots: range) -> list[Cell]:
        """An appliance in each of the slots; a slot without reports has too few homes, never zero watts."""
        places = {slot.slot: place for place, slot in enumerate(self.found.slots)}
        return [self._cell(name, slot, places.get(slot)) for slot in slots]

    def _cell(self, name: str, slot: int, place: int | None) -> Cell:
        if place is None:
            return self._too_few(slot, 0, "0 reported")
        reports, numbers = self.found.slots[place].reports, self.found.by_slot[name]
        spoke = int(numbers.speakers[place])
        if not self.found.slots[place].enough:
            return self._too_few(slot, reports, f"{reports:,} reported")
        if not spoke:
            return Cell(slot, reports, why_not=SILENT, in_full=SILENT)
        if not numbers.known[place]:
            return self._too_few(slot, reports, f"{spoke:,} spoke of it")
        return Cell(
            slot,
            reports,
            value=float(numbers.watts[place]),
            low=float(numbers.watts_low[place]),
            high=float(numbers.watts_high[place]),
            alone=self.found.smoothed and not numbers.smoothed[place],
        )

    def _too_few(self, slot: int, reports: int, have: str) -> Cell:
        need = self.plan.minimum_homes
        return Cell(slot, reports, why_not=FEW, in_full=f"{FEW}: {have}, {need:,} needed")
