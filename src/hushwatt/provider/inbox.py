"""Where uploads wait for the disk: one thread writes, everyone else is told when it is safe.

All that has gathered while the disk was busy goes into the next transaction, so a
thousand uploads cost one wait.  An answer is given after the commit, never before.
"""

import asyncio
import queue
import threading
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np

from hushwatt.errors import HushwattError
from hushwatt.provider.clock import Clock
from hushwatt.provider.collect import ACCEPTED, REASONS, REPEATED, Collection, Verdicts, judge, take
from hushwatt.provider.life import Life
from hushwatt.provider.metrics import Metrics
from hushwatt.provider.store.plans import plan_state
from hushwatt.provider.store.session import Database, Session, StoreUnavailable
from hushwatt.wire.record import Records

Result = TypeVar("Result")
MOST_WAITING = 20_000  # uploads; more are sent away until the disk has caught up
MOST_TOGETHER = 100_000  # reports in one transaction, or a little more


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


@dataclass
class _Waiting:
    """Something to write, and whom to tell."""

    tell: Callable[[Any], object]
    upload: tuple[Collection, int, Records] | None = None
    job: Callable[[Session], Any] | None = None
    result: Any = field(default=None)

    @property
    def size(self) -> int:
        return len(self.upload[2]) if self.upload else 1


class Inbox:
    """The only writer of the store."""

    def __init__(self, database: Database, lives: dict[int, Life], clock: Clock, metrics: Metrics) -> None:
        self._database, self._lives, self._clock, self._metrics = database, lives, clock, metrics
        self._queue: queue.SimpleQueue[_Waiting | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._work, name="hushwatt-inbox", daemon=True)
        self._thread.start()

    async def deliver(self, collection: Collection, signer: int, records: Records) -> Answer:
        """Keep an upload; the answer comes when it would survive power loss."""
        answer = await self._wait(upload=(collection, signer, records))
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
        if self._queue.qsize() >= MOST_WAITING:
            raise StoreUnavailable("too many uploads are waiting for the disk")
        loop = asyncio.get_running_loop()
        told: asyncio.Future[Any] = loop.create_future()
        self._queue.put(_Waiting(tell=lambda result: loop.call_soon_threadsafe(_tell, told, result), **what))
        return await told

    def _work(self) -> None:
        while (first := self._queue.get()) is not None:
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
        for waiting in batch:
            waiting.tell(waiting.result)

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

    def _take(self, session: Session, life: Life, batch: list[_Waiting]) -> None:
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
            judge(collection, records),
            first=max(life.first_open(now), published + 1),
            last=life.last_begun(now),
        )
        for waiting, part in zip(batch, np.split(verdicts, np.cumsum(sizes)[:-1]), strict=True):
            waiting.result = Answer.of(part)


def joined(parts: list[Records]) -> Records:
    """Several uploads as one."""
    if len(parts) == 1:
        return parts[0]
    names = ("devices", "slot", "spent", "drawn", "payloads")
    return Records(*(np.concatenate([getattr(part, name) for part in parts]) for name in names))


def _tell(told: "asyncio.Future[Any]", result: Any) -> None:
    if told.done():  # whoever asked has gone
        return
    if isinstance(result, BaseException):
        told.set_exception(result)
    else:
        told.set_result(result)
