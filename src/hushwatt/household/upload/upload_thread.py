"""Send what waits from a thread of its own, so that a slow provider delays neither a slot nor the end.

It has a connection to the ledger of its own.  Stopping waits a moment for what is under way
and no longer: what was not acknowledged is sent again by the next life.
"""

import logging
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Protocol

from hushwatt.errors import HushwattError
from hushwatt.household.clock import HomeClock
from hushwatt.household.guard import Guard
from hushwatt.household.home_folder import HomeFolder
from hushwatt.household.ledger.store import Store
from hushwatt.household.upload.http import connect
from hushwatt.household.upload.outbox import Outbox
from hushwatt.household.upload.provider_client import ProviderClient
from hushwatt.household.upload.request_log import RequestLog
from hushwatt.privacy.entropy import OperatingSystem

LOG = logging.getLogger("hushwatt.household")
POLL_SECONDS = 1.0  # seconds between two looks into the outbox
STOP_SECONDS = 1.0  # seconds to wait for an exchange that is under way
Job = Callable[[int], None]  # done at a time, in nanoseconds


class Search(Protocol):
    """Whatever else asks the provider something now and then."""

    def look(self, now: int) -> None: ...


@dataclass
class UploadThread:
    """The thread; `start` once, `stop` once."""

    folder: HomeFolder
    clock: HomeClock
    guard: Guard
    searches: Sequence[Callable[..., Search]] = ()  # what else is asked, on the same connection to the ledger
    _stop: threading.Event = field(default_factory=threading.Event)

    def start(self) -> None:
        self._thread = threading.Thread(target=self._run, name="hushwatt-upload", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Let go of what is under way, and end."""
        self._stop.set()
        self._thread.join(STOP_SECONDS)

    def client(self, address: str) -> ProviderClient:
        """A client whose sessions end when the thread stops, and whose every request is taken down."""
        log = RequestLog.of(self.folder.path, lambda: self.clock.look().wall)
        return ProviderClient(address, partial(connect, stop=self._stop, record=log.add))

    def _run(self) -> None:
        while not self._stop.is_set():
            with self.guard("sending"), self.folder.store() as store:
                jobs = self.jobs(store)
                while not self._stop.is_set():
                    self.send(jobs)
                    self._stop.wait(POLL_SECONDS)
            self._stop.wait(POLL_SECONDS)

    def jobs(self, store: Store) -> list[Job]:
        """All that is asked of providers, over one connection to the ledger."""
        outbox = Outbox(store, OperatingSystem(), self.guard.say, self.client)
        given = store, self.folder.caps, OperatingSystem(), self.guard.say, self.client
        return [outbox.send, *(search(*given).look for search in self.searches)]

    def send(self, jobs: Sequence[Job]) -> None:
        """Do each of them once."""
        try:
            for job in jobs:
                job(self.clock.look().wall)
        except HushwattError as wrong:  # the ledger cannot be written: the agent says so
            LOG.debug("the outbox waits: %s", wrong)
