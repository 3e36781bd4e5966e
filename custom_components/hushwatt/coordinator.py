"""How the home stands, read from its ledger again and again: what entities and repair issues show."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from homeassistant.config_entries import ConfigEntry
from homeassistant.core import HomeAssistant
from homeassistant.exceptions import ConfigEntryNotReady
from homeassistant.helpers.update_coordinator import DataUpdateCoordinator, UpdateFailed

from hushwatt.errors import HushwattError

from . import issues
from .const import DOMAIN, LOGGER, REFRESH
from .reauth import async_ask_again
from .snapshot import Snapshot, read_snapshot

if TYPE_CHECKING:
    from .home import Home


class HomeCoordinator(DataUpdateCoordinator[Snapshot]):
    """One look for all plans."""

    def __init__(self, hass: HomeAssistant, home: Home) -> None:
        super().__init__(hass, LOGGER, config_entry=None, name=DOMAIN, update_interval=REFRESH)
        self.home = home

    async def _async_update_data(self) -> Snapshot:
        """Look; a home that ended by itself is started again."""
        try:
            await self.home.async_start()
            assert self.home.agent is not None
            caps, health = self.home.agent.caps, await self.home.async_health()
            snapshot = await self.hass.async_add_executor_job(
                read_snapshot, self.home.folder, caps, health, self.home.clock.look().wall
            )
        except (HushwattError, ConfigEntryNotReady) as wrong:
            raise UpdateFailed(str(wrong)) from None
        issues.async_show_troubles(self.hass, snapshot.troubles)
        async_ask_again(self.hass, snapshot.troubles)
        return snapshot

    def compared(self, plan_id: str) -> tuple[str, ...]:
        """The appliances of a plan that the owner wants to compare."""
        status = self.data.plans.get(plan_id)
        wanted = status is not None and self.data.compares and status.plan.share_results
        return status.plan.names if status is not None and wanted else ()


HushwattEntry: TypeAlias = ConfigEntry[HomeCoordinator]
