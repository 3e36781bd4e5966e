"""The pause switch.  Whoever may use it in Home Assistant is the owner, and may resume here as well."""

import time
from typing import Any

from homeassistant.components.switch import SwitchEntity, SwitchEntityDescription
from homeassistant.core import HomeAssistant
from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers.entity_platform import AddConfigEntryEntitiesCallback

from hushwatt.errors import HushwattError
from hushwatt.household.home_folder import HomeFolder
from hushwatt.household.join import pause, resume

from .const import DOMAIN
from .coordinator import HushwattEntry
from .entity import PlanEntity

PARALLEL_UPDATES = 0
PAUSE = SwitchEntityDescription(key="pause", translation_key="pause")


async def async_setup_entry(
    hass: HomeAssistant, entry: HushwattEntry, async_add_entities: AddConfigEntryEntitiesCallback
) -> None:
    async_add_entities([PauseSwitch(entry, PAUSE)])


class PauseSwitch(PlanEntity, SwitchEntity):
    """On: nothing is spent and nothing leaves under this plan."""

    @property
    def available(self) -> bool:
        return super().available and self.status.state in ("taking part", "paused")

    @property
    def is_on(self) -> bool:
        return self.status.state == "paused"

    async def async_turn_on(self, **kwargs: Any) -> None:
        await self._async_set(True)

    async def async_turn_off(self, **kwargs: Any) -> None:
        await self._async_set(False)

    async def _async_set(self, paused: bool) -> None:
        try:
            await self.hass.async_add_executor_job(_set_paused, self.coordinator.home.folder, self._plan, paused)
        except HushwattError as wrong:
            raise HomeAssistantError(
                translation_domain=DOMAIN,
                translation_key="not_switched",
                translation_placeholders={"problem": str(wrong)},
            ) from None
        await self.coordinator.async_refresh()


def _set_paused(folder: HomeFolder, plan_id: str, paused: bool) -> None:
    with folder.store() as store:
        if paused:
            pause(store, plan_id, time.time_ns())
        else:
            resume(store, plan_id)
