"""hushwatt in Home Assistant: the same household code as the agent's, in a thread of this process.

One folder, one ledger and one agent serve all entries; each entry is one plan.
"""

from functools import partial

from homeassistant.const import EVENT_HOMEASSISTANT_STOP, Platform
from homeassistant.core import Event, HomeAssistant
from homeassistant.exceptions import ConfigEntryNotReady

from .const import CONF_PLAN
from .coordinator import HushwattEntry
from .home import Home, async_get_home
from .leaving import async_finish_leaving, async_leave
from .panel import async_show_panel, hide_panel
from .succession import async_follow, async_follow_moved

PLATFORMS = [Platform.SENSOR, Platform.SWITCH]


async def async_setup_entry(hass: HomeAssistant, entry: HushwattEntry) -> bool:
    """Start the home, unless it runs already, and show this plan."""
    home = async_get_home(hass)
    await async_follow(hass, home, entry)
    try:
        await home.async_acquire(entry.entry_id)
        await home.coordinator.async_refresh()
        if not home.coordinator.last_update_success:
            raise ConfigEntryNotReady(str(home.coordinator.last_exception))
    except ConfigEntryNotReady:
        await home.async_release(entry.entry_id)
        raise
    entry.runtime_data = home.coordinator
    follow = partial(async_follow_moved, hass, home, entry)
    entry.async_on_unload(home.coordinator.async_add_listener(follow))  # before those of the entities

    async def stop(_: Event) -> None:
        await home.async_stop()

    entry.async_on_unload(hass.bus.async_listen_once(EVENT_HOMEASSISTANT_STOP, stop))
    await hass.config_entries.async_forward_entry_setups(entry, PLATFORMS)
    await async_show_panel(hass)
    entry.async_create_background_task(hass, async_finish_leaving(hass, home), "hushwatt erasure")
    return True


async def async_unload_entry(hass: HomeAssistant, entry: HushwattEntry) -> bool:
    """Take the plan's entities away; with the last entry the home stops."""
    unloaded = await hass.config_entries.async_unload_platforms(entry, PLATFORMS)
    if unloaded:
        home = async_get_home(hass)
        await home.async_release(entry.entry_id)
        home.async_forget_issues()
        if not home.wanted:
            hide_panel(hass)
    return unloaded


async def async_remove_entry(hass: HomeAssistant, entry: HushwattEntry) -> None:
    """Leave the plan, and ask its provider to erase what it has."""
    async_get_home(hass).async_forget_issues()
    await async_leave(hass, async_get_home(hass), entry.data[CONF_PLAN], entry.title)


__all__ = ["Home", "async_remove_entry", "async_setup_entry", "async_unload_entry"]
