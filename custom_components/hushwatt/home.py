"""The one home of this Home Assistant: its folder, its agent's thread, and what that hears.

All that touches a disk or waits for a thread is done in the executor, never on the event loop.
"""

import asyncio
from dataclasses import replace
from pathlib import Path

from homeassistant.core import Event, HomeAssistant, callback
from homeassistant.exceptions import ConfigEntryNotReady
from homeassistant.helpers import entity_registry as er
from homeassistant.util.hass_dict import HassKey

from hushwatt.errors import HushwattError
from hushwatt.household.agent import Agent
from hushwatt.household.clock import SystemHomeClock
from hushwatt.household.home_folder import HomeFolder
from hushwatt.household.home_thread import HomeThread
from hushwatt.household.ledger.held import HeldLedger
from hushwatt.household.run import Runner
from hushwatt.household.sources.entities import EntityEntry
from hushwatt.household.sources.hub import Hub
from hushwatt.sanitise import sanitised

from . import issues
from .const import FOLDER, LOGGER
from .coordinator import HomeCoordinator
from .devices import Devices, entries_of, gone
from .feed import Feed


class Home:
    """Runs while an entry needs it."""

    def __init__(self, hass: HomeAssistant) -> None:
        self.hass = hass
        self.folder = HomeFolder(Path(hass.config.path(FOLDER)))
        self.clock = SystemHomeClock()
        self.devices = Devices(hass)
        self.coordinator = HomeCoordinator(hass, self)
        self.agent: Agent | None = None
        self.held: HeldLedger | None = None  # while a backup is made
        self._thread: HomeThread | None = None
        self._feed: Feed | None = None
        self._entries: set[str] = set()
        self._lock = asyncio.Lock()
        self._unlisten = hass.bus.async_listen(er.EVENT_ENTITY_REGISTRY_UPDATED, self._registry_changed)

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
        if not self._entries:
            await self.async_stop()

    async def async_start(self) -> None:
        """Start it unless it runs; where it cannot, it is said as a repair issue, and tried again."""
        async with self._lock:
            if self.alive:
                return
            await self._async_stop()
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
        """Stop it, and wait until nothing of it runs."""
        async with self._lock:
            await self._async_stop()

    async def async_devices_changed(self) -> None:
        """Listen to what the owner chose, or to what it is called now."""
        chosen = await self.devices.async_load()
        issues.async_show_gone(self.hass, gone(self.hass, chosen))
        async with self._lock:
            if self._thread is None or self._feed is None or not self.alive:
                return
            self._feed.async_stop()
            entries = entries_of(self.hass, chosen)
            done = self.hass.loop.create_future()
            self._thread.call(self._replace, entries, done)
            await asyncio.wait([done], timeout=10)
            self._feed.async_start()

    def _replace(self, entries: list[EntityEntry], done: "asyncio.Future[None]") -> None:
        assert self._thread is not None
        self._thread.runner.hub.replace_entities(entries)
        self.hass.loop.call_soon_threadsafe(done.set_result, None)

    def _start(self, entries: list[EntityEntry]) -> None:
        """In the executor: open the ledger, take its lock, and live."""
        sources = replace(self.folder.sources(), home_assistant=None, entities_of_home_assistant=tuple(entries))
        hub = Hub.of(sources, self._say)
        self._thread = HomeThread(Runner(self.folder, sources, hub, self.clock, self._say))
        self.agent = self._thread.start()

    async def _async_stop(self) -> None:
        if self._feed is not None:
            self._feed.async_stop()
        if self._thread is not None:
            await self.hass.async_add_executor_job(self._thread.stop)
        self._feed = self._thread = self.agent = None

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
