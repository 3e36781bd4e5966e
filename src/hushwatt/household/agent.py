"""The agent: ends every slot of every plan once, when it has really been lived through.

It is told the time and does the rest: `start` once, then `tick` again and again.  It
never sleeps, never opens a connection, and never looks at a reading to decide whether
or when something is sent.
"""

import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from hushwatt.errors import HushwattError
from hushwatt.household.clock import SECOND, Moment
from hushwatt.household.ledger.caps import DAY, Caps
from hushwatt.household.ledger.high_water_mark import Mark
from hushwatt.household.ledger.home_ledger import HomeLedger
from hushwatt.household.ledger.plan_ledger import tolerance
from hushwatt.household.ledger.store import Store
from hushwatt.household.ledger.timeline import Timeline
from hushwatt.household.membership import Membership
from hushwatt.household.report.levels import Watts
from hushwatt.household.report.randomise import Randomiser, randomise
from hushwatt.plan.plan import Plan
from hushwatt.plan.times import nanoseconds
from hushwatt.privacy.entropy import Entropy, OperatingSystem, Source
from hushwatt.sanitise import quoted

LOG = logging.getLogger("hushwatt.household")
GRACE = 600 * SECOND  # the longest that a finished report waits, by chance alone, before it is sent
SLACK = 60 * SECOND  # the most by which a slot may be entered late
KEPT = 32 * DAY  # how long spends are kept slot by slot
OFTEN = 300 * SECOND  # of running time, at most, are not on disk
SOON = SECOND // 20  # nothing needs a closer look than this
LATE = 10 * SECOND  # and nothing waits longer for one: a pause, a new plan
ABSENT = "the agent was not running"


class Readings(Protocol):
    """Where mean watts come from; nothing is kept longer than its slot."""

    def open(self, plan: Plan, slot: int) -> None:
        """Begin to add up a slot, some time before its end; a second time changes nothing."""
        ...

    def means(self, plan: Plan, slot: int) -> Watts:
        """The mean watts of every appliance of the plan over a slot that is over; missing is 0 W."""
        ...


@dataclass
class Watch:
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
        return min(SLACK, self.length // 10)

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
        same = moment.boot == self.entered.boot
        return same and moment.alive - self.entered.alive >= length - self.slack


@dataclass
class Agent:
    """All plans of one home."""

    store: Store
    caps: Caps  # as they are now; whoever runs the agent sets them before every tick
    readings: Readings
    source: Source = field(default_factory=OperatingSystem)
    randomiser: Randomiser = randomise
    say: Callable[[str], None] = LOG.warning
    watches: dict[int, Watch] = field(default_factory=dict)
    mark: Mark | None = None
    said: dict[str, str] = field(default_factory=dict)  # the last trouble of each plan
    tidied: int = 0  # the day of the last tidying
    bars: Callable[[Caps, Plan], list[str]] = lambda caps, plan: []
    """Why the caps let the home say nothing under a plan: `Caps.bars`, where the owner can change them."""
    latest: dict[str, tuple[int, Watts]] = field(default_factory=dict, repr=False)
    """For the owner's own page: the means of each plan's last slot, in memory until the next one."""

    def __post_init__(self) -> None:
        self.timeline = Timeline(self.store, self.mark)
        self.book = HomeLedger(self.store, self.caps, self.timeline)

    def tick(self, moment: Moment) -> None:
        """Do all that the time asks for; what goes wrong is said once, and tried again at the next tick."""
        self.book.caps = self.caps
        try:
            self.timeline.look(moment)
            watches = self._watches(moment)
            if self.timeline.due(self._often(watches)):
                self.timeline.keep()
            self._tidy(moment)
        except HushwattError as wrong:
            self._say_once("ledger", str(wrong))
            return
        for watch in watches:
            try:
                self._look(watch, moment)
            except HushwattError as wrong:
                self._say_once(watch.member.plan.id, f"plan {quoted(watch.member.plan.name)}: {wrong}")
                del self.watches[watch.member.place]  # believe the disk alone, as at a start

    def stop(self, moment: Moment) -> None:
        """Write down how long the machine ran; a start after this loses nothing of it."""
        self.timeline.look(moment)
        self.timeline.keep()

    def _often(self, watches: list[Watch]) -> int:
        """How much running time may be lost with the power: little of any slot, and less of any window."""
        shortest = [min(each.length // 4, each.length * each.member.plan.window // 60) for each in watches]
        return min([OFTEN, *shortest])

    def _say_once(self, about: str, line: str) -> None:
        if self.said.get(about) != line:
            self.said[about] = line
            self.say(line)

    def wait(self, moment: Moment) -> float:
        """Seconds until the next slot begins, or until it is time to see what the owner changed."""
        times = [
            watch.start_of(slot)
            for watch in self.watches.values()
            for slot in [max(0, min(watch.current(moment) + 1, watch.member.plan.calendar.slots))]
        ]
        ahead = [time - moment.wall for time in times if time > moment.wall]
        return min([LATE if times else SECOND, *(max(time, SOON) for time in ahead)]) / SECOND

    def _watches(self, moment: Moment) -> list[Watch]:
        """A watch for every plan that the home takes part in now; a new one starts by counting the worst."""
        rows = self.store.rows(
            "SELECT place, canonical FROM plans WHERE left IS NULL AND device IS NOT NULL ORDER BY place"
        )
        for place in self.watches.keys() - {row["place"] for row in rows}:
            del self.watches[place]
        for row in rows:
            if row["place"] not in self.watches:
                member = Membership(
                    Plan.parse(row["canonical"]), row["place"], self.book, self.source, self.randomiser
                )
                self.watches[row["place"]] = self._started(member, moment)
        return list(self.watches.values())

    def _started(self, member: Membership, moment: Moment) -> Watch:
        """Every slot without bytes, the current one included, counts as the most it could have cost.

        So does time that the machine ran and the ledger does not know of, as when it is an old copy.
        Where it is known to be none, nothing was spent, and the slots are silent.
        """
        watch = Watch(member, self.timeline.offset)
        last, unseen = watch.current(moment), self.timeline.unseen
        if self.timeline.newest:
            member.silent(min(last, watch.end), ABSENT)
        else:
            last = max(last, member.slot) if unseen else last  # it was perhaps begun, and ended unseen
            member.lost(min(last, watch.end), ABSENT, unseen // (watch.length - watch.slack))
        if self.timeline.behind:
            self._silent_until(watch, "the clock is behind")
        return watch

    def _look(self, watch: Watch, moment: Moment) -> None:
        member, current = watch.member, watch.current(moment)
        moved = self.timeline.offset - watch.offset
        if abs(moved) > tolerance(member.plan):
            self._moved(watch, moment, moved)
        if why := self._silenced(member):
            member.silent(min(current, watch.end), why)
        if current > member.slot:
            self._end(watch, current, moment)
        if current == member.slot <= watch.end and watch.living != current:
            self._enter(watch, current, moment)
        elif current == member.slot - 1 and member.slot <= watch.end:
            self.readings.open(member.plan, member.slot)  # before it begins: its first instant is part of it

    def _end(self, watch: Watch, current: int, moment: Moment) -> None:
        """The slot that was lived through is over: report it, unless more than it went by."""
        member = watch.member
        if current == member.slot + 1 and watch.lived(moment):
            watts = self.readings.means(member.plan, member.slot)
            self.latest[member.plan.id] = member.slot, watts
            member.close(watts, moment.wall + jitter(member.plan, self.source.stream("upload")))
        if member.slot < current:
            member.silent(current - 1, "the agent did not live through it")

    def _enter(self, watch: Watch, current: int, moment: Moment) -> None:
        if watch.late(current, moment):
            watch.member.silent(current, "the agent came late to it")
            return
        watch.living, watch.entered = current, moment
        self.readings.open(watch.member.plan, current)

    def _moved(self, watch: Watch, moment: Moment, by: int) -> None:
        """The clock was moved: the slot it happened in, and those it skipped, nobody lived through.

        They are silent, and what was spent before counts for as long as it really should.  But a
        clock that is set right after a start tells only now which slots went by before it.
        """
        member, current = watch.member, watch.current(moment)
        settled, watch.offset, watch.living = self.timeline.settled(watch.offset), self.timeline.offset, None
        last = current if 0 <= current <= watch.end and watch.late(current, moment) else current - 1
        if by < 0:
            member.silent(min(last, watch.end), "the clock was set back")
            self._silent_until(watch, "the clock was set back")
        elif settled:
            member.silent(min(last, watch.end), "the clock was moved forward")
            self.say(
                f"plan {quoted(member.plan.name)}: the clock was moved forward; what was spent counts longer"
            )
        else:
            member.lost(min(last, watch.end), "the clock was wrong since the machine started")

    def _silent_until(self, watch: Watch, reason: str) -> None:
        plan, slot = watch.member.plan, min(watch.member.slot, watch.end + 1)
        self.say(
            f"plan {quoted(plan.name)}: {reason}; "
            f"silent until {plan.calendar.start_of(slot):%Y-%m-%d %H:%M} UTC"
        )

    def _silenced(self, member: Membership) -> str | None:
        """Why the owner wants no word under a plan, if so: a pause, or caps that are too low for it now."""
        if self.store.value("SELECT paused FROM plans WHERE place = ?", (member.place,)) is not None:
            return "paused"
        if not (barred := self.bars(self.caps, member.plan)):
            self.said.pop(f"caps {member.plan.id}", None)
            return None
        why = f"beyond the owner's caps: {'; '.join(barred)}"
        self._say_once(f"caps {member.plan.id}", f"plan {quoted(member.plan.name)}: silent, {why}")
        return why

    def _tidy(self, moment: Moment) -> None:
        """Once a day, make what is long past take less room."""
        if moment.wall // DAY == self.tidied:
            return
        self.tidied = moment.wall // DAY
        for watch in self.watches.values():
            member = watch.member
            self.book.tidy(member.place, member.slot - member.plan.window, moment.wall - KEPT)


def jitter(plan: Plan, entropy: Entropy) -> int:
    """How long a finished report waits, in nanoseconds: chance alone says, never the data."""
    most = min(GRACE, plan.slot.seconds * SECOND // 4)
    return int(entropy.words(1)[0]) * most >> 64
