"""When the owner must be asked again: the provider shows another key, or does not know this home any more."""

from collections.abc import Iterable

from homeassistant.core import HomeAssistant, callback

from hushwatt.household.troubles import Trouble

from .const import CONF_PLAN, DOMAIN

FORGOTTEN = ("not_enrolled", "No enrolled device signed this request")  # what a provider says to whom it forgot


@callback
def async_ask_again(hass: HomeAssistant, troubles: Iterable[Trouble]) -> None:
    """Start to ask, once for each plan; nobody is believed until the owner has answered."""
    plans = {each.plan for each in troubles if _needs_owner(each)}
    for entry in hass.config_entries.async_entries(DOMAIN):
        if entry.data[CONF_PLAN] in plans:
            entry.async_start_reauth(hass)


def _needs_owner(trouble: Trouble) -> bool:
    kind = trouble.key.partition(" ")[0]
    return kind == "impostor" or (kind == "refused" and any(each in trouble.words for each in FORGOTTEN))
