"""The agent: ends every slot of every plan once, when it has really been lived through.

It is told the time and does the rest: `start` once, then `tick` again and again.  It
never sleeps, never opens a connection, and never looks at a reading to decide whether
or when something is sent.
"""

import logging
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Protocol

from hushwatt.errors import HushwattError
from hushwatt.household.book import Book
from hushwatt.household.caps import DAY, Caps
from hushwatt.household.clock import SECOND, Moment
from hushwatt.household.levels import Watts
from hushwatt.household.membership import Membership
from hushwatt.household.store import Store
from hushwatt.plan.plan import Plan
from hushwatt.plan.times import nanoseconds
from hushwatt.privacy.entropy import Entropy, OperatingSystem, Source

LOG = logging.getLogger("hushwatt.household")
GRACE = 600 * SECOND  # the longest that a finished report waits, by chance alone, before it is sent
SLACK = 60 * SECOND  # the most by which a slot may be entered late, or the clock be moved
KEPT = 32 * DAY  # how long spends are kept slot by slot
SOON = SECOND // 20  # nothing needs a closer look than this
LATE = 10 * SECOND  # and nothing waits longer for one: a pause, a new plan


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
    base: Moment  # what later moments are held against: was the clock moved?
    living: int | None = None  # the slot that was entered in time
    entered: Moment | None = None

    @property
    def slack(self) -> int:
        return min(SLACK, self.member.plan.slot.seconds * SECOND // 10)

    def current(self, moment: Moment) -> int:
        return int(self.member.plan.calendar.slot_of([moment.wall])[0])

    def start_of(self, slot: int) -> int:
        return nanoseconds(self.member.plan.calendar.start_of(slot))

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
    say: Callable[[str], None] = LOG.warning
    watches: dict[int, Watch] = field(default_factory=dict)
    said: dict[str, str] = field(default_factory=dict)  # the last trouble of each plan
    tidied: int = 0  # the day of the last tidying
    bars: Callable[[Caps, Plan], list[str]] = lambda caps, plan: []
    """Why the caps let the home say nothing under a plan: `Caps.bars`, where the owner can change them."""
    latest: dict[str, tuple[int, Watts]] = field(default_factory=dict, repr=False)
    """For the owner's own page: the means of each plan's last slot, in memory until the next one."""

    book: Book = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self.book = Book(self.store, self.caps)

    def tick(self, moment: Moment) -> None:
        """Do all that the time asks for; what goes wrong is said once, and tried again at the next tick."""
        self.book.caps = self.caps
        try:
            watches = self._watches(moment)
            self._remember(moment)
            self._tidy(moment)
        except HushwattError as wrong:
            self._say_once("ledger", str(wrong))
            return
        for watch in watches:
            try:
                self._look(watch, moment)
            except HushwattError as wrong:
                self._say_once(watch.member.plan.id, f"plan {watch.member.plan.name}: {wrong}")
                del self.watches[watch.member.place]  # believe the disk alone, as at a start

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
                member = Membership(Plan.parse(row["canonical"]), row["place"], self.book, self.source)
                self.watches[row["place"]] = self._started(member, moment)
        return list(self.watches.values())

    def _started(self, member: Membership, moment: Moment) -> Watch:
        """Every slot without bytes, the current one included, counts as the most it could have cost."""
        watch = Watch(member, self._remembered() or moment)
        if moment.jumped(watch.base) > watch.slack:
            self._jumped(watch, moment)
        member.lost(min(watch.current(moment), member.plan.calendar.slots - 1), "the agent was not running")
        return replace(watch, base=moment) if moment.boot != watch.base.boot else watch

    def _look(self, watch: Watch, moment: Moment) -> None:
        member, current = watch.member, watch.current(moment)
        if moment.jumped(watch.base) > watch.slack:
            self._jumped(watch, moment)
            return
        if moment.jumped(watch.base) < -watch.slack:
            self.say(f"plan {member.plan.name}: the clock was set back; silent until it has caught up")
            watch.base, watch.living = moment, None
        if why := self._silenced(member):
            member.silent(min(current, member.plan.calendar.slots - 1), why)
        if current > member.slot:
            self._end(watch, current, moment)
        if current == member.slot < member.plan.calendar.slots and watch.living != current:
            self._enter(watch, current, moment)
        elif current == member.slot - 1 and member.slot < member.plan.calendar.slots:
            self.readings.open(member.plan, member.slot)  # before it begins: its first instant is part of it

    def _end(self, watch: Watch, current: int, moment: Moment) -> None:
        """The slot that was lived through is over: report it, unless more than it went by."""
        member = watch.member
        if current == member.slot + 1 and watch.lived(moment):
            watts = self.readings.means(member.plan, member.slot)
            self.latest[member.plan.id] = member.slot, watts
            member.close(watts, moment.wall + jitter(member.plan, self.source.stream("upload")))
        if member.slot < current:
            member.lost(current - 1, "the agent did not live through it")

    def _enter(self, watch: Watch, current: int, moment: Moment) -> None:
        if moment.wall - watch.start_of(current) > watch.slack:
            watch.member.lost(current, "the agent came late to it")
            return
        watch.living, watch.entered = current, moment
        self.readings.open(watch.member.plan, current)

    def _jumped(self, watch: Watch, moment: Moment) -> None:
        """A clock moved forward must not refresh a window: it costs a whole one."""
        member = watch.member
        last = min(watch.current(moment), member.plan.calendar.slots - 1)
        last = max(last, member.slot)  # the slot ahead, when the jump ends in one that is over already
        self.say(f"plan {member.plan.name}: the clock was moved forward; silent for a whole window")
        if last < member.plan.calendar.slots:
            member.lost(last, "the clock was moved forward", everything=True)
        watch.base, watch.living = moment, None

    def _silenced(self, member: Membership) -> str | None:
        """Why the owner wants no word under a plan, if so: a pause, or caps that are too low for it now."""
        if self.store.value("SELECT paused FROM plans WHERE place = ?", (member.place,)) is not None:
            return "paused"
        if not (barred := self.bars(self.caps, member.plan)):
            self.said.pop(f"caps {member.plan.id}", None)
            return None
        why = f"beyond the owner's caps: {'; '.join(barred)}"
        self._say_once(f"caps {member.plan.id}", f"plan {member.plan.name}: silent, {why}")
        return why

    def _tidy(self, moment: Moment) -> None:
        """Once a day, make what is long past take less room."""
        if moment.wall // DAY == self.tidied:
            return
        self.tidied = moment.wall // DAY
        for watch in self.watches.values():
            member = watch.member
            self.book.tidy(member.place, member.slot - member.plan.window, moment.wall - KEPT)

    def _remembered(self) -> Moment | None:
        noted = self.store.noted("moment")
        if noted is None:
            return None
        wall, alive, boot = str(noted).split(" ", 2)
        return Moment(int(wall), int(alive), boot)

    def _remember(self, moment: Moment) -> None:
        """Keep the base for the next start on this boot; written once, as the base hardly changes."""
        base = max((watch.base for watch in self.watches.values()), key=lambda base: base.wall, default=None)
        if base is not None and base != self._remembered():
            self.store.note("moment", f"{base.wall} {base.alive} {base.boot}")


def jitter(plan: Plan, entropy: Entropy) -> int:
    """How long a finished report waits, in nanoseconds: chance alone says, never the data."""
    most = min(GRACE, plan.slot.seconds * SECOND // 4)
    return int(entropy.words(1)[0]) * most >> 64
