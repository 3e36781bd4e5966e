"""What may be shown to whoever helps: versions, states and counts; no reading, key, code, token or name of a home."""

from dataclasses import asdict
from typing import Any

from homeassistant.core import HomeAssistant

import hushwatt
from hushwatt.plan.amounts import plain

from .const import CONF_PLAN
from .coordinator import HushwattEntry
from .home import async_get_home

SHOWN = ("state", "next_slot", "window_spent", "spent", "reports", "waiting", "sent", "last_report", "agreed_before")


async def async_get_config_entry_diagnostics(hass: HomeAssistant, entry: HushwattEntry) -> dict[str, Any]:
    """One plan, the home's caps, and how many entities measure each appliance."""
    home = async_get_home(hass)
    status = home.coordinator.data.plans.get(entry.data[CONF_PLAN])
    chosen = await home.devices.async_by_appliance()
    caps = home.agent.caps if home.agent is not None else None
    return {
        "version": hushwatt.__version__,
        "alive": home.alive,
        "plans": len(home.coordinator.data.plans),
        "plan": None if status is None else {"id": status.plan.id, **{name: getattr(status, name) for name in SHOWN}},
        "silences": [] if status is None else [list(each) for each in status.silences],
        "caps": None if caps is None else {name: _shown(value) for name, value in asdict(caps).items()},
        "entities": {name: len(entities) for name, entities in chosen.items()},
        "troubles": [each.key.partition(" ")[0] for each in home.coordinator.data.troubles],
    }


def _shown(value: object) -> object:
    """Amounts in ε; what else a cap may be, as it is."""
    if isinstance(value, bool) or value is None:
        return value
    return plain(value) if isinstance(value, int) and value >= 1_000 else str(value)
