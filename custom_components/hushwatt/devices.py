"""Which entity measures which appliance: the owner's choice, one for all plans of the home.

An entity is remembered by its place in the entity registry, where it has one, so that it may be renamed.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from homeassistant.core import HomeAssistant
from homeassistant.helpers import entity_registry as er
from homeassistant.helpers.storage import Store

from hushwatt.household.sources.entities import EntityEntry

from .const import DOMAIN

VERSION = 1


@dataclass(frozen=True)
class Device:
    """One entity that the owner chose."""

    appliance: str
    entity_id: str  # as it was called when it was chosen, or last seen
    registry_id: str | None = None  # None: it is in no registry, and has no other name

    def now(self, hass: HomeAssistant) -> str | None:
        """What it is called now; None when it was removed."""
        if self.registry_id is None:
            return self.entity_id
        entry = er.async_get(hass).entities.get_entry(self.registry_id)
        return None if entry is None else entry.entity_id


class Devices:
    """All of them, kept by Home Assistant."""

    def __init__(self, hass: HomeAssistant) -> None:
        self._hass = hass
        self._store: Store[dict[str, Any]] = Store(hass, VERSION, f"{DOMAIN}.devices", private=True)
        self._chosen: list[Device] | None = None

    async def async_load(self) -> list[Device]:
        if self._chosen is None:
            kept = await self._store.async_load() or {"devices": []}
            self._chosen = [Device(**each) for each in kept["devices"]]
        return self._chosen

    async def async_by_appliance(self) -> dict[str, list[str]]:
        """The entities of each appliance, as they are called now."""
        found: dict[str, list[str]] = {}
        for each in await self.async_load():
            if (entity_id := each.now(self._hass)) is not None:
                found.setdefault(each.appliance, []).append(entity_id)
        return found

    async def async_choose(self, chosen: Mapping[str, Iterable[str]]) -> None:
        """Set the entities of these appliances; those of others stay."""
        others = [each for each in await self.async_load() if each.appliance not in chosen]
        self._chosen = [*others, *(self._device(name, each) for name in chosen for each in chosen[name])]
        await self._async_save()

    async def async_rename(self) -> None:
        """Keep the names that entities have now."""
        before = await self.async_load()
        self._chosen = [
            Device(each.appliance, each.now(self._hass) or each.entity_id, each.registry_id) for each in before
        ]
        if self._chosen != before:
            await self._async_save()

    async def async_forget(self) -> None:
        self._chosen = []
        await self._store.async_remove()

    def _device(self, appliance: str, entity_id: str) -> Device:
        entry = er.async_get(self._hass).async_get(entity_id)
        return Device(appliance, entity_id, None if entry is None else entry.id)

    async def _async_save(self) -> None:
        await self._store.async_save({"devices": [vars(each) for each in self._chosen or ()]})


def entries_of(hass: HomeAssistant, devices: Iterable[Device]) -> list[EntityEntry]:
    """What the agent is asked to listen to; what was removed stays silent under its last name."""
    return [_entry(each, each.now(hass) or each.entity_id) for each in devices]


def gone(hass: HomeAssistant, devices: Iterable[Device]) -> list[Device]:
    """Entities that were removed from Home Assistant."""
    return [each for each in devices if each.now(hass) is None]


def _entry(device: Device, entity_id: str) -> EntityEntry:
    return EntityEntry(entity_id, device.appliance, entity_id)
