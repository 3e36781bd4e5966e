"""What has been collected, for pages, programs and files: the one place answers come from.

Only published slots are answered, from tallies alone.  A slot is published with the
number of homes enrolled at that moment, and its numbers never change after that; a period
is on the scale of the homes that were enrolled when its last slot was published.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from hushwatt.errors import UsageError
from hushwatt.plan.plan import Plan
from hushwatt.plan.times import show_instant
from hushwatt.provider.clock import UtcClock
from hushwatt.provider.estimate.arrays import HomesHeard
from hushwatt.provider.estimate.contrasts.contrast import contrasts
from hushwatt.provider.estimate.contrasts.contrast_document import contrast_document
from hushwatt.provider.estimate.contrasts.side import Side
from hushwatt.provider.estimate.document import Document, document, document_around, top_document
from hushwatt.provider.estimate.estimate import estimate_collected
from hushwatt.provider.estimate.results import Estimates
from hushwatt.provider.estimate.times.time_filter import TimeFilter
from hushwatt.provider.estimate.totals.customers import Customers
from hushwatt.provider.intake.collect import Collection
from hushwatt.provider.metrics import Metrics
from hushwatt.provider.schedule import SlotSchedule
from hushwatt.provider.service.answer_cache import ByteCache, SlotTexts, with_slots
from hushwatt.provider.service.published_tallies import PublishedTallies, homes_then_or_now
from hushwatt.provider.store.plans import PlanState, plan_state
from hushwatt.provider.store.session import Database
from hushwatt.provider.store.slots import late_reports, published_slots
from hushwatt.provider.store.tallies import counted_reports, last_reported, read_tallies
from hushwatt.provider.tally.tally import Tallies

MAX_SLOTS = 1000  # told at once


@dataclass(frozen=True)
class SlotView:
    """One slot, or several that are published together: where it is in its life, and how complete."""

    slot: int  # the first one
    slots: int  # how many they are
    start: datetime
    end: datetime
    closes: datetime  # when it stops taking reports
    state: str  # coming, open, grace, closed or published
    reports: int  # different homes that were heard, at least
    homes: int  # enrolled: now, or when it was published
    late: int  # came after it was closed
    need: int  # homes for an answer


@dataclass(frozen=True)
class NotYet:
    """Why there is no answer, and when to look again."""

    have: int
    need: int
    next_look: datetime | None  # None: the plan is over


@dataclass(frozen=True)
class Health:
    """How the collection goes; counts are since the service started, `counted` and `late` since ever."""

    homes: int
    published: int  # last slot published, −1: none
    counted: int  # reports in all answers, whether they came by upload or in files
    accepted: int
    repeated: int
    rejected: dict[str, int]  # by reason
    problems: dict[str, int]  # requests refused as a whole, of all plans, by reason
    late: dict[int, int]  # by slot, or by the first of those published together
    skew: dict[str, int]  # requests by how many seconds the signer's clock is behind, up to


@dataclass(frozen=True)
class BoardQuestions:
    """What is asked beside watts: what all customers use, and how many homes are above so many watts."""

    customers: Customers | int | None = None
    above: tuple[float | None, ...] = ()  # None: above the lowest level


NO_QUESTIONS = BoardQuestions()


class CollectionReader:
    """Answers about the collections of one service; holds nothing but what never changes."""

    def __init__(
        self, database: Database, schedules: Mapping[int, SlotSchedule], clock: UtcClock, metrics: Metrics
    ) -> None:
        self._database, self._schedules, self._clock, self._metrics = database, schedules, clock, metrics
        self._published = PublishedTallies(database)
        self._answers, self._slots = ByteCache(), SlotTexts()
        self.collections = {  # all plans by their id
            schedule.plan.id: Collection(number, schedule.plan) for number, schedule in schedules.items()
        }

    def plan_of(self, number: int) -> Plan:
        """The plan with this number in the store."""
        return self._schedules[number].plan

    def state(self, plan: Plan) -> PlanState:
        with self._database.reading() as session:
            return plan_state(session, self._number(plan))

    def schedule(self, plan: Plan) -> SlotSchedule:
        return self._schedules[self._number(plan)]

    def now(self) -> datetime:
        return self._clock.now()

    def slots(self, plan: Plan, first: int | None = None, last: int | None = None) -> list[SlotView]:
        """The slots `first` to `last`, or the latest up to the one that has begun; 1,000 at most.

        Slots that are published together are one, and told as a whole.
        """
        number, schedule, now = self._number(plan), self.schedule(plan), self._clock.now()
        begun, together = schedule.last_begun(now), plan.periods
        last = together.last_of(begun if last is None else min(last, plan.calendar.slots - 1))
        first = together.first_of(max(0, last - MAX_SLOTS * plan.publish + 1, first or 0))
        with self._database.reading() as session:
            state = plan_state(session, number)
            published = published_slots(session, number)
            late = _together(plan, late_reports(session, number))
            groups = read_tallies(session, number, first, last)
        reports = HomesHeard.of(plan, groups).reports
        return [
            SlotView(
                slot=slot,
                slots=(end := together.last_of(slot)) - slot + 1,
                start=plan.calendar.start_of(slot),
                end=plan.calendar.end_of(end),
                closes=schedule.closes(end),
                state=schedule.state(slot, now, state.published),
                reports=reports.get(slot, 0),
                homes=homes_then_or_now(published, end, state),
                late=late.get(slot, 0),
                need=plan.minimum_homes,
            )
            for slot in range(first, last + 1, plan.publish)
        ]

    def estimates(
        self,
        plan: Plan,
        first: int | None = None,
        last: int | None = None,
        consistency: str = "norm-sub",
        smooth: bool = False,
        times: TimeFilter | None = None,
        fold: str | None = None,
        by: Sequence[str] = (),
        board: BoardQuestions = NO_QUESTIONS,
    ) -> Estimates:
        """The published slots `first` to `last`: the one answer of all pages, programs and files."""
        collected = self._published.collected(self._number(plan), plan, first, last, times)
        return estimate_collected(
            collected,
            consistency=consistency,
            smooth=smooth,
            fold=fold,
            by=by,
            customers=board.customers,
            above=board.above,
        )

    def tallies(self, plan: Plan, last: int | None = None) -> Tallies:
        """What the published slots up to `last` add up to, for contrasts and other questions of one's own."""
        return self._published.read(self._number(plan), last)

    def last_reported(self, plan: Plan) -> int:
        """The last published slot that has reports; −1: none."""
        number = self._number(plan)
        with self._database.reading() as session:
            return last_reported(session, number, plan_state(session, number).published)

    def document(
        self,
        plan: Plan,
        first: int | None = None,
        last: int | None = None,
        consistency: str = "norm-sub",
        smooth: bool = False,
        times: TimeFilter | None = None,
        fold: str | None = None,
        by: Sequence[str] = (),
        board: BoardQuestions = NO_QUESTIONS,
    ) -> Document:
        """The same as JSON; when there is no answer, with the time of the next look."""
        estimates = self.estimates(plan, first, last, consistency, smooth, times, fold, by, board)
        return self._completed(plan, estimates, document(estimates))

    def answer(
        self,
        plan: Plan,
        first: int | None = None,
        last: int | None = None,
        consistency: str = "norm-sub",
        smooth: bool = False,
        times: TimeFilter | None = None,
        fold: str | None = None,
        by: tuple[str, ...] = (),
        board: BoardQuestions = NO_QUESTIONS,
    ) -> bytes:
        """The same as bytes, kept for whoever asks it again before more is published."""
        asked = first, last, consistency, smooth, times, fold, by, board
        question = plan.id, self.state(plan).published, *asked
        known = self._answers.get(question)
        if known is not None:
            return known
        estimates = self.estimates(plan, *asked)
        fields = self._completed(plan, estimates, document_around(estimates, []))
        body = with_slots(fields, self._slots.texts(estimates, (plan.id, consistency, *map(str, board.above))))
        if estimates.answered:
            self._answers.keep(question, body)
        return body

    def contrast(self, plan: Plan, sides: Sequence[str]) -> Document:
        """How two sides differ, or how their difference differs from that of two more; written as for `compare`."""
        tallies = self.tallies(plan)
        parsed = [Side.parse(plan, each, tallies.cells) for each in sides]
        return contrast_document(contrasts([each.collected(plan, tallies) for each in parsed]), sides)

    def top(self, plan: Plan, count: int, first: int | None = None, last: int | None = None) -> Document:
        """The `count` appliances with the most watts, best first."""
        estimates = self.estimates(plan, first, last)
        return self._completed(plan, estimates, top_document(estimates, count))

    def _completed(self, plan: Plan, estimates: Estimates, fields: Document) -> Document:
        if not estimates.answered:
            not_yet = self.not_yet(plan)
            when = show_instant(not_yet.next_look) if not_yet.next_look else None
            fields["not_yet"] = {"have": not_yet.have, "need": not_yet.need, "next_look": when}
        return fields

    def not_yet(self, plan: Plan) -> NotYet:
        """How many homes have spoken of one appliance in what is published next, and when it is."""
        schedule, now, state = self.schedule(plan), self._clock.now(), self.state(plan)
        nearest = max(schedule.first_open(now), state.published + 1)
        if nearest >= plan.calendar.slots:
            return NotYet(0, plan.minimum_homes, None)
        first, last = plan.periods.first_of(nearest), plan.periods.last_of(nearest)
        with self._database.reading() as session:
            groups = read_tallies(session, self._number(plan), first, last)
        have = HomesHeard.of(plan, groups).of_one_appliance.get(first, 0)
        return NotYet(have, plan.minimum_homes, schedule.closes(last))

    def health(self, plan: Plan) -> Health:
        number, state = self._number(plan), self.state(plan)
        counts = self._metrics.count("reports").items()
        results = {result: count for (key, result), count in counts if key == plan.id and count}
        with self._database.reading() as session:
            late = _together(plan, late_reports(session, number))
            counted = counted_reports(session, number)
        return Health(
            homes=state.homes,
            published=state.published,
            counted=counted,
            accepted=results.pop("accepted", 0),
            repeated=results.pop("repeated", 0),
            rejected=results,
            problems={problem: count for (problem,), count in self._metrics.count("problems").items()},
            late=late,
            skew=self._metrics.skews(),
        )

    def _number(self, plan: Plan) -> int:
        try:
            return self.collections[plan.id].number
        except KeyError:
            raise UsageError(f"the plan {plan.id[:12]}… is not collected here") from None


def _together(plan: Plan, counts: Mapping[int, int]) -> dict[int, int]:
    """Counts of slots, added up over those that are published together."""
    sums: Counter[int] = Counter()
    for slot, count in counts.items():
        sums[plan.periods.first_of(slot)] += count
    return dict(sums)
