"""The agent: ends every slot of every plan once, when it has really been lived through.

It is told the time and does the rest: `tick` again and again.  It
never sleeps, never opens a connection, and never looks at a reading to decide whether
or when something is sent.
"""

import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol

from hushwatt.errors import HushwattError
from hushwatt.household.clock import SECOND, Moment
from hushwatt.household.ledger.caps import DAY, Caps
from hushwatt.household.ledger.high_water_mark import HighWaterMark
from hushwatt.household.ledger.home_ledger import HomeLedger
from hushwatt.household.ledger.monotonic_clock import MonotonicClock
from hushwatt.household.ledger.objections import Objection, earlier_terms
from hushwatt.household.ledger.plan_ledger import clock_tolerance
from hushwatt.household.ledger.store import Store
from hushwatt.household.log_once import LogOnce
from hushwatt.household.membership import NOT_RUNNING, UNKNOWN_CLOCK, Membership
from hushwatt.household.report.levels import Watts
from hushwatt.household.report.randomise import Randomiser, randomise
from hushwatt.household.retirement import RETIRED, retires
from hushwatt.household.successor import move_on
from hushwatt.household.upload.backoff import jitter
from hushwatt.plan.plan import Plan
from hushwatt.plan.times import nanoseconds
from hushwatt.privacy.entropy import OperatingSystem, Source
from hushwatt.sanitise import quoted

LOG = logging.getLogger("hushwatt.household")
MAX_ENTRY_DELAY = 60 * SECOND  # the most by which a slot may be entered late
SPEND_RETENTION = 32 * DAY  # how long spends are kept slot by slot
MAX_UNSAVED_TIME = 300 * SECOND  # of running time, at most, are not on disk
MIN_WAIT = SECOND // 20  # nothing needs a closer look than this
MAX_WAIT = 10 * SECOND  # and nothing waits longer for one: a pause, a new plan


class ReadingSource(Protocol):
    """Where mean watts come from; nothing is kept longer than its slot."""

    def open(self, plan: Plan, slot: int) -> None:
        """Begin to add up a slot, some time before its end; a second time changes nothing."""
        ...

    def means(self, plan: Plan, slot: int) -> Watts:
        """The mean watts of every appliance of the plan over a slot that is over.

        What is missing is 0 W, or NaN where the plan has the answer "not measured".
        """
        ...


def entry_slack(plan: Plan) -> int:
    """By how much a slot may be entered late, or ended, and still be lived through."""
    return min(MAX_ENTRY_DELAY, plan.slot.seconds * SECOND // 10)


@dataclass
class SlotTracker:
    """One plan as the agent sees it: which slot it is living through, and since when."""

    member: Membership
    offset: int  # of the clock, when it was last found right
    living: int | None = None  # the slot that was entered in time
    entered: Moment | None = None

    @property
    def length(self) -> int:
        return self.member.plan.slot.seconds * SECOND

    @property
    def slack(self) -> int:
        return entry_slack(self.member.plan)

    @property
    def end(self) -> int:
        """The plan's last slot."""
        return self.member.plan.calendar.slots - 1

    def current(self, moment: Moment) -> int:
        return int(self.member.plan.calendar.slot_of([moment.wall])[0])

    def start_of(self, slot: int) -> int:
        return nanoseconds(self.member.plan.calendar.start_of(slot))

    def late(self, slot: int, moment: Moment) -> bool:
        """Whether a slot began too long ago to be lived through."""
        return moment.wall - self.start_of(slot) > self.slack

    def lived(self, moment: Moment) -> bool:
        """Whether the machine's own clock agrees that the slot now over lasted as long as it should."""
        if self.living != self.member.slot or self.entered is None:
            return False
        length = self.start_of(self.member.slot + 1) - self.entered.wall
        return moment.boot == self.entered.boot and moment.alive - self.entered.alive >= length - self.slack


@dataclass
class Agent:
    """All plans of one home."""

    store: Store
    caps: Caps  # as they are now; whoever runs the agent sets them before every tick
    readings: ReadingSource
    source: Source = field(default_factory=OperatingSystem)
    randomiser: Randomiser = randomise
    say: Callable[[str], None] = LOG.warning
    trackers: dict[int, SlotTracker] = field(default_factory=dict)
    mark: HighWaterMark | None = None
    compacted: int = 0  # the day of the last tidying
    left_settled: bool = False  # whether plans that were left before the start have been looked at
    caps_settled: bool = True  # not while the owner's file may have been read by half
    bars: Callable[[Caps, Plan], list[Objection]] = lambda caps, plan: []
    """Why the caps let the home say nothing under a plan: `objections.bars`, where the owner can change them."""
    latest: dict[str, tuple[int, Watts]] = field(default_factory=dict, repr=False)
    """For the owner's own page: the means of each plan's last slot, in memory until the next one."""

    lived: Callable[[Plan, int, Watts], None] = lambda plan, slot, watts: None
    """Told the means of every slot once its report is drawn and on disk; nothing it does changes what is sent."""

    def __post_init__(self) -> None:
        self.once = LogOnce(self.say)
        self.monotonic = MonotonicClock(self.store, self.mark)
        self.home_ledger = HomeLedger(self.store, self.caps, self.monotonic)

    def tick(self, moment: Moment) -> None:
        """Do all that the time asks for; what goes wrong is said once, and tried again at the next tick."""
        self.home_ledger.caps = self.caps
        try:
            self.monotonic.look(moment)
            self._settle_left()
            trackers = self._trackers(moment)
            if self.monotonic.due(self._max_unsaved(trackers)):
                self.monotonic.keep()
            self._compact(moment)
        except HushwattError as wrong:
            self.once("ledger", str(wrong))
            return
        for tracker in trackers:
            try:
                self._tick_plan(tracker, moment)
            except HushwattError as wrong:
                self.once(tracker.member.plan.id, f"plan {quoted(tracker.member.plan.name)}: {wrong}")
                del self.trackers[tracker.member.plan_key]  # believe the disk alone, as at a start

    def stop(self, moment: Moment) -> None:
        """Write down how long the machine ran; a start after this loses nothing of it."""
        self.monotonic.look(moment)
        self.monotonic.keep()

    def _max_unsaved(self, trackers: list[SlotTracker]) -> int:
        """How much running time may be lost with the power: little of any slot, and less of any window."""
        shortest = [min(each.length // 4, each.length * each.member.plan.window // 60) for each in trackers]
        return min([MAX_UNSAVED_TIME, *shortest])

    def wait(self, moment: Moment) -> float:
        """Seconds until the next slot begins, or until it is time to see what the owner changed."""
        times = [
            tracker.start_of(slot)
            for tracker in self.trackers.values()
            for slot in [max(0, min(tracker.current(moment) + 1, tracker.member.plan.calendar.slots))]
        ]
        ahead = [time - moment.wall for time in times if time > moment.wall]
        return min([MAX_WAIT if times else SECOND, *(max(time, MIN_WAIT) for time in ahead)]) / SECOND

    def _trackers(self, moment: Moment) -> list[SlotTracker]:
        """A tracker of every plan that the home takes part in now; a new one starts by counting the worst."""
        rows = self.store.rows(
            "SELECT place, canonical FROM plans WHERE left IS NULL AND device IS NOT NULL ORDER BY place"
        )
        for plan_key in self.trackers.keys() - {row["place"] for row in rows}:
            del self.trackers[plan_key]
        for row in rows:
            if row["place"] not in self.trackers:
                self.trackers[row["place"]] = self._start_tracker(self._membership(row), moment)
        return list(self.trackers.values())

    def _membership(self, row: dict[str, Any]) -> Membership:
        plan = Plan.parse(row["canonical"])
        return Membership(plan, row["place"], self.home_ledger, self.source, self.randomiser)

    def _settle_left(self) -> None:
        """Count the slots that were over when a plan was left, where no agent had looked at this ledger since."""
        if self.left_settled:
            return
        for row in self.store.rows("SELECT place, canonical, slot, left FROM plans WHERE left IS NOT NULL"):
            calendar = Plan.parse(row["canonical"]).calendar
            last = min(int(calendar.slot_of([row["left"]])[0]), calendar.slots) - 1
            if row["slot"] <= last:
                self._count_slots(SlotTracker(self._membership(row), self.monotonic.offset), last)
        self.left_settled = True

    def _start_tracker(self, member: Membership, moment: Moment) -> SlotTracker:
        """Every slot without bytes, the current one included, counts as the most it could have cost.

        So does time that the machine ran and the ledger does not know of, as when it is an old copy.
        Where it is known to be none, nothing was spent, and the slots are silent.
        """
        tracker = SlotTracker(member, self.monotonic.offset)
        last = tracker.current(moment)
        if self.monotonic.unseen and not self.monotonic.newest:
            last = max(last, member.slot)  # it was perhaps begun, and ended unseen
        self._count_slots(tracker, last)
        if self.monotonic.behind:
            self._silent_until(tracker, "the clock is behind")
        if self.home_ledger.agreed_before(member.plan_key) and (terms := earlier_terms(self.caps)):
            self.once(f"terms {member.plan.id}", f"plan {quoted(member.plan.name)}: {terms}")
        return tracker

    def _count_slots(self, tracker: SlotTracker, last: int) -> None:
        """End the slots up to `last` that this agent did not see."""
        if self.monotonic.newest:
            tracker.member.skip_slots(min(last, tracker.end), NOT_RUNNING)
            return
        lived = self.monotonic.unseen // (tracker.length - tracker.slack)
        tracker.member.charge_lost_slots(min(last, tracker.end), NOT_RUNNING, lived)

    def _tick_plan(self, tracker: SlotTracker, moment: Moment) -> None:
        member, current = tracker.member, tracker.current(moment)
        moved = self.monotonic.offset - tracker.offset
        if abs(moved) > clock_tolerance(member.plan):
            self._clock_moved(tracker, moment, moved)
        if why := self._silenced(member):
            member.skip_slots(min(current, tracker.end), why)
        if current > member.slot:
            self._end_slot(tracker, current, moment)
        between_slots = current == member.slot and tracker.living != current
        if between_slots and move_on(member, self.caps, moment.wall, self.source, self.say):
            del self.trackers[member.plan_key]  # the next tick finds the plan that took its place
        elif between_slots and current <= tracker.end:
            if self.caps_settled and retires(member, self.say):
                member.skip_slots(current, RETIRED)
            else:
                self._enter_slot(tracker, current, moment)
        elif current == member.slot - 1 and member.slot <= tracker.end:
            self.readings.open(member.plan, member.slot)  # before it begins: its first instant is part of it

    def _end_slot(self, tracker: SlotTracker, current: int, moment: Moment) -> None:
        """The slot that was lived through is over: report it, unless more than it went by."""
        member = tracker.member
        if current == member.slot + 1 and tracker.lived(moment):
            watts = self.readings.means(member.plan, member.slot)
            self.latest[member.plan.id] = member.slot, watts
            member.report_slot(watts, moment.wall + jitter(member.plan, self.source.stream("upload")))
            self.lived(member.plan, self.latest[member.plan.id][0], watts)
        if member.slot < current:
            member.skip_slots(current - 1, "the agent did not live through it")

    def _enter_slot(self, tracker: SlotTracker, current: int, moment: Moment) -> None:
        if tracker.late(current, moment):
            tracker.member.skip_slots(current, "the agent came late to it")
            return
        tracker.living, tracker.entered = current, moment
        self.readings.open(tracker.member.plan, current)

    def _clock_moved(self, tracker: SlotTracker, moment: Moment, by: int) -> None:
        """The clock was moved: the slot it happened in, and those it skipped, nobody lived through.

        They are silent, and what was spent before counts for as long as it really should.  But a
        clock that is set right after a start tells only now which slots went by before it.
        """
        member, current = tracker.member, tracker.current(moment)
        settled = self.monotonic.settled(tracker.offset)
        tracker.offset, tracker.living = self.monotonic.offset, None
        last = current if 0 <= current <= tracker.end and tracker.late(current, moment) else current - 1
        if by < 0:
            member.skip_slots(min(last, tracker.end), "the clock was set back")
            self._silent_until(tracker, "the clock was set back")
        elif settled:
            member.skip_slots(min(last, tracker.end), "the clock was moved forward")
            self.say(f"plan {quoted(member.plan.name)}: the clock was moved forward; what was spent counts longer")
        else:
            member.charge_lost_slots(min(last, tracker.end), UNKNOWN_CLOCK)

    def _silent_until(self, tracker: SlotTracker, reason: str) -> None:
        plan, slot = tracker.member.plan, min(tracker.member.slot, tracker.end + 1)
        self.say(f"plan {quoted(plan.name)}: {reason}; silent until {plan.calendar.start_of(slot):%Y-%m-%d %H:%M} UTC")

    def _silenced(self, member: Membership) -> str | None:
        """Why the owner wants no word under a plan, if so: a pause, or caps that are too low for it."""
        if self._is_retired(member):
            return RETIRED
        if self.store.value("SELECT paused FROM plans WHERE place = ?", (member.plan_key,)) is not None:
            return "paused"
        if not (barred := self.bars(self.caps, member.plan)):
            self.once.clear(f"caps {member.plan.id}")
            return None
        why = f"beyond the owner's caps: {'; '.join(each.words for each in barred)}"
        self.once(f"caps {member.plan.id}", f"plan {quoted(member.plan.name)}: silent, {why}")
        return why

    def _is_retired(self, member: Membership) -> bool:
        return self.store.value("SELECT retired FROM plans WHERE place = ?", (member.plan_key,)) is not None

    def _compact(self, moment: Moment) -> None:
        """Once a day, make what is long past take less room."""
        if moment.wall // DAY == self.compacted:
            return
        self.compacted = moment.wall // DAY
        for member in (tracker.member for tracker in self.trackers.values()):
            before = moment.wall - SPEND_RETENTION
            self.home_ledger.compact(member.plan_key, member.slot - member.plan.window, before)
