"""Where uploads wait for the disk: one thread writes, everyone else is told when it is safe.

Writes are committed in groups (group commit): all that has gathered while the disk was busy goes
into the next transaction, so a thousand uploads cost one wait.  An answer is given after the commit,
never before.  When too much waits, more is sent away (backpressure).
"""

import asyncio
import queue
import threading
import time
from collections import defaultdict
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from hushwatt.errors import HushwattError
from hushwatt.provider.checks.plausible import bands_at_hand
from hushwatt.provider.clock import UtcClock
from hushwatt.provider.intake.collect import ACCEPTED, REASONS, REPEATED, Collection, Verdicts, collect_signed, validate
from hushwatt.provider.metrics import Metrics
from hushwatt.provider.schedule import SlotSchedule
from hushwatt.provider.store.plans import plan_state
from hushwatt.provider.store.session import Database, Session, StoreUnavailable
from hushwatt.provider.telemetry import span_since
from hushwatt.wire.record import HEADER_BYTES, Records

JobResult = TypeVar("JobResult")
MAX_PENDING = 20_000  # uploads; more are sent away until the disk has caught up
MAX_PENDING_BYTES = 32 * 1024 * 1024  # of uploads that wait, likewise
MAX_GROUP_REPORTS = 100_000  # reports in one transaction, or a little more

GROUP_COMMIT_UPLOADS = 4  # in one transaction: from then on it is worth waiting for more
GROUP_COMMIT_SECONDS = 0.006  # to wait for them


@dataclass(frozen=True)
class UploadResult:
    """What became of an upload: how many were accepted or known already, and which were refused."""

    accepted: int
    repeated: int
    rejected: tuple[tuple[int, str], ...]  # index in the upload and reason

    @classmethod
    def of(cls, verdicts: Verdicts) -> "UploadResult":
        refused = np.flatnonzero(verdicts > REPEATED)
        return cls(
            accepted=int((verdicts == ACCEPTED).sum()),
            repeated=int((verdicts == REPEATED).sum()),
            rejected=tuple((int(index), REASONS[int(verdicts[index])]) for index in refused),
        )


ONE_ACCEPTED = UploadResult(1, 0, ())  # the answer to most uploads


@dataclass
class _PendingWrite:
    """Something to write, and the future of whoever waits for it."""

    future: "asyncio.Future[Any]"
    upload: tuple[Collection, int, Records] | None = None
    verdicts: Verdicts | None = None  # on an upload that took long to validate
    job: Callable[[Session], Any] | None = None
    result: Any = None

    @property
    def size(self) -> int:
        return len(self.upload[2]) if self.upload else 1

    @property
    def bytes(self) -> int:
        return len(self.upload[2]) * (HEADER_BYTES + self.upload[2].payloads.shape[1]) if self.upload else 0

    def resolve(self) -> None:
        if self.future.done():  # whoever asked has gone
            return
        if isinstance(self.result, BaseException):
            self.future.set_exception(self.result)
        else:
            self.future.set_result(self.result)


class Inbox:
    """The only writer of the store."""

    def __init__(
        self, database: Database, schedules: dict[int, SlotSchedule], clock: UtcClock, metrics: Metrics
    ) -> None:
        self._database, self._schedules, self._clock, self._metrics = database, schedules, clock, metrics
        self._bytes = 0  # of uploads that wait
        self._queue: queue.SimpleQueue[_PendingWrite | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._commit_loop, name="hushwatt-inbox", daemon=True)
        self._thread.start()

    async def submit(self, collection: Collection, signer: int, records: Records) -> UploadResult:
        """Keep an upload; the answer comes when it would survive power loss."""
        verdicts = None
        if not bands_at_hand(collection.layout, records.drawn.astype(np.int64), records.payloads):
            verdicts = await asyncio.to_thread(validate, collection, records)
        result = await self._enqueue(upload=(collection, signer, records), verdicts=verdicts)
        assert isinstance(result, UploadResult)
        return result

    async def write(self, job: Callable[[Session], JobResult]) -> JobResult:
        """Run `job` in a transaction.  It may refuse by a HushwattError, before it has written anything."""
        result: JobResult = await self._enqueue(job=job)
        return result

    def close(self) -> None:
        """Write what is waiting, then stop."""
        self._queue.put(None)
        self._thread.join()

    async def _enqueue(self, **fields: Any) -> Any:
        future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        write = _PendingWrite(future, **fields)
        full = self._bytes > 0 and self._bytes + write.bytes > MAX_PENDING_BYTES
        if full or self._queue.qsize() >= MAX_PENDING:
            raise StoreUnavailable("too many uploads are waiting for the disk", "behind")
        self._bytes += write.bytes
        self._queue.put(write)
        try:
            return await future
        finally:
            self._bytes -= write.bytes

    def _commit_loop(self) -> None:
        busy = False
        while (first := self._queue.get()) is not None:
            if busy:
                time.sleep(GROUP_COMMIT_SECONDS)
            batch, size, last = [first], first.size, False
            while size < MAX_GROUP_REPORTS and not last:
                try:
                    more = self._queue.get_nowait()
                except queue.Empty:
                    break
                if more is None:
                    last = True
                else:
                    batch.append(more)
                    size += more.size
            busy = len(batch) >= GROUP_COMMIT_UPLOADS
            self._commit(batch)
            if last:
                return

    def _commit(self, batch: list[_PendingWrite]) -> None:
        """Commit a group of writes by one transaction, then tell everyone."""
        began, trouble = time.perf_counter_ns(), None
        try:
            with self._metrics.commit_seconds.time(), self._database.writing() as session:
                self._write(session, batch)
        except Exception as failure:  # each waiting request answers for it
            trouble = type(failure).__name__
            for write in batch:
                write.result = failure
        reports = sum(write.size for write in batch if write.upload)
        self._metrics.telemetry.write(*span_since(began), len(batch), reports, trouble)
        loops = {write.future.get_loop() for write in batch}
        for loop in loops:  # waking a loop is dear, so once for all
            with suppress(RuntimeError):  # it has stopped, and nobody waits
                loop.call_soon_threadsafe(_resolve_all, [each for each in batch if each.future.get_loop() is loop])

    def _write(self, session: Session, batch: list[_PendingWrite]) -> None:
        uploads: defaultdict[int, list[_PendingWrite]] = defaultdict(list)
        for write in batch:
            if write.upload:
                uploads[write.upload[0].number].append(write)
            elif write.job:
                try:
                    write.result = write.job(session)
                except StoreUnavailable:
                    raise
                except HushwattError as refusal:
                    write.result = refusal
        for number, writes in uploads.items():
            self._collect(session, self._schedules[number], writes)

    def _collect(self, session: Session, schedule: SlotSchedule, batch: list[_PendingWrite]) -> None:
        """Take the uploads of one plan as if they were one."""
        uploads = [write.upload for write in batch if write.upload]
        collection = uploads[0][0]
        sizes = [len(records) for _, _, records in uploads]
        records = joined_records([records for _, _, records in uploads])
        signers = np.repeat(np.array([signer for _, signer, _ in uploads], dtype=np.int64), sizes)
        now, published = self._clock.now(), plan_state(session, collection.number).published
        verdicts = collect_signed(
            session,
            collection,
            records,
            signers,
            validated(batch, collection, records),
            first=max(schedule.first_open(now), published + 1),
            last=schedule.last_begun(now),
        )
        for write, result in zip(batch, upload_results(verdicts, sizes), strict=True):
            write.result = result


def joined_records(parts: list[Records]) -> Records:
    """Several uploads as one."""
    if len(parts) == 1:
        return parts[0]
    names = ("devices", "slot", "spent", "drawn", "payloads")
    return Records(*(np.concatenate([getattr(part, name) for part in parts]) for name in names))


def validated(batch: list[_PendingWrite], collection: Collection, records: Records) -> Verdicts:
    """What can be said of all records without the store; mostly nothing has been said yet."""
    if not any(write.verdicts is not None for write in batch):
        return validate(collection, records)
    verdicts = [
        validate(collection, write.upload[2]) if write.verdicts is None else write.verdicts
        for write in batch
        if write.upload
    ]
    return np.concatenate(verdicts)


def upload_results(verdicts: Verdicts, sizes: list[int]) -> list[UploadResult]:
    """The answer to each of several uploads."""
    if len(sizes) == len(verdicts) and (verdicts == ACCEPTED).all():
        return [ONE_ACCEPTED] * len(sizes)
    return [UploadResult.of(part) for part in np.split(verdicts, np.cumsum(sizes)[:-1])]


def _resolve_all(batch: list[_PendingWrite]) -> None:
    for write in batch:
        write.resolve()
