"""The form on which an owner picks the entities of each appliance, with a first guess."""

from collections.abc import Mapping
from typing import Any

import voluptuous as vol
from homeassistant.components.energy import data as energy
from homeassistant.components.sensor import SensorDeviceClass
from homeassistant.const import ATTR_DEVICE_CLASS
from homeassistant.core import HomeAssistant, State
from homeassistant.helpers import entity_registry as er
from homeassistant.helpers.selector import EntityFilterSelectorConfig, EntitySelector, EntitySelectorConfig

from hushwatt.household.sources.guess import guess_appliance

KINDS = (SensorDeviceClass.POWER, SensorDeviceClass.ENERGY)


def labels(appliances: tuple[str, ...]) -> dict[str, str]:
    """What each field is called: the appliance's name as a person writes it, where that stays unambiguous."""
    plain = [each.upper() if len(each) < 3 else each.replace("_", " ").capitalize() for each in appliances]
    return dict(zip(plain if len(set(plain)) == len(plain) else appliances, appliances, strict=True))


def devices_form(appliances: tuple[str, ...], chosen: Mapping[str, list[str]]) -> vol.Schema:
    """A field for each appliance; several entities add up."""
    selector = EntitySelector(
        EntitySelectorConfig(
            filter=EntityFilterSelectorConfig(domain="sensor", device_class=[str(each) for each in KINDS]),
            multiple=True,
        )
    )
    return vol.Schema(
        {
            vol.Optional(label, description={"suggested_value": chosen.get(name, [])}): selector
            for label, name in labels(appliances).items()
        }
    )


def chosen_in(appliances: tuple[str, ...], answers: Mapping[str, Any]) -> dict[str, list[str]]:
    """The entities of each appliance, none included."""
    return {name: list(answers.get(label, [])) for label, name in labels(appliances).items()}


def problem_with(hass: HomeAssistant, chosen: Mapping[str, list[str]]) -> tuple[str, str] | None:
    """What would be counted twice, if anything: the error, and the entity it is about."""
    seen = set[str]()
    for entities in chosen.values():
        for each in entities:
            if each in seen:
                return "entity_twice", each
            seen.add(each)
        if double := _same_plug_twice(hass, entities):
            return "power_and_energy", double
    return None


async def async_guesses(hass: HomeAssistant, appliances: tuple[str, ...]) -> dict[str, list[str]]:
    """A first guess for each appliance, by what things are called; the Energy dashboard's devices come first."""
    dashboard = await async_dashboard_devices(hass)
    named = [(entity_id, name) for entity_id, name in dashboard if hass.states.get(entity_id)]
    named += [(state.entity_id, state.name) for state in _candidates(hass)]
    return await hass.async_add_executor_job(_guesses, named, appliances)


def _guesses(named: list[tuple[str, str]], appliances: tuple[str, ...]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for entity_id, name in named:
        appliance = guess_appliance(name, appliances) or guess_appliance(entity_id, appliances)
        if appliance is not None and appliance not in found:
            found[appliance] = [entity_id]
    return found


async def async_dashboard_devices(hass: HomeAssistant) -> list[tuple[str, str]]:
    """The devices of the Energy dashboard: entity and name."""
    if "energy" not in hass.config.components:
        return []
    prefs = (await energy.async_get_manager(hass)).data
    devices = prefs["device_consumption"] if prefs else []
    found = []
    for each in devices:
        entity_id = each["stat_consumption"]
        state = hass.states.get(entity_id)
        found.append((entity_id, each.get("name") or (state.name if state else entity_id)))
    return found


def _candidates(hass: HomeAssistant) -> list[State]:
    """Everything that measures power, then everything that counts energy."""
    states = hass.states.async_all("sensor")
    return [each for kind in KINDS for each in states if each.attributes.get(ATTR_DEVICE_CLASS) == kind]


def _same_plug_twice(hass: HomeAssistant, entities: list[str]) -> str | None:
    """An entity that counts the energy of a device whose power is chosen too."""
    registry = er.async_get(hass)
    power = {_device(registry, each) for each in entities if _kind(hass, each) == SensorDeviceClass.POWER} - {None}
    counters = [each for each in entities if _kind(hass, each) == SensorDeviceClass.ENERGY]
    return next((each for each in counters if _device(registry, each) in power), None)


def _device(registry: er.EntityRegistry, entity_id: str) -> str | None:
    entry = registry.async_get(entity_id)
    return None if entry is None else entry.device_id


def _kind(hass: HomeAssistant, entity_id: str) -> str | None:
    state = hass.states.get(entity_id)
    return None if state is None else state.attributes.get(ATTR_DEVICE_CLASS)
