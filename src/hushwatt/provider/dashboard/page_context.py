"""What a page is made from: the query, the estimates that answer it, and the moment."""

from collections.abc import Callable, Collection, Hashable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import Any, TypeVar

from hushwatt.plan.plan import Plan
from hushwatt.privacy.strategies import rules_of
from hushwatt.provider.dashboard import formatting
from hushwatt.provider.dashboard.kept_answers import KeptAnswers
from hushwatt.provider.dashboard.query import PageQuery
from hushwatt.provider.estimate.collected import CollectedCells, CollectedSlots
from hushwatt.provider.estimate.courses.course import Courses, courses
from hushwatt.provider.estimate.estimate import estimate
from hushwatt.provider.estimate.results import Estimates, PeriodEstimates
from hushwatt.provider.estimate.times.time_filter import local_span
from hushwatt.provider.service.collection_reader import CollectionReader, NotYet
from hushwatt.provider.store.plans import PlanState
from hushwatt.provider.tally.labels import Cells
from hushwatt.provider.tally.tally import Tallies

Answer = TypeVar("Answer")
TOO_FEW, NOT_ASKED = "too few homes", "nobody was asked"
FEW_MEASURE = "too few homes measure it"
NOT_SMOOTHED = "not smoothed"


@dataclass(frozen=True)
class SlotCell:
    """One appliance in one slot; without a value when there is no answer, and why."""

    slot: int
    reports: int
    value: float = 0.0  # mean watts of a home
    low: float = 0.0  # 95 % limits
    high: float = 0.0
    noise: float = 0.0  # standard error, without what no level shows
    unsmoothed: bool = False  # whether it is not smoothed although that was asked for
    missing: str = ""  # why there is no answer
    missing_detail: str = ""  # the same, with how many homes there are and how many it takes

    @property
    def reach(self) -> float:
        """Half of the 95 % interval."""
        return (self.high - self.low) / 2

    @property
    def text(self) -> str:
        """The watts and their interval, or why there are none."""
        if self.missing:
            return self.missing
        remark = f", {NOT_SMOOTHED}" if self.unsmoothed else ""
        return formatting.watts_with_interval(self.value, self.low, self.high) + remark


@dataclass(frozen=True)
class PageContext:
    """One request for a page."""

    reader: CollectionReader
    query: PageQuery
    now: datetime
    kept: KeptAnswers = field(default_factory=KeptAnswers)

    @property
    def plan(self) -> Plan:
        return self.query.plan

    @cached_property
    def state(self) -> PlanState:
        return self.reader.state(self.plan)

    @cached_property
    def estimates(self) -> Estimates:
        """The estimates that were asked for."""
        asked: Any = {name: getattr(self.query, name) for name in ("first", "last", "smooth", "times")}
        return self.kept_answer("estimates", lambda: estimate(self.plan, self.tallies, **asked))

    @cached_property
    def cells(self) -> CollectedCells:
        """The slots that were asked for, of every kind of homes."""
        query = self.query
        return self.kept_answer(
            "cells", lambda: CollectedCells.of(self.plan, self.tallies, query.first, query.last, query.times)
        )

    @cached_property
    def collected(self) -> CollectedSlots:
        """The same of all homes together, before they are summed up."""
        return self.kept_answer("collected", self.cells.whole)

    def courses(self, fold: str, names: Sequence[str]) -> Courses:
        """How the watts of these appliances go from key to key of a fold."""
        return self.kept_answer((fold, *names), lambda: courses(self.collected, fold, names))

    def kept_answer(self, what: Hashable, work_out: Callable[[], Answer]) -> Answer:
        """What pages with the same times have in common, until more is published."""
        query, state = self.query, self.state
        moment = self.plan.id, state.published, state.homes
        return self.kept.get((what, *moment, query.first, query.last, query.times, query.smooth), work_out)

    @cached_property
    def tallies(self) -> Tallies:
        """What is published up to the last slot that was asked for."""
        return self.reader.tallies(self.plan, self.query.last)

    @cached_property
    def labels(self) -> Cells:
        """What is known of the homes anyway."""
        return self.tallies.cells

    @cached_property
    def last_reported(self) -> int:
        """The last published slot with reports, of all; −1: none."""
        return self.reader.last_reported(self.plan)

    @cached_property
    def not_yet(self) -> NotYet:
        return self.reader.not_yet(self.plan)

    @cached_property
    def ranked(self) -> list[tuple[str, PeriodEstimates]]:
        """The appliances with an answer, the most watts first."""
        pairs = ((name, self.estimates.by_period[name]) for name in self.estimates.top)
        return [(name, period) for name, period in pairs if period is not None]

    @property
    def appliances(self) -> tuple[str, ...]:
        """Those that were chosen, or the one with the most watts."""
        return self.query.appliances or tuple(name for name, _ in self.ranked[:1])

    def choices(self, chosen: Collection[str]) -> list[tuple[str, str, bool]]:
        """Every appliance of the plan, its title, and whether it is chosen."""
        return [(name, formatting.title(name), name in chosen) for name in self.plan.names]

    def expected(self, homes: int) -> int:
        """How many homes should report in a slot, or in what is published together: all, or those whose turn it is."""
        turns = rules_of(self.plan).groups(self.plan.window)
        return -(-homes * min(self.plan.publish, turns) // turns)

    @cached_property
    def asked(self) -> tuple[int, ...]:
        """The slots that were asked for, from the first with reports to the last, with those between that have none.

        Of those that are published together, the first.
        """
        slots, together, times = self.estimates.slots, self.plan.periods, self.query.times
        if not slots:
            return ()
        every = range(slots[0].slot, slots[-1].slot + 1, together.length)
        return tuple(slot for slot in every if times.everything or times.keeps(*local_span(self.plan, slot)))

    def cut(self, shown: int) -> str:
        """What to say when only the last slots of those that were asked for are `shown`."""
        if shown >= len(self.asked):
            return ""
        word = self.plan.periods.word
        return f"Only the last {shown:,} {word}s of the range are shown; choose a shorter one to see others."

    def series(self, name: str, slots: Sequence[int]) -> list[SlotCell]:
        """An appliance in each of the slots; a slot without reports has too few homes, never zero watts."""
        indices = {slot.slot: index for index, slot in enumerate(self.estimates.slots)}
        return [self._cell(name, slot, indices.get(slot)) for slot in slots]

    def _cell(self, name: str, slot: int, index: int | None) -> SlotCell:
        if index is None:
            return self._too_few(slot, 0, "0 reported")
        reports, numbers = self.estimates.slots[index].reports, self.estimates.by_slot[name]
        spoke = int(numbers.speakers[index])
        if not self.estimates.slots[index].enough:
            return self._too_few(slot, reports, f"{reports:,} reported")
        if not spoke:
            return SlotCell(slot, reports, missing=NOT_ASKED, missing_detail=NOT_ASKED)
        if not numbers.known[index] and spoke >= max(self.plan.minimum_homes, 1):
            return SlotCell(slot, reports, missing=FEW_MEASURE, missing_detail=FEW_MEASURE)
        if not numbers.known[index]:
            return self._too_few(slot, reports, f"{spoke:,} spoke of it")
        return SlotCell(
            slot,
            reports,
            value=float(numbers.watts[index]),
            low=float(numbers.watts_low[index]),
            high=float(numbers.watts_high[index]),
            noise=float(numbers.watts_se[index]),
            unsmoothed=self.estimates.smoothed and not numbers.smoothed[index],
        )

    def _too_few(self, slot: int, reports: int, have: str) -> SlotCell:
        need = self.plan.minimum_homes
        return SlotCell(slot, reports, missing=TOO_FEW, missing_detail=f"{TOO_FEW}: {have}, {need:,} needed")
