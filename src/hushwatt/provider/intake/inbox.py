"""Where uploads wait for the disk: one thread writes, everyone else is told when it is safe.

All that has gathered while the disk was busy goes into the next transaction, so a
thousand uploads cost one wait.  An answer is given after the commit, never before.
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
from hushwatt.provider.clock import Clock
from hushwatt.provider.intake.collect import ACCEPTED, REASONS, REPEATED, Collection, Verdicts, judge, take
from hushwatt.provider.metrics import Metrics
from hushwatt.provider.schedule import SlotSchedule
from hushwatt.provider.store.plans import plan_state
from hushwatt.provider.store.session import Database, Session, StoreUnavailable
from hushwatt.wire.record import HEADER_BYTES, Records

Result = TypeVar("Result")
MOST_WAITING = 20_000  # uploads; more are sent away until the disk has caught up
MOST_BYTES = 32 * 1024 * 1024  # of uploads that wait, likewise
MOST_TOGETHER = 100_000  # reports in one transaction, or a little more

BUSY, LINGER = 4, 0.006  # uploads at once that call for waiting, and for how many seconds, to gather more


@dataclass(frozen=True)
class Answer:
    """What became of an upload: how many were accepted or known already, and which were refused."""

    accepted: int
    repeated: int
    rejected: tuple[tuple[int, str], ...]  # index in the upload and reason

    @classmethod
    def of(cls, verdicts: Verdicts) -> "Answer":
        refused = np.flatnonzero(verdicts > REPEATED)
        return cls(
            accepted=int((verdicts == ACCEPTED).sum()),
            repeated=int((verdicts == REPEATED).sum()),
            rejected=tuple((int(place), REASONS[int(verdicts[place])]) for place in refused),
        )


ONE = Answer(1, 0, ())  # the answer to most uploads


@dataclass
class _Waiting:
    """Something to write, and whom to tell."""

    told: "asyncio.Future[Any]"
    upload: tuple[Collection, int, Records] | None = None
    verdicts: Verdicts | None = None  # on an upload that took long to judge
    job: Callable[[Session], Any] | None = None
    result: Any = None

    @property
    def size(self) -> int:
        return len(self.upload[2]) if self.upload else 1

    @property
    def bytes(self) -> int:
        return len(self.upload[2]) * (HEADER_BYTES + self.upload[2].payloads.shape[1]) if self.upload else 0

    def tell(self) -> None:
        if self.told.done():  # whoever asked has gone
            return
        if isinstance(self.result, BaseException):
            self.told.set_exception(self.result)
        else:
            self.told.set_result(self.result)


class Inbox:
    """The only writer of the store."""

    def __init__(
        self, database: Database, lives: dict[int, SlotSchedule], clock: Clock, metrics: Metrics
    ) -> None:
        self._database, self._lives, self._clock, self._metrics = database, lives, clock, metrics
        self._bytes = 0  # of uploads that wait
        self._queue: queue.SimpleQueue[_Waiting | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._work, name="hushwatt-inbox", daemon=True)
        self._thread.start()

    async def deliver(self, collection: Collection, signer: int, records: Records) -> Answer:
        """Keep an upload; the answer comes when it would survive power loss."""
        verdicts = None
        if not bands_at_hand(collection.layout, records.drawn.astype(np.int64), records.payloads):
            verdicts = await asyncio.to_thread(judge, collection, records)
        answer = await self._wait(upload=(collection, signer, records), verdicts=verdicts)
        assert isinstance(answer, Answer)
        return answer

    async def write(self, job: Callable[[Session], Result]) -> Result:
        """Run `job` in a transaction.  It may refuse by a HushwattError, before it has written anything."""
        result: Result = await self._wait(job=job)
        return result

    def close(self) -> None:
        """Write what is waiting, then stop."""
        self._queue.put(None)
        self._thread.join()

    async def _wait(self, **what: Any) -> Any:
        told: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        waiting = _Waiting(told, **what)
        full = self._bytes > 0 and self._bytes + waiting.bytes > MOST_BYTES
        if full or self._queue.qsize() >= MOST_WAITING:
            raise StoreUnavailable("too many uploads are waiting for the disk")
        self._bytes += waiting.bytes
        self._queue.put(waiting)
        try:
            return await told
        finally:
            self._bytes -= waiting.bytes

    def _work(self) -> None:
        busy = False
        while (first := self._queue.get()) is not None:
            if busy:
                time.sleep(LINGER)
            batch, size, last = [first], first.size, False
            while size < MOST_TOGETHER and not last:
                try:
                    more = self._queue.get_nowait()
                except queue.Empty:
                    break
                if more is None:
                    last = True
                else:
                    batch.append(more)
                    size += more.size
            busy = len(batch) >= BUSY
            self._finish(batch)
            if last:
                return

    def _finish(self, batch: list[_Waiting]) -> None:
        """Write a batch, then tell everyone."""
        try:
            with self._metrics.commit_seconds.time(), self._database.writing() as session:
                self._write(session, batch)
        except Exception as failure:  # each waiting request answers for it
            for waiting in batch:
                waiting.result = failure
        loops = {waiting.told.get_loop() for waiting in batch}
        for loop in loops:  # waking a loop is dear, so once for all
            with suppress(RuntimeError):  # it has stopped, and nobody waits
                loop.call_soon_threadsafe(_tell, [each for each in batch if each.told.get_loop() is loop])

    def _write(self, session: Session, batch: list[_Waiting]) -> None:
        uploads: defaultdict[int, list[_Waiting]] = defaultdict(list)
        for waiting in batch:
            if waiting.upload:
                uploads[waiting.upload[0].number].append(waiting)
            elif waiting.job:
                try:
                    waiting.result = waiting.job(session)
                except StoreUnavailable:
                    raise
                except HushwattError as refusal:
                    waiting.result = refusal
        for number, together in uploads.items():
            self._take(session, self._lives[number], together)

    def _take(self, session: Session, life: SlotSchedule, batch: list[_Waiting]) -> None:
        """Take the uploads of one plan as if they were one."""
        uploads = [waiting.upload for waiting in batch if waiting.upload]
        collection = uploads[0][0]
        sizes = [len(records) for _, _, records in uploads]
        records = joined([records for _, _, records in uploads])
        signers = np.repeat(np.array([signer for _, signer, _ in uploads], dtype=np.int64), sizes)
        now, published = self._clock.now(), plan_state(session, collection.number).published
        verdicts = take(
            session,
            collection,
            records,
            signers,
            judged(batch, collection, records),
            first=max(life.first_open(now), published + 1),
            last=life.last_begun(now),
        )
        for waiting, answer in zip(batch, answers(verdicts, sizes), strict=True):
            waiting.result = answer


def joined(parts: list[Records]) -> Records:
    """Several uploads as one."""
    if len(parts) == 1:
        return parts[0]
    names = ("devices", "slot", "spent", "drawn", "payloads")
    return Records(*(np.concatenate([getattr(part, name) for part in parts]) for name in names))


def judged(batch: list[_Waiting], collection: Collection, records: Records) -> Verdicts:
    """What can be said of all records without the store; mostly nothing has been said yet."""
    if not any(waiting.verdicts is not None for waiting in batch):
        return judge(collection, records)
    found = [
        judge(collection, waiting.upload[2]) if waiting.verdicts is None else waiting.verdicts
        for waiting in batch
        if waiting.upload
    ]
    return np.concatenate(found)


def answers(verdicts: Verdicts, sizes: list[int]) -> list[Answer]:
    """The answer to each of several uploads."""
    if len(sizes) == len(verdicts) and (verdicts == ACCEPTED).all():
        return [ONE] * len(sizes)
    return [Answer.of(part) for part in np.split(verdicts, np.cumsum(sizes)[:-1])]


def _tell(batch: list[_Waiting]) -> None:
    for waiting in batch:
        waiting.tell()
