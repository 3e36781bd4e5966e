"""How much time has demonstrably passed, whatever the clock on the wall says.

*Running time* is the count of nanoseconds that this machine was seen to run, by its own
clock; it is kept on disk and only grows.  The *offset* is what the wall's clock shows
beyond it: constant while the clock is honest, larger when it is moved forward.  A spend
is stamped with both, so that later its age can be told: as much as the machine ran
since, and for time off what `credits` allows.  (docs/proofs/real-time.md)
"""

import secrets
from collections import deque
from dataclasses import dataclass

import apsw

from hushwatt.household.clock import SECOND, Moment
from hushwatt.household.ledger.high_water_mark import HighWaterMark
from hushwatt.household.ledger.store import Store

TOLERANCE = SECOND  # two looks at the clocks may disagree by this much
OFF_TIME_PARTS = 20  # time off counts for up to one part in so many of the stretch that is protected
MAX_BOOTS = 256  # boots; what is older gets no credit
RUNNING_KEY, STATE_KEY = "running", "state"
STAMP_SQL = "UPDATE spends SET running = end - ?, boots = 0 WHERE running IS NULL"

SqlCondition = tuple[str, tuple[int, ...]]
"""Part of a query on spends, and its values."""


@dataclass(frozen=True)
class ClockSample:
    """One look at the clocks, with the running time it was taken at."""

    wall: int
    alive: int
    boot: str
    running: int

    @property
    def offset(self) -> int:
        return self.wall - self.running

    @property
    def text(self) -> str:
        return f"{self.wall} {self.alive} {self.running} {self.boot}"


@dataclass(frozen=True)
class Boot:
    """A time off that ended with the machine's (or an unknown machine's) new start."""

    number: int  # from 1; spends carry the number of the boot they were made in
    running: int  # at the start
    before: int  # the offset when the machine was last seen before
    first: int  # the offset at the first look after


BEFORE_ALL_BOOTS = Boot(0, -(1 << 62), 0, 0)  # before it there was nothing
Credits = list[tuple[Boot, int]]


class MonotonicClock:
    """The home's running time, its boots, and what they say about spends."""

    def __init__(self, store: Store, mark: HighWaterMark | None = None) -> None:
        self.store, self.mark = store, mark
        self.sample = _parse_sample(store.read_value(RUNNING_KEY))
        self.boots = [Boot(**row) for row in store.rows("SELECT * FROM boots ORDER BY number")]
        self.unseen = 0  # running time that passed on this boot before the first look, and left no trace
        self.newest = False  # nothing was spent since this ledger was written last: until time is kept again
        self._kept: int | None = None  # the running time on disk
        self._origin: int | None = None  # the offset of spends from before there was running time
        self._earlier: int | None = None  # the offset on disk, for what may have happened unseen
        self._looked = False

    def look(self, moment: Moment) -> None:
        """Let the running time go on to `moment`."""
        last = self.sample or self._begin(moment)
        self._origin = last.offset if self.sample is None else self._origin
        known = bool(moment.boot) or self._looked or self.sample is None
        if known and last.boot == moment.boot and moment.alive >= last.alive:
            ran = moment.alive - last.alive
            if not self._looked and self.sample is not None:
                self.newest = self._newest()
                self.unseen, self._earlier = (0, None) if self.newest else (ran, last.offset)
        else:
            ran = 0
            first = moment.wall - last.running
            self.boots = [*self.boots, Boot(self.number + 1, last.running, last.offset, first)][-MAX_BOOTS:]
        self.sample = ClockSample(moment.wall, moment.alive, moment.boot, last.running + ran)
        self._looked = True

    def _newest(self) -> bool:
        """Whether this is known to be the last state that this home's ledger ever had."""
        state = self.store.read_value(STATE_KEY)
        return self.mark is not None and state is not None and self.mark.read() == state

    def _begin(self, moment: Moment) -> ClockSample:
        """Running time begins: for a ledger from before there was any, when its newest spend was made."""
        noted = str(self.store.read_value("moment") or "").split(" ", 2)
        if len(noted) == 3 and noted[2] and noted[2] == moment.boot and int(noted[1]) <= moment.alive:
            return ClockSample(int(noted[0]), int(noted[1]), noted[2], 0)
        newest = self.store.value("SELECT max(end) FROM spends")
        if newest is None:
            return ClockSample(moment.wall, moment.alive, moment.boot, 0)
        return ClockSample(min(newest, moment.wall), 0, "before", 0)

    @property
    def number(self) -> int:
        """Of the boot that this is; 0 before the first that was noticed."""
        return self.boots[-1].number if self.boots else 0

    @property
    def offset(self) -> int:
        assert self.sample is not None
        return self.sample.offset

    @property
    def _just_started(self) -> bool:
        """Whether this is the first look after the last boot."""
        assert self.sample is not None
        return bool(self.boots) and self.sample.running == self.boots[-1].running

    @property
    def behind(self) -> bool:
        """Whether the clock shows less than had passed when it was seen last."""
        last = self.boots[-1].before if self.boots and self._earlier is None else self._earlier
        return self._kept is None and last is not None and self.offset < last - TOLERANCE

    def settled(self, offset: int) -> bool:
        """Whether a clock with this offset had been set right since the last boot, or there was none."""
        return not self.boots or offset > self.boots[-1].first + TOLERANCE

    def stamp(self, end: int) -> tuple[int | None, int | None]:
        """Running time and boot of a slot that ends at `end` by the wall, and is charged now.

        A slot that was over before the machine started belongs to the time before that, and so does
        every slot at the first look after a start, when the clock may be in the past.  One that
        nobody saw may have ended by the clock as it was seen last, or as it is now: at the later time.
        Nothing was spent in what is still to come.
        """
        if self.sample is None:
            return None, None
        if self.boots and (end <= self.offset + self.boots[-1].running or self._just_started):
            return end - self.boots[-1].before, self.number - 1
        earlier = self.offset if self._earlier is None else self._earlier
        return min(end - min(self.offset, earlier), self.sample.running), self.number

    def due(self, every: int) -> bool:
        """Whether that much running time is not yet on disk."""
        assert self.sample is not None
        return self._kept is None or self.sample.running - self._kept >= every

    def keep(self) -> None:
        """Put the running time on disk; what passed unseen has been counted by then."""
        with self.store.transaction() as disk:
            if self._origin is not None:
                disk.execute(STAMP_SQL, (self._origin,))
            self.write(disk)
        self.unseen, self.newest, self._origin, self._earlier = 0, False, None, None

    def write(self, disk: apsw.Connection) -> None:
        """The same, as part of a running change."""
        if self.sample is None:
            return
        state = secrets.token_hex(16)  # no two states of a ledger have the same
        disk.execute(
            "INSERT OR REPLACE INTO home VALUES (?, ?), (?, ?)", (RUNNING_KEY, self.sample.text, STATE_KEY, state)
        )
        if self.mark is not None:
            self.mark.write(state)
        for boot in self.boots[-1:]:
            row = (boot.number, boot.running, boot.before, boot.first)
            disk.execute("INSERT OR REPLACE INTO boots VALUES (?, ?, ?, ?)", row)
            disk.execute("DELETE FROM boots WHERE number <= ?", (boot.number - MAX_BOOTS,))
        self._kept = self.sample.running

    def credits(self, length: int) -> Credits:
        """How much of each time off counts as passed, for a promise about any stretch of `length`.

        As much as the wall's clock shows, but in any such stretch a twentieth of it at most.
        """
        credits, total = Credits(), 0
        given = deque[tuple[int, int]]()  # lately: until when, and how much
        ends = [boot.before for boot in self.boots[1:]] + ([self.offset] if self.boots else [])
        for boot, after in zip(self.boots, ends, strict=True):
            start = boot.running + total
            while given and start - given[0][0] >= length:
                given.popleft()
            left = length // OFF_TIME_PARTS - sum(credit for _, credit in given)
            credit = max(0, min(after - boot.before, left))
            total += credit
            given.append((start + credit, credit))
            credits.append((boot, credit))
        return credits

    def moved(self, end: int, running: int | None, boots: int | None, credits: Credits) -> int:
        """Where a slot that ended at `end`, by the wall's clock of its day, ended by that of today."""
        if self.sample is None or running is None or boots is None:
            return end
        for boot, credit in credits:
            if boot.number > boots:
                running = min(running, boot.running + credit) - credit
        return self.offset + running

    def lasting(
        self, start: int, end: int, running: int | None, boots: int | None, credits: Credits
    ) -> tuple[int, int]:
        """From the time that a spend's slot had to the time it must be given now, or back."""
        moved = self.moved(end, running, boots, credits)
        if moved < start:  # the clock was set back since
            start += moved - end
        return start, moved if moved > end + TOLERANCE else end

    def since(self, moment: int, length: int, tolerance: int = TOLERANCE) -> SqlCondition:
        """Spends that `moved` to after a moment: they are not shown to be older."""
        if self.sample is None:
            return "0", ()
        cutoff, upper = moment - self.offset + tolerance, self.number
        clauses, values = list[str](), list[int]()
        for boot, credit in [*reversed(self.credits(length)), (BEFORE_ALL_BOOTS, 0)]:
            older = boot.running <= cutoff  # all that was made before this boot
            if credit or older:  # the boots up to here share a cutoff
                clauses.append("(boots BETWEEN ? AND ? AND running > ?)")
                values += [boot.number, upper, cutoff]
                upper = boot.number - 1
            if older:
                break
            cutoff += credit
        return f"({' OR '.join(clauses)})", tuple(values)


def _parse_sample(told: object) -> ClockSample | None:
    if told is None:
        return None
    wall, alive, running, boot = str(told).split(" ", 3)
    return ClockSample(int(wall), int(alive), boot, int(running))
