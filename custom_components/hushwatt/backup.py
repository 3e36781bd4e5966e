"""Home Assistant's backups copy the ledger while the agent writes: meanwhile its file is kept as it is."""

from homeassistant.core import HomeAssistant

from hushwatt.household.ledger.held import HeldLedger

from .home import async_get_home


async def async_pre_backup(hass: HomeAssistant) -> None:
    home = async_get_home(hass)
    if home.folder.ledger.is_file():
        home.held = await hass.async_add_executor_job(HeldLedger, home.folder.ledger)


async def async_post_backup(hass: HomeAssistant) -> None:
    home = async_get_home(hass)
    held, home.held = home.held, None
    if held is not None:
        await hass.async_add_executor_job(held.release)
