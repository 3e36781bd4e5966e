"""How the makers of plugs and meters speak on MQTT: which topics, and what stands in their messages.

A preset is one class and one line in PRESETS.  `topics` says what to listen to for one
device, `read` says what a message means, and `recognise` which devices a message speaks of; both
raise Malformed for what nobody should send.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from hushwatt.errors import UsageError
from hushwatt.household.sources.measurement import ENERGY_UNITS
from hushwatt.household.sources.presets.custom import Custom
from hushwatt.household.sources.presets.discovery import CONFIG_TOPICS, is_config, recognise_config
from hushwatt.household.sources.presets.dsmr import Dsmr
from hushwatt.household.sources.presets.esphome import EspHome
from hushwatt.household.sources.presets.glow import Glow
from hushwatt.household.sources.presets.home_assistant import HomeAssistant
from hushwatt.household.sources.presets.preset import Preset, Recognised
from hushwatt.household.sources.presets.shelly import Shelly
from hushwatt.household.sources.presets.shelly_gen1 import ShellyGen1
from hushwatt.household.sources.presets.tasmota import Tasmota
from hushwatt.household.sources.presets.zigbee2mqtt import Zigbee2Mqtt
from hushwatt.household.untrusted_json import Malformed

__all__ = [
    "LISTENED",
    "PRESETS",
    "Custom",
    "Dsmr",
    "EspHome",
    "Glow",
    "HomeAssistant",
    "Preset",
    "Recognised",
    "Shelly",
    "ShellyGen1",
    "Tasmota",
    "Zigbee2Mqtt",
    "describe",
    "identity",
    "is_config",
    "recognise",
    "settle",
    "whole_house",
]

PRESETS: dict[str, type[Preset]] = {
    "tasmota": Tasmota,
    "shelly": Shelly,
    "shelly-gen1": ShellyGen1,
    "zigbee2mqtt": Zigbee2Mqtt,
    "esphome": EspHome,
    "homeassistant": HomeAssistant,
    "dsmr": Dsmr,
    "glow": Glow,
    "custom": Custom,
}
LISTENED = tuple(topic for kind in PRESETS.values() for topic in kind.listens) + CONFIG_TOPICS


def recognise(topic: str, payload: bytes) -> list[Recognised]:
    """What a message tells of devices; nothing where it is of no plug, or malformed.

    >>> [describe(each.device) for each in recognise("tele/kitchen/SENSOR", b'{"ENERGY": {"Power": 3}}')]
    [('tasmota', 'kitchen', {})]
    >>> [describe(each.device) for each in recognise("shelly/status/em:0", b'{"total_act_power": -120}')]
    [('shelly', 'shelly', {'component': 'em:0'})]
    """
    try:
        return list(recognise_config(payload, _by_presets) if is_config(topic) else _by_presets(topic, payload))
    except (Malformed, UsageError):
        return []


def settle(told: Iterable[Recognised]) -> list[Preset]:
    """The devices that are left when all is heard.

    What unit and device class say goes before what a name says, and where one device tells of its
    power and of its energy, its power is enough: both would count twice.
    """
    heard = list(told)
    denied = {identity(each.device) for each in heard if each.sure and not each.meter}
    sure = {identity(each.device) for each in heard if each.sure}
    devices = [
        each.device
        for each in heard
        if each.meter and identity(each.device) not in denied and (each.sure or identity(each.device) not in sure)
    ]
    powers = {_sibling(each) for each in devices if not _counts_energy(each)}
    return list(dict.fromkeys(each for each in devices if not _counts_energy(each) or _sibling(each) not in powers))


def describe(device: Preset) -> tuple[str, str, dict[str, str]]:
    """A device as sources.toml names it: its preset, its topic, and what differs from what is usual."""
    name = next(name for name, kind in PRESETS.items() if type(device) is kind)
    usual = {each.name: each.default for each in device.__dataclass_fields__.values()}
    told = {key: value for key, value in vars(device).items() if value != usual[key]}
    return name, told.pop("topic"), told


def whole_house(device: Preset) -> bool:
    """Whether a device is of those that measure where the grid comes in, as far as anybody can tell.

    >>> whole_house(Dsmr("dsmr/json")), whole_house(Shelly("x", "em:0")), whole_house(Shelly("x"))
    (True, True, False)
    """
    component = getattr(device, "component", "")
    phases = component.startswith("em:") and not getattr(device, "phase", "")
    return isinstance(device, Dsmr | Glow) or phases or "+" in component


def _by_presets(topic: str, payload: bytes) -> Iterator[Recognised]:
    for kind in PRESETS.values():
        yield from kind.recognise(topic, payload)


def identity(device: Preset) -> Preset:
    """The same device, whatever unit it is thought to speak in."""
    return replace(device, unit="W") if hasattr(device, "unit") else device


def _counts_energy(device: Preset) -> bool:
    name = getattr(device, "path", "") or describe(device)[1]
    return getattr(device, "unit", "W") in ENERGY_UNITS or "energy" in name.rpartition("/")[2].rpartition(".")[2]


def _sibling(device: Preset) -> tuple[str, str]:
    """What a sensor of power and one of energy of the same device have in common."""
    preset, topic, _ = describe(device)
    return ("", topic) if preset == "custom" else (preset, topic.replace("energy", "power"))
