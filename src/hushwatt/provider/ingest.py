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

from hushwatt.ahead import ahead
from hushwatt.plan.times import show_instant
from hushwatt.provider.clock import Clock
from hushwatt.provider.collect import (
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
from hushwatt.provider.delivery import Delivery
from hushwatt.provider.draws import PUBLICATION
from hushwatt.provider.life import Life
from hushwatt.provider.named import KnownHomes, devices_of
from hushwatt.provider.store.deliveries import set_taken, taken
from hushwatt.provider.store.enrolment import FILES, enrol_named, tell_homes, were_erased
from hushwatt.provider.store.plans import PlanState, plan_state
from hushwatt.provider.store.session import Database, Homes, Rows, Session
from hushwatt.provider.store.slots import count_late
from hushwatt.wire.record import DEVICE

if TYPE_CHECKING:
    from hushwatt.wire.table import ReportBatch

PAUSE = 0.01  # seconds after a transaction, so that a service beside gets its turn
Advance = Callable[[int], None]


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

    def __init__(self, database: Database, collection: Collection, life: Life, clock: Clock) -> None:
        self._database, self._collection, self._life, self._clock = database, collection, life, clock
        self._known = KnownHomes()
        self._erased = 0  # homes that had been erased when the known ones were looked up

    def take(self, files: Iterable[Delivery], advance: Advance = lambda rows: None) -> Ingested:
        """Take all files in, one after the other; `advance` is told how many more rows are done."""
        ingested = Ingested()
        for file in files:
            ingested.files += 1
            self._take_file(file, ingested, advance)
        return ingested

    def _take_file(self, file: Delivery, ingested: Ingested, advance: Advance) -> None:
        with self._database.writing() as session:
            tell_homes(session, self._collection.number, told=file.reports.homes, named=0)
            begin = taken(session, self._collection.number, file.content)
        ingested.known += begin
        advance(begin)
        for judged in ahead(self._judged(file, begin)):
            file.check_same()
            with self._database.writing() as session:
                verdicts, homes = self._take_rows(session, file, judged)
            ingested.add(verdicts, homes)
            ingested.known += len(judged.batch) - len(verdicts)
            advance(len(judged.batch))
            time.sleep(PAUSE)

    def _judged(self, file: Delivery, begin: int) -> Iterator[Judged]:
        for first, batch in file.batches(begin):
            self._refuse_coming(file, first, batch)
            verdicts = judge(self._collection, batch)
            verdicts[batch.round != PUBLICATION] = WRONG_ROUND
            yield Judged(first, batch, devices_of(self._collection.plan, batch.households), verdicts)

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
        state = plan_state(session, number)
        homes, verdicts, enrolled = self._homes(session, state, judged)
        first, last = state.published + 1, self._collection.plan.calendar.slots
        verdicts = settle(session, self._collection, judged.batch, homes, verdicts, first, last)
        set_taken(session, number, file.content, judged.end)
        return verdicts, enrolled

    def _homes(self, session: Session, state: PlanState, judged: Judged) -> tuple[Homes, Verdicts, int]:
        """The home of every row whose verdict is pending, new ones enrolled; others are settled here."""
        number, verdicts, slots = self._collection.number, judged.verdicts.copy(), judged.batch.slot
        if state.erased != self._erased:
            self._known, self._erased = KnownHomes(), state.erased
        homes = self._found(session, judged.devices)
        strangers = (homes < 0) & (verdicts == PENDING)
        late = strangers & (slots <= state.published)
        verdicts[late] = TOO_LATE
        for slot, count in zip(*np.unique(slots[late], return_counts=True), strict=True):
            count_late(session, number, int(slot), int(count))
        new = np.flatnonzero(strangers & ~late)
        devices, places = distinct(judged.devices[new])
        gone = were_erased(session, devices)
        verdicts[new[gone[places]]] = ERASED
        numbers = np.full(len(devices), -1, dtype=np.int64)
        enrolled = int((~gone).sum())
        if enrolled:
            numbers[~gone] = np.arange(enrolled) + enrol_named(session, number, devices[~gone])
            self._known.add(devices[~gone], numbers[~gone])
        homes[new] = numbers[places]
        return homes, verdicts, enrolled

    def _found(self, session: Session, devices: Rows) -> Homes:
        """The homes of devices that are enrolled; −1 where one is not."""
        homes = self._known.find(devices)
        asked, places = distinct(devices[homes < 0])
        if len(asked):
            number = self._collection.number
            found, signers = session.find_devices(number, asked)
            tell_homes(session, number, told=0, named=session.name_homes(number, found[signers > FILES]))
            self._known.add(asked[found >= 0], found[found >= 0])
            homes[homes < 0] = found[places]
        return homes


def distinct(devices: Rows) -> tuple[Rows, NDArray[np.intp]]:
    """Each device once, in the order they come, and where each row's is among them."""
    raw, places = devices.tobytes(), dict[bytes, int]()
    for start in range(0, len(raw), DEVICE):
        places.setdefault(raw[start : start + DEVICE], len(places))
    where = [places[raw[start : start + DEVICE]] for start in range(0, len(raw), DEVICE)]
    return np.frombuffer(b"".join(places), dtype=np.uint8).reshape(-1, DEVICE), np.array(where, dtype=np.intp)
