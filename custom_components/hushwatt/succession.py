"""Entries follow their homes: when a plan is replaced and the home moved on, its entry and entities do too."""

from __future__ import annotations

from typing import TYPE_CHECKING

from homeassistant.config_entries import ConfigEntry
from homeassistant.core import HomeAssistant, callback
from homeassistant.exceptions import ConfigEntryNotReady
from homeassistant.helpers import device_registry as dr
from homeassistant.helpers import entity_registry as er

from hushwatt.errors import HushwattError
from hushwatt.household.home_folder import HomeFolder
from hushwatt.household.successor import heir_of
from hushwatt.plan.plan import Plan

from .const import CONF_ADDRESS, CONF_HOME, CONF_PLAN, DOMAIN, LOGGER

if TYPE_CHECKING:
    from .home import Home


@callback
def async_follow_moved(hass: HomeAssistant, home: Home, entry: ConfigEntry) -> None:
    """Let an entry that is shown follow a home that moved on; the agent goes on, and so do the entities."""
    snapshot = home.coordinator.data
    heir = snapshot.moved.get(entry.data[CONF_PLAN])
    if heir is not None and heir in snapshot.plans:
        async_move_entry(hass, entry, heir, snapshot.plans[heir].plan.name)


async def async_follow(hass: HomeAssistant, home: Home, entry: ConfigEntry) -> None:
    """Let an entry stand for the plan that the home is in now."""
    try:
        found = await hass.async_add_executor_job(_heir, home.folder, entry.data[CONF_PLAN])
    except HushwattError as wrong:
        raise ConfigEntryNotReady(str(wrong)) from None
    if found is not None:
        async_move_entry(hass, entry, *found)


@callback
def async_move_entry(hass: HomeAssistant, entry: ConfigEntry, plan_id: str, name: str) -> None:
    """Give an entry, its device and its entities the id of another plan; nothing of theirs is lost."""
    old, new = (f"{entry.data[CONF_HOME]}_{each}" for each in (entry.data[CONF_PLAN], plan_id))
    entities, devices = er.async_get(hass), dr.async_get(hass)
    for each in er.async_entries_for_config_entry(entities, entry.entry_id):
        if each.unique_id.startswith(old):
            entities.async_update_entity(each.entity_id, new_unique_id=new + each.unique_id.removeprefix(old))
    for device in dr.async_entries_for_config_entry(devices, entry.entry_id):
        if (DOMAIN, old) in device.identifiers:
            devices.async_update_device(device.id, new_identifiers={(DOMAIN, new)}, name=name)
    LOGGER.info("the entry %s follows its home to the plan %s", entry.title, plan_id[:12])
    data = {**entry.data, CONF_PLAN: plan_id}
    hass.config_entries.async_update_entry(entry, data=data, title=name, unique_id=plan_id)


@callback
def async_show_address(hass: HomeAssistant, entry: ConfigEntry) -> None:
    """The provider's address on the plan's device, as the entry has it now."""
    devices = dr.async_get(hass)
    for device in dr.async_entries_for_config_entry(devices, entry.entry_id):
        devices.async_update_device(device.id, model=entry.data[CONF_ADDRESS])


def _heir(folder: HomeFolder, plan_id: str) -> tuple[str, str] | None:
    """The plan that the home moved on to, and its name; None where it did not."""
    with folder.store() as store:
        heir = heir_of(store, plan_id)
        if heir == plan_id:
            return None
        return heir, Plan.parse(store.value("SELECT canonical FROM plans WHERE plan = ?", (heir,))).name
