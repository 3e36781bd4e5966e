"""Leaving a plan with its entry: at once at home, and as soon as it can be reached, at the provider."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from homeassistant.core import HomeAssistant

from hushwatt.errors import HushwattError, StateError
from hushwatt.household.home_folder import HomeFolder
from hushwatt.household.leave import leave, left_without_erasure

from . import issues
from .const import DOMAIN, LOGGER

if TYPE_CHECKING:
    from .home import Home


async def async_leave(hass: HomeAssistant, home: Home, plan_id: str, title: str) -> None:
    """Leave; what the provider could not be asked stays as an issue, and is asked again at every start."""
    try:
        erased = await hass.async_add_executor_job(_leave, home.folder, plan_id)
    except HushwattError as wrong:
        issues.async_show_erasure(hass, plan_id, title, str(wrong))
        return
    issues.async_clear_erasure(hass, plan_id)
    if erased is not None:
        LOGGER.info("left a plan; its provider erased %d reports", erased)
    if not [each for each in hass.config_entries.async_entries(DOMAIN) if each.data.get("plan") != plan_id]:
        await home.devices.async_forget()


async def async_finish_leaving(hass: HomeAssistant, home: Home) -> None:
    """Ask again for the erasure of what could not be asked for when a plan was left."""
    for plan_id, title in await hass.async_add_executor_job(_unfinished, home.folder):
        await async_leave(hass, home, plan_id, title)


def _leave(folder: HomeFolder, plan_id: str) -> int | None:
    """How many reports the provider erased; None where there was nothing to leave."""
    try:
        with folder.store() as store:
            return leave(store, plan_id, time.time_ns())[1]
    except StateError as wrong:  # left before, or the folder is gone
        LOGGER.debug("nothing to leave: %s", wrong)
        return None


def _unfinished(folder: HomeFolder) -> list[tuple[str, str]]:
    if not folder.ledger.is_file():
        return []
    with folder.store() as store:
        return [(plan.id, plan.name) for plan in left_without_erasure(store)]
