"""The one home of this Home Assistant: its folder, its agent's thread, and what that hears.

All that touches a disk or waits for a thread is done in the executor, never on the event loop.
"""

import asyncio
from collections.abc import AsyncIterator, Callable
from concurrent.futures import Future
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from homeassistant.core import Event, HomeAssistant, callback
from homeassistant.exceptions import ConfigEntryNotReady
from homeassistant.helpers import entity_registry as er
from homeassistant.util import dt as dt_util
from homeassistant.util.hass_dict import HassKey

from hushwatt.errors import HushwattError
from hushwatt.household.agent import Agent
from hushwatt.household.clock import SystemHomeClock
from hushwatt.household.home_folder import HomeFolder
from hushwatt.household.home_thread import HomeThread
from hushwatt.household.ledger.held import HeldLedger
from hushwatt.household.page.server import OwnerPage
from hushwatt.household.run import Runner
from hushwatt.household.sources.entities import EntityEntry
from hushwatt.household.sources.hub import Hub
from hushwatt.sanitise import sanitised

from . import issues
from .const import FOLDER, LOGGER
from .coordinator import HomeCoordinator
from .devices import Devices, entries_of, gone
from .feed import Feed

AGENT_SECONDS = 10.0  # to wait for the agent's thread, which may be at the end of a slot


class Home:
    """Runs while an entry needs it."""

    def __init__(self, hass: HomeAssistant) -> None:
        self.hass = hass
        self.folder = HomeFolder(Path(hass.config.path(FOLDER)))
        self.clock = SystemHomeClock()
        self.devices = Devices(hass)
        self.coordinator = HomeCoordinator(hass, self)
        self.agent: Agent | None = None
        self.page: OwnerPage | None = None  # what the panel shows
        self.held: HeldLedger | None = None  # while a backup is made
        self._thread: HomeThread | None = None
        self._feed: Feed | None = None
        self._entries: set[str] = set()
        self._lock = asyncio.Lock()
        self._unlisten = hass.bus.async_listen(er.EVENT_ENTITY_REGISTRY_UPDATED, self._registry_changed)

    @property
    def wanted(self) -> bool:
        """Whether any entry needs it."""
        return bool(self._entries)

    @property
    def alive(self) -> bool:
        return self._thread is not None and self._thread.alive

    async def async_acquire(self, entry_id: str) -> None:
        """Have the home run for an entry."""
        self._entries.add(entry_id)
        await self.async_start()

    async def async_release(self, entry_id: str) -> None:
        """An entry needs it no more; without any it stops."""
        self._entries.discard(entry_id)
        if not self.wanted:
            await self.async_stop()

    async def async_start(self) -> None:
        """Start it unless it runs; where it cannot, it is said as a repair issue, and tried again."""
        async with self._lock:
            if self.alive:
                return
            await self._async_stop()
            if not self.wanted:
                raise ConfigEntryNotReady("no entry needs it")
            chosen = await self.devices.async_load()
            try:
                await self.hass.async_add_executor_job(self._start, entries_of(self.hass, chosen))
            except (HushwattError, OSError) as wrong:
                issues.async_show_failure(self.hass, str(wrong))
                raise ConfigEntryNotReady(str(wrong)) from None
            issues.async_clear_failure(self.hass)
            issues.async_show_gone(self.hass, gone(self.hass, chosen))
            assert self._thread is not None
            self._feed = Feed(self.hass, self._thread)
            self._feed.async_start()

    async def async_stop(self) -> None:
        """Stop it for good, and wait until nothing of it runs."""
        self._entries.clear()
        async with self._lock:
            await self._async_stop()

    @asynccontextmanager
    async def async_stopped(self) -> AsyncIterator[None]:
        """Nothing runs on the ledger meanwhile; the next look starts it again."""
        async with self._lock:
            await self._async_stop()
            yield

    async def async_devices_changed(self) -> None:
        """Listen to what the owner chose, or to what it is called now."""
        chosen = await self.devices.async_load()
        issues.async_show_gone(self.hass, gone(self.hass, chosen))
        async with self._lock:
            if self._thread is None or self._feed is None or not self.alive:
                return
            self._feed.async_stop()
            await self._async_on_agent(self._thread.runner.hub.replace_entities, entries_of(self.hass, chosen))
            self._feed.async_start()

    async def async_health(self) -> list[dict[str, Any]]:
        """How fresh the sources are now; empty where nothing runs."""
        if self._thread is None:
            return []
        return await self._async_on_agent(self._thread.runner.hub.health, self.clock.look().wall) or []

    async def _async_on_agent(self, function: Callable[..., Any], *values: object) -> Any:
        """What the agent's thread, which alone touches the sources, finds; None where it has ended."""
        assert self._thread is not None
        found: Future[Any] = Future()

        def answer() -> None:
            try:
                found.set_result(function(*values))
            except Exception as wrong:  # for whoever asked
                found.set_exception(wrong)

        self._thread.call(answer)
        done, _ = await asyncio.wait([asyncio.wrap_future(found)], timeout=AGENT_SECONDS)
        return found.result() if done else None

    @callback
    def async_forget_issues(self) -> None:
        """Nothing is wrong with what nobody wants any more."""
        if not self.wanted:
            issues.async_clear_failure(self.hass)
            issues.async_show_gone(self.hass, [])
            issues.async_show_troubles(self.hass, [])

    def _start(self, entries: list[EntityEntry]) -> None:
        """In the executor: open the ledger, take its lock, and live."""
        sources = replace(self.folder.sources(), home_assistant=None, entities_of_home_assistant=tuple(entries))
        hub = Hub.of(sources, self._say)
        self._thread = HomeThread(Runner(self.folder, sources, hub, self.clock, self._say))
        self.agent = self._thread.start()
        zone = dt_util.get_default_time_zone()
        self.page = OwnerPage(self.folder, self.agent, hub, self.clock, zone=zone)

    async def _async_stop(self) -> None:
        if self._feed is not None:
            self._feed.async_stop()
        if self._thread is not None:
            await self.hass.async_add_executor_job(self._thread.stop)
        self._feed = self._thread = self.agent = self.page = None

    def _say(self, line: str) -> None:
        """What the agent tells its owner; there is never a reading in it."""
        LOGGER.warning("%s", sanitised(line, 2_000))

    @callback
    def _registry_changed(self, event: Event[er.EventEntityRegistryUpdatedData]) -> None:
        self.hass.async_create_task(self._async_registry_changed(dict(event.data)))

    async def _async_registry_changed(self, data: dict[str, object]) -> None:
        chosen = await self.devices.async_load()
        names = {data.get("entity_id"), data.get("old_entity_id")}
        if any(each.entity_id in names for each in chosen):
            await self.devices.async_rename()
            await self.async_devices_changed()


DATA_HOME: HassKey[Home] = HassKey("hushwatt")


@callback
def async_get_home(hass: HomeAssistant) -> Home:
    """The home; there is one for each Home Assistant."""
    if DATA_HOME not in hass.data:
        hass.data[DATA_HOME] = Home(hass)
    return hass.data[DATA_HOME]
