"""Everything that runs at home, together: listen, end slots, send.

It runs in the thread that calls `run`: that of a process of its own, which signals end, or one of another
program, such as Home Assistant (`HomeThread`).  Nothing that arrives ends it, and when it is told to stop it
does so within two seconds.
"""

import asyncio
import signal
import threading
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, field

from hushwatt.errors import HushwattError
from hushwatt.household.agent import Agent
from hushwatt.household.clock import HomeClock
from hushwatt.household.guard import Guard
from hushwatt.household.home_folder import HomeFolder
from hushwatt.household.ledger.caps_file import CapsFile
from hushwatt.household.ledger.high_water_mark import SharedMemoryMark
from hushwatt.household.ledger.lock import agent_lock
from hushwatt.household.ledger.objections import bars
from hushwatt.household.ledger.store import Store
from hushwatt.household.mqtt_entities.publisher import announce
from hushwatt.household.page.server import OwnerPage, serve
from hushwatt.household.results.fetch import ResultsFetch
from hushwatt.household.results.own_means import OwnMeans
from hushwatt.household.sources.home_assistant.follow import follow
from hushwatt.household.sources.hub import Hub
from hushwatt.household.sources.mqtt import listen
from hushwatt.household.sources.sources_file import SourcesFile
from hushwatt.household.successor_search import SuccessorSearch
from hushwatt.household.upload.upload_thread import UploadThread

HEALTH_SECONDS = 10.0  # seconds between two notes on the sources' health
SEARCHES = (SuccessorSearch, ResultsFetch.beside_uploads)  # what is asked of providers beside uploads
SHUTDOWN_SECONDS = 0.5  # seconds that jobs have to say goodbye


@dataclass
class Runner:
    """One home, running."""

    folder: HomeFolder
    sources: SourcesFile
    hub: Hub
    clock: HomeClock
    say: Callable[[str], None]
    page: tuple[str, int] | None = None  # where the owner's page is served
    guest: str | None = None  # one more address that may look at it
    started: "Future[Agent]" = field(default_factory=Future, repr=False)  # the agent, once it lives

    def __post_init__(self) -> None:
        self.guard = Guard(self.say)
        self._told, self._stopped = threading.Event(), asyncio.Event()
        self._loop: asyncio.AbstractEventLoop | None = None

    def stop(self) -> None:
        """Tell it to stop, from any thread, even before it has begun; a second time changes nothing."""
        self._told.set()
        self.call(self._stopped.set)

    def call(self, function: Callable[..., object], *values: object) -> None:
        """Have something done between two steps of the agent, from any thread; nothing where it does not run."""
        loop = self._loop
        with suppress(RuntimeError):  # it ended in the meantime
            if loop is not None and not loop.is_closed():
                loop.call_soon_threadsafe(function, *values)

    def run(self) -> None:
        """Run until told to stop."""
        with self.folder.store() as store, agent_lock(self.folder.ledger, store.home):
            for line in self.folder.restrict_to_owner():
                self.say(line)
            store.recover_wal()
            loop = self._loop = asyncio.new_event_loop()
            loop.set_exception_handler(self.guard.on_loop)
            try:
                loop.run_until_complete(self._run(store, loop))
            finally:
                loop.close()  # unlike asyncio.run it waits for no thread that looks up a name

    async def _run(self, store: Store, loop: asyncio.AbstractEventLoop) -> None:
        if threading.current_thread() is threading.main_thread():  # elsewhere signals are another program's
            for each in (signal.SIGTERM, signal.SIGINT):
                loop.add_signal_handler(each, self._stopped.set)
        if self._told.is_set():
            self._stopped.set()
        caps = CapsFile(self.folder.caps_path, self.say)
        mark = SharedMemoryMark(store.home)
        agent = Agent(store, caps.read(), self.hub, say=self.say, bars=bars, mark=mark, caps_settled=False)
        own = OwnMeans(store)
        agent.lived = lambda plan, slot, watts: own.add(plan, slot, watts, self.hub.measured(plan))
        agent.tick(self.clock.look())
        if self.page is not None:
            serve(OwnerPage(self.folder, agent, self.hub, self.clock, self.guest), *self.page, self.say)
        uploads = UploadThread(self.folder, self.clock, Guard(self.say), SEARCHES)
        uploads.start()
        self.started.set_result(agent)
        jobs = [asyncio.create_task(job) for job in self._jobs(store, agent, caps, own)]
        stopped = asyncio.create_task(self._stopped.wait())
        done, _ = await asyncio.wait([stopped, *jobs], return_when=asyncio.FIRST_COMPLETED)
        for job in [stopped, *jobs]:
            job.cancel()
        await asyncio.wait([stopped, *jobs], timeout=SHUTDOWN_SECONDS)
        uploads.stop()
        with suppress(HushwattError, OSError):  # a disk that takes nothing: as if the power had failed
            agent.stop(self.clock.look())
            own.keep()
        for job in done - {stopped}:
            job.result()  # a job that ended by itself has failed: let that be seen

    def _jobs(self, store: Store, agent: Agent, caps: CapsFile, own: OwnMeans) -> list:  # type: ignore[type-arg]
        jobs = [self._live(agent, caps), self._note(own)]
        broker = self.sources.broker
        if broker is not None:
            if self.hub.topics:
                jobs.append(listen(broker, self.hub.topics, self._on_message, self.say, self._on_broker))
            if self.sources.entities:
                jobs.append(announce(broker, self.folder, store, lambda: agent.caps, self.clock, self.guard))
        if self.sources.home_assistant is not None and self.hub.entity_ids:
            memory = self.folder.entity_numbers_path
            jobs.append(follow(self.sources.home_assistant, self.hub, self.clock, self.say, memory))
        return jobs

    def _on_message(self, topic: str, payload: bytes, retained: bool) -> None:
        with self.guard("a message of the broker"):
            self.hub.on_message(self.clock.look().wall, topic, payload, retained)

    def _on_broker(self, there: bool) -> None:
        with self.guard("the broker's presence"):
            self.hub.on_broker(self.clock.look().wall, there)

    async def _live(self, agent: Agent, caps: CapsFile) -> None:
        while True:
            await asyncio.sleep(agent.wait(self.clock.look()))
            try:
                agent.caps, agent.caps_settled = caps.read(), caps.settled
                agent.tick(self.clock.look())
            except Exception as surprise:
                agent.trackers.clear()  # believe the disk alone, as at a start
                self.guard.note("a slot", surprise)

    async def _note(self, own: OwnMeans) -> None:
        began = self.clock.look().wall
        while True:
            now = self.clock.look().wall
            with self.guard("a look at the sources"), suppress(OSError):
                self.hub.poll(now, began)
                self.folder.write_health(self.hub.health(now))
            with self.guard("this home's own means"), suppress(OSError):
                own.keep()
            await asyncio.sleep(HEALTH_SECONDS)
