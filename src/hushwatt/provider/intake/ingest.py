"""Files of reports go into the store: the same checks and the same answers as for uploads.

Rows, tallies and how far the file has come are written by one transaction after another,
each of which is there whole or not at all.  So a run that was killed goes on where it
stopped, and nothing counts twice.  A service may run beside it: both take turns.
"""

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from hushwatt.parallel import prefetch
from hushwatt.plan.times import show_instant
from hushwatt.provider.clock import Clock
from hushwatt.provider.intake.collect import (
    ACCEPTED,
    ERASED,
    PENDING,
    REASONS,
    REPEATED,
    TOO_LATE,
    WRONG_ROUND,
    Collection,
    Verdicts,
    judge,
    settle,
)
from hushwatt.provider.intake.delivery import Delivery, check_told
from hushwatt.provider.intake.device_cache import DeviceCache
from hushwatt.provider.intake.device_names import KnownHomes, distinct
from hushwatt.provider.schedule import SlotSchedule
from hushwatt.provider.store.deliveries import begin, set_taken, taken, told_by_files
from hushwatt.provider.store.enrolment import FILES, enrol_named, set_told, tell_homes, were_erased
from hushwatt.provider.store.plans import PlanState, plan_state
from hushwatt.provider.store.session import Database, Homes, Rows, Session
from hushwatt.provider.store.slots import count_late
from hushwatt.provider.tally.draws import PUBLICATION

if TYPE_CHECKING:
    from hushwatt.wire.reports import ReportBatch

PAUSE = 0.01  # seconds after a transaction, so that a service beside gets its turn
Advance = Callable[[int], None]
Flags = NDArray[np.bool_]


@dataclass
class Ingested:
    """What became of the rows of some files."""

    files: int = 0
    known: int = 0  # rows that an earlier run had taken in
    accepted: int = 0
    repeated: int = 0  # in the store already, or more than once in the files
    late: int = 0  # of slots that had been published
    rejected: Counter[str] = field(default_factory=Counter)  # by reason
    homes: int = 0  # enrolled by these files

    @property
    def rows(self) -> int:
        """Rows that this run has looked at."""
        return self.accepted + self.repeated + self.late + self.rejected.total()

    def add(self, verdicts: Verdicts, homes: int) -> None:
        counts = np.bincount(verdicts, minlength=len(REASONS) + TOO_LATE)
        self.accepted += int(counts[ACCEPTED])
        self.repeated += int(counts[REPEATED])
        self.late += int(counts[TOO_LATE])
        self.homes += homes
        for verdict, reason in REASONS.items():
            if counts[verdict] and verdict != TOO_LATE:
                self.rejected[reason] += int(counts[verdict])


@dataclass(frozen=True)
class Judged:
    """Consecutive rows of a file, with what can be said of them without the store."""

    first: int  # number of the first row
    batch: "ReportBatch"
    devices: Rows
    verdicts: Verdicts

    @property
    def end(self) -> int:
        return self.first + len(self.batch)


class Ingest:
    """Takes files into the collection of one plan."""

    def __init__(
        self,
        database: Database,
        collection: Collection,
        life: SlotSchedule,
        clock: Clock,
        homes: int | None = None,
    ) -> None:
        """`homes` take part, whatever the files say."""
        self._database, self._collection, self._life, self._clock = database, collection, life, clock
        self._told = homes
        self._known = KnownHomes()
        self._forgotten = 0  # homes erased and deliveries taken back when the known ones were looked up

    def take(self, files: Iterable[Delivery], advance: Advance = lambda rows: None) -> Ingested:
        """Take all files in, one after the other; `advance` is told how many more rows are done."""
        ingested = Ingested()
        files = list(files)
        for file in files:
            if self._told is None:
                check_told(file)
        for file in files:
            ingested.files += 1
            self._take_file(file, ingested, advance)
        return ingested

    def _take_file(self, file: Delivery, ingested: Ingested, advance: Advance) -> None:
        content = file.content  # worked out before anybody has to wait for the store
        with self._database.reading() as session:
            begin = taken(session, self._collection.number, content)
        ingested.known += begin
        advance(begin)
        for judged in prefetch(self._judged(file, begin)):
            file.check_same()
            with self._database.writing() as session:
                verdicts, homes = self._take_rows(session, file, judged)
            ingested.add(verdicts, homes)
            ingested.known += len(judged.batch) - len(verdicts)
            advance(len(judged.batch))
            time.sleep(PAUSE)

    def _judged(self, file: Delivery, begin: int) -> Iterator[Judged]:
        roll = DeviceCache(self._collection.plan)
        for first, batch in file.batches(begin):
            self._refuse_coming(file, first, batch)
            verdicts = judge(self._collection, batch)
            verdicts[batch.round != PUBLICATION] = WRONG_ROUND
            yield Judged(first, batch, roll.devices(batch), verdicts)

    def _refuse_coming(self, file: Delivery, first: int, batch: "ReportBatch") -> None:
        """A slot that has not begun has no reports; once it has, the same file goes on from there."""
        coming = batch.slot > self._life.last_begun(self._clock.now())
        if coming.any():
            row = int(coming.argmax())
            begins = show_instant(self._life.plan.calendar.start_of(int(batch.slot[row])))
            raise file.reports.refusal(first + row, f"its slot has not begun; it begins at {begins}")

    def _take_rows(self, session: Session, file: Delivery, judged: Judged) -> tuple[Verdicts, int]:
        """Keep what is new of some rows, and how far the file has come; verdicts, and homes enrolled."""
        number = self._collection.number
        if taken(session, number, file.content) >= judged.end:  # another run is at the same file
            return judged.verdicts[:0], 0
        told, now = file.reports.homes if self._told is None else self._told, self._clock.now()
        delivery = begin(
            session, number, file.content, file.path.name, file.reports.rows, told, int(now.timestamp())
        )
        set_told(session, number, told_by_files(session, number))
        state = plan_state(session, number)
        homes, verdicts, enrolled = self._homes(session, state, judged, delivery)
        first, last = state.published + 1, self._collection.plan.calendar.slots
        verdicts = settle(session, self._collection, judged.batch, homes, verdicts, first, last, delivery)
        accepted, repeated = (int((verdicts == verdict).sum()) for verdict in (ACCEPTED, REPEATED))
        set_taken(session, number, file.content, judged.end, accepted, repeated)
        return verdicts, enrolled

    def _homes(
        self, session: Session, state: PlanState, judged: Judged, delivery: int
    ) -> tuple[Homes, Verdicts, int]:
        """The home of every row whose verdict is pending, new ones enrolled; others are settled here."""
        verdicts = judged.verdicts.copy()
        if state.erased + state.undone != self._forgotten:
            self._known, self._forgotten = KnownHomes(), state.erased + state.undone
        homes = self._known.find(judged.devices)
        rows = np.flatnonzero((homes < 0) & (verdicts == PENDING))
        if not len(rows):
            return homes, verdicts, 0
        devices, places = distinct(judged.devices[rows])
        found = self._looked_up(session, devices, delivery)
        late = (found[places] < 0) & (judged.batch.slot[rows] <= state.published)
        self._count_late(session, judged.batch.slot[rows[late]])
        verdicts[rows[late]] = TOO_LATE
        strange = np.zeros(len(devices), dtype=bool)
        strange[places[~late]] = True
        gone, enrolled = self._enrolled(session, devices, found, strange & (found < 0), delivery)
        verdicts[rows[gone[places] & ~late]] = ERASED
        homes[rows] = found[places]
        return homes, verdicts, enrolled

    def _looked_up(self, session: Session, devices: Rows, delivery: int) -> Homes:
        """The homes of devices that are enrolled; −1 where one is not."""
        number = self._collection.number
        found, signers = session.find_devices(number, devices)
        if (signers > FILES).any():
            named = session.name_homes(number, found[signers > FILES], delivery)
            tell_homes(session, number, told=0, named=named)
        self._known.add(devices[found >= 0], found[found >= 0])
        return found

    def _enrolled(
        self, session: Session, devices: Rows, found: Homes, new: Flags, delivery: int
    ) -> tuple[Flags, int]:
        """Enrol new devices, and put their homes where they belong; which were erased, how many enrolled."""
        gone = np.zeros(len(devices), dtype=bool)
        if new.any():
            gone[new] = were_erased(session, devices[new])
        new = new & ~gone
        count = int(new.sum())
        if count:
            first = enrol_named(session, self._collection.number, devices[new], delivery)
            found[new] = np.arange(count) + first
            self._known.add(devices[new], found[new])
        return gone, count

    def _count_late(self, session: Session, slots: NDArray[np.int32]) -> None:
        for slot, count in zip(*np.unique(slots, return_counts=True), strict=True):
            count_late(session, self._collection.number, int(slot), int(count))
