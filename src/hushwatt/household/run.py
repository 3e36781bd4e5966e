"""Everything that runs at home, together: listen, end slots, send."""

import asyncio
import signal
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field

from hushwatt.errors import HushwattError
from hushwatt.household.agent import LOG, Agent
from hushwatt.household.caps import Caps
from hushwatt.household.caps_file import CapsFile
from hushwatt.household.clock import Clock
from hushwatt.household.config import Folder
from hushwatt.household.entities import announce
from hushwatt.household.lock import only_agent
from hushwatt.household.mark import SharedMark
from hushwatt.household.outbox import Outbox
from hushwatt.household.page.server import Page, serve
from hushwatt.household.sources.broker import listen
from hushwatt.household.sources.hub import Hub
from hushwatt.household.sources.mapping import Mapping
from hushwatt.household.store import Store
from hushwatt.privacy.entropy import OperatingSystem

NOTE = 10.0  # seconds between two notes on the sources' health
SENDING = 1.0  # seconds between two looks into the outbox


@dataclass
class Runner:
    """One home, running."""

    folder: Folder
    mapping: Mapping
    hub: Hub
    clock: Clock
    say: Callable[[str], None]
    page: tuple[str, int] | None = None  # where the owner's page is served
    guest: str | None = None  # one more address that may look at it
    stop: asyncio.Event = field(default_factory=asyncio.Event)

    def run(self) -> None:
        """Run until told to stop."""
        with self.folder.store() as store, only_agent(self.folder.ledger, store.home):
            store.make_sure()
            asyncio.run(self._run(store))

    async def _run(self, store: Store) -> None:
        loop = asyncio.get_running_loop()
        for each in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(each, self.stop.set)
        caps = CapsFile(self.folder.caps_path, self.say)
        mark = SharedMark(store.home)
        agent = Agent(store, caps.read(), self.hub, say=self.say, bars=Caps.bars, mark=mark)
        agent.tick(self.clock.look())
        if self.page is not None:
            serve(Page(self.folder, agent, self.hub, self.clock, self.guest), *self.page, self.say)
        jobs = [asyncio.create_task(job) for job in self._jobs(store, agent, caps)]
        stopped = asyncio.create_task(self.stop.wait())
        done, _ = await asyncio.wait([stopped, *jobs], return_when=asyncio.FIRST_COMPLETED)
        for job in [stopped, *jobs]:
            job.cancel()
        await asyncio.gather(*jobs, stopped, return_exceptions=True)
        with suppress(HushwattError):  # a disk that takes nothing: as if the power had failed
            agent.stop(self.clock.look())
        for job in done - {stopped}:
            job.result()  # a job that ended by itself has failed: let that be seen

    def _jobs(self, store: Store, agent: Agent, caps: CapsFile) -> list:  # type: ignore[type-arg]
        jobs = [self._live(agent, caps), self._send(), self._note()]
        broker = self.mapping.broker
        if broker is not None:
            if self.hub.topics:
                jobs.append(listen(broker, self.hub.topics, self._hear, self.say))
            if self.mapping.entities:
                jobs.append(announce(broker, store, lambda: agent.caps, self.clock))
        return jobs

    def _hear(self, topic: str, payload: bytes, retained: bool) -> None:
        self.hub.hear(self.clock.look().wall, topic, payload, retained)

    async def _live(self, agent: Agent, caps: CapsFile) -> None:
        while True:
            await asyncio.sleep(agent.wait(self.clock.look()))
            agent.caps = caps.read()
            agent.tick(self.clock.look())

    async def _send(self) -> None:
        """Send by a connection to the ledger of its own, so that a slow provider delays no slot."""
        with self.folder.store() as store:
            outbox = Outbox(store, OperatingSystem(), self.say)
            while True:
                try:
                    await asyncio.to_thread(outbox.send, self.clock.look().wall)
                except HushwattError as wrong:  # the ledger cannot be written: the agent says so
                    LOG.debug("the outbox waits: %s", wrong)
                await asyncio.sleep(SENDING)

    async def _note(self) -> None:
        began = self.clock.look().wall
        while True:
            now = self.clock.look().wall
            self.hub.poll(now, began)
            with suppress(OSError):
                self.folder.write_health(self.hub.health(now))
            await asyncio.sleep(NOTE)
