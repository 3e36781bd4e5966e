"""Files of reports go into the store: the same checks and the same answers as for uploads.

Rows, tallies and how far the file has come are written by one transaction after another,
each of which is there whole or not at all.  So a run that was killed goes on where it
stopped, and nothing counts twice.  A service may run beside it: both take turns.
"""

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from hushwatt.errors import ReportError
from hushwatt.parallel import prefetch
from hushwatt.plan.times import show_instant
from hushwatt.provider.clock import UtcClock
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
    collect,
    validate,
)
from hushwatt.provider.intake.delivery import Delivery, RefusedDelivery
from hushwatt.provider.intake.device_cache import DeviceCache
from hushwatt.provider.intake.device_names import DeviceIndex, unique_devices
from hushwatt.provider.intake.file_labels import FileLabels, contradicted
from hushwatt.provider.schedule import SlotSchedule
from hushwatt.provider.store.cells import NO_CELL
from hushwatt.provider.store.deliveries import begin_delivery, declared_by_files, rows_taken, set_rows_taken
from hushwatt.provider.store.enrolment import FILE_SIGNER, count_named, enrol_named, set_declared_homes, were_erased
from hushwatt.provider.store.plans import PlanState, plan_state
from hushwatt.provider.store.session import Database, HomeNumbers, Rows, Session
from hushwatt.provider.store.slots import count_late
from hushwatt.provider.tally.draws import PUBLICATION
from hushwatt.wire.reports.refused_files import RefusedFile

if TYPE_CHECKING:
    from hushwatt.wire.reports import ReportBatch
    from hushwatt.wire.reports.rejected import RejectedWriter

PAUSE_SECONDS = 0.01  # seconds after a transaction, so that a service beside gets its turn
Advance = Callable[[int], None]
Flags = NDArray[np.bool_]


class NotBegun(ReportError):
    """A file has reports of a slot that has not begun; from there on it can be taken in later."""

    def __init__(self, words: str, slot: int) -> None:
        self.slot = slot
        super().__init__(words)


@dataclass
class IngestResult:
    """What became of the rows of some files."""

    files: int = 0
    known: int = 0  # rows that an earlier run had taken in
    accepted: int = 0
    repeated: int = 0  # in the store already, or more than once in the files
    late: int = 0  # of slots that had been published
    rejected: Counter[str] = field(default_factory=Counter)  # by reason
    homes: int = 0  # enrolled by these files
    refused_files: list[RefusedFile] = field(default_factory=list)  # of which nothing counts

    @property
    def rows(self) -> int:
        """Rows that this run has looked at."""
        return self.accepted + self.repeated + self.late + self.rejected.total()

    def document(self) -> dict[str, Any]:
        """All of it, for JSON."""
        files = {file.name: file.problem for file in self.refused_files}
        return vars(self) | {"rejected": dict(self.rejected), "refused_files": files}

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
class ValidatedRows:
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
        schedule: SlotSchedule,
        clock: UtcClock,
        homes: int | None = None,
        labels: FileLabels | None = None,
        rejected: "RejectedWriter | None" = None,
    ) -> None:
        """`homes` take part, whatever the files say; new ones get `labels`; `rejected` is given what is refused."""
        self._database, self._collection, self._schedule, self._clock = database, collection, schedule, clock
        self._declared, self._labels, self._rejected = homes, labels, rejected
        self._index = DeviceIndex()
        self._forgotten = 0  # homes erased and deliveries taken back when the known ones were looked up

    def take(self, files: Iterable[Delivery], advance: Advance = lambda rows: None) -> IngestResult:
        """Take all files in, one after the other; `advance` is told how many more rows are done.

        A file of which a row cannot be read is refused before any row of it counts; where refused reports are kept,
        it is kept there by its name, and the others go on.
        """
        ingested, sound = IngestResult(), []
        for file in files:
            with self._refusing(file, ingested, advance):
                if self._declared is None:
                    file.check_homes()
                sound.append(file)
            if self._labels is not None:
                self._labels.check(self._database, self._collection.number, file)
        for file in sound:
            with self._refusing(file, ingested, advance):
                self._take_file(file, ingested, advance)
                ingested.files += 1
        return ingested

    @contextmanager
    def _refusing(self, file: Delivery, ingested: IngestResult, advance: Advance) -> Iterator[None]:
        """Keep a file that is refused in the block beside refused reports; where none are kept, that is raised."""
        try:
            yield
        except RefusedDelivery as wrong:
            if self._rejected is None:
                raise
            refused = RefusedFile.of(str(file.path), wrong)
            self._rejected.write_file(refused)
            ingested.refused_files.append(refused)
            advance(file.reports.rows)

    def _take_file(self, file: Delivery, ingested: IngestResult, advance: Advance) -> None:
        content = file.content  # worked out before anybody has to wait for the store
        with self._database.reading() as session:
            done = rows_taken(session, self._collection.number, content)
        if done < file.reports.rows:
            file.check_rows()
        ingested.known += done
        advance(done)
        for rows in prefetch(self._validated(file, done)):
            file.check_same()
            with self._database.writing() as session:
                verdicts, homes = self._take_rows(session, file, rows)
            ingested.add(verdicts, homes)
            self._keep_rejected(file, rows, verdicts)
            ingested.known += len(rows.batch) - len(verdicts)
            advance(len(rows.batch))
            time.sleep(PAUSE_SECONDS)

    def _keep_rejected(self, file: Delivery, rows: ValidatedRows, verdicts: Verdicts) -> None:
        if self._rejected is not None:
            refused = np.flatnonzero((verdicts != ACCEPTED) & (verdicts != REPEATED))
            reasons = [REASONS[verdict] for verdict in verdicts[refused].tolist()]
            self._rejected.write(str(file.path), rows.first + refused, rows.batch.taken(refused), reasons)

    def _validated(self, file: Delivery, done: int) -> Iterator[ValidatedRows]:
        cache = DeviceCache(self._collection.plan)
        for first, batch in file.batches(done):
            self._refuse_coming(file, first, batch)
            verdicts = validate(self._collection, batch)
            verdicts[batch.round != PUBLICATION] = WRONG_ROUND
            yield ValidatedRows(first, batch, cache.devices(batch), verdicts)

    def _refuse_coming(self, file: Delivery, first: int, batch: "ReportBatch") -> None:
        """A slot that has not begun has no reports; once it has, the same file goes on from there."""
        coming = batch.slot > self._schedule.last_begun(self._clock.now())
        if coming.any():
            row = int(coming.argmax())
            begins = show_instant(self._schedule.plan.calendar.start_of(int(batch.slot[row])))
            refusal = file.reports.refusal(first + row, f"its slot has not begun; it begins at {begins}")
            raise NotBegun(str(refusal), int(batch.slot[row]))

    def _take_rows(self, session: Session, file: Delivery, rows: ValidatedRows) -> tuple[Verdicts, int]:
        """Keep what is new of some rows, and how far the file has come; verdicts, and homes enrolled."""
        number = self._collection.number
        if rows_taken(session, number, file.content) >= rows.end:  # another run is at the same file
            return rows.verdicts[:0], 0
        declared = file.reports.homes if self._declared is None else self._declared
        now = self._clock.now()
        delivery = begin_delivery(
            session, number, file.content, file.path.name, file.reports.rows, declared, int(now.timestamp())
        )
        set_declared_homes(session, number, declared_by_files(session, number))
        state = plan_state(session, number)
        homes, cells, verdicts, enrolled = self._homes(session, state, file, rows, delivery)
        first, last = state.published + 1, self._collection.plan.calendar.slots
        verdicts = collect(session, self._collection, rows.batch, homes, cells, verdicts, first, last, delivery)
        accepted, repeated = (int((verdicts == verdict).sum()) for verdict in (ACCEPTED, REPEATED))
        set_rows_taken(session, number, file.content, rows.end, accepted, repeated)
        return verdicts, enrolled

    def _homes(
        self, session: Session, state: PlanState, file: Delivery, rows: ValidatedRows, delivery: int
    ) -> tuple[HomeNumbers, HomeNumbers, Verdicts, int]:
        """The home and the cell of every row whose verdict is pending, new ones enrolled; others are settled here."""
        verdicts = rows.verdicts.copy()
        if state.erased + state.undone != self._forgotten:
            self._index, self._forgotten = DeviceIndex(), state.erased + state.undone
        homes, cells = self._index.find(rows.devices)
        unknown = np.flatnonzero((homes < 0) & (verdicts == PENDING))
        if not len(unknown):
            return homes, cells, verdicts, 0
        devices, which = unique_devices(rows.devices[unknown])
        known_homes, known_cells = self._looked_up(session, devices, delivery)
        said = self._said(session, file, rows, unknown, known_cells[which])
        late = (known_homes[which] < 0) & (rows.batch.slot[unknown] <= state.published)
        self._count_late(session, rows.batch.slot[unknown[late]])
        verdicts[unknown[late]] = TOO_LATE
        new = np.zeros(len(devices), dtype=bool)
        new[which[~late]] = True
        new &= known_homes < 0
        gone = np.zeros(len(devices), dtype=bool)
        if new.any():
            gone[new] = were_erased(session, devices[new])
        new &= ~gone
        if new.any():
            known_cells[which[new[which]]] = said[new[which]]
            self._enrol(session, devices, known_homes, known_cells, new, delivery)
        verdicts[unknown[gone[which] & ~late]] = ERASED
        homes[unknown], cells[unknown] = known_homes[which], known_cells[which]
        return homes, cells, verdicts, int(new.sum())

    def _said(
        self, session: Session, file: Delivery, rows: ValidatedRows, unknown: NDArray[np.intp], cells: HomeNumbers
    ) -> HomeNumbers:
        """The cells that the table of labels tells of some rows; those of known homes must be the same."""
        if self._labels is None:
            return np.full(len(unknown), NO_CELL, dtype=np.int64)
        households = rows.batch.households.take(unknown)
        said = self._labels.cells_of(session, self._collection.number, households)
        wrong = contradicted(cells, said)
        if wrong.any():
            raise self._labels.refusal(file, 1, rows.first + int(unknown[wrong.argmax()]))
        return said

    def _looked_up(self, session: Session, devices: Rows, delivery: int) -> tuple[HomeNumbers, HomeNumbers]:
        """The homes and the cells of devices that are enrolled; −1 where one is not."""
        number = self._collection.number
        known_homes, signers, known_cells = session.find_devices(number, devices)
        if (signers > FILE_SIGNER).any():
            named = session.name_homes(number, known_homes[signers > FILE_SIGNER], delivery)
            count_named(session, number, named)
        known = known_homes >= 0
        self._index.add(devices[known], known_homes[known], known_cells[known])
        return known_homes, known_cells

    def _enrol(
        self, session: Session, devices: Rows, homes: HomeNumbers, cells: HomeNumbers, new: Flags, delivery: int
    ) -> None:
        """Enrol new devices, and put their homes where they belong."""
        first = enrol_named(session, self._collection.number, devices[new], cells[new], delivery)
        homes[new] = np.arange(int(new.sum())) + first
        self._index.add(devices[new], homes[new], cells[new])

    def _count_late(self, session: Session, slots: NDArray[np.int32]) -> None:
        for slot, count in zip(*np.unique(slots, return_counts=True), strict=True):
            count_late(session, self._collection.number, int(slot), int(count))
