"""How the makers of plugs speak on MQTT: which topics, and what stands in their messages.

A preset is one class and one line in PRESETS.  `topics` says what to listen to for one
device, `read` says what a message means; it raises Malformed for what nobody should send.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, Protocol

from hushwatt.household.clock import SECOND
from hushwatt.household.sources.json_path import UNAVAILABLE, at, bare, document, field, number
from hushwatt.household.sources.measurement import (
    ENERGY_UNITS,
    POWER_UNITS,
    Energy,
    Gone,
    Power,
    Seen,
    Unit,
    measured,
)
from hushwatt.household.untrusted_json import Malformed

MINUTE = 60 * SECOND
OFFLINE = ("offline", "false")


class Preset(Protocol):
    """One device as its maker has it speak."""

    hold: ClassVar[int]  # how long its readings stay fresh, unless the owner says otherwise

    def topics(self) -> list[str]: ...

    def read(self, topic: str, payload: bytes) -> Iterator[Seen]: ...


@dataclass(frozen=True)
class Tasmota:
    """tele/<topic>/SENSOR with ENERGY.Power and ENERGY.Total in kWh; LWT says whether it is there."""

    topic: str
    hold: ClassVar[int] = 15 * MINUTE

    def topics(self) -> list[str]:
        ends = ("SENSOR", "LWT")
        return [f"tele/{self.topic}/{end}" for end in ends] + [f"{self.topic}/tele/{end}" for end in ends]

    def read(self, topic: str, payload: bytes) -> Iterator[Seen]:
        if topic.endswith("/LWT"):
            yield from _availability(bare(payload))
            return
        energy = at(document(payload), "ENERGY")
        if energy is None:
            return
        if (total := number(at(energy, "Total"))) is not None:
            yield Energy(total * 1_000)
        if (power := number(at(energy, "Power"))) is not None:
            yield Power(power)


@dataclass(frozen=True)
class Shelly:
    """<id>/events/rpc, NotifyStatus with only what changed; or <id>/status/switch:0."""

    topic: str
    component: str = "switch:0"
    hold: ClassVar[int] = 60 * MINUTE

    def topics(self) -> list[str]:
        return [f"{self.topic}/{end}" for end in ("events/rpc", f"status/{self.component}", "online")]

    def read(self, topic: str, payload: bytes) -> Iterator[Seen]:
        if topic.endswith("/online"):
            yield from _availability(bare(payload))
            return
        found = document(payload)
        if topic.endswith("/events/rpc"):
            if at(found, "method") not in ("NotifyStatus", "NotifyFullStatus"):
                return
            found = field(at(found, "params"), self.component)
        if (total := number(at(found, "aenergy.total"))) is not None:
            yield Energy(total)
        if (power := number(at(found, "apower"))) is not None:
            yield Power(power)


@dataclass(frozen=True)
class Zigbee2Mqtt:
    """zigbee2mqtt/<name> with power in W and energy in kWh; a name may contain slashes."""

    topic: str
    base: str = "zigbee2mqtt"
    hold: ClassVar[int] = 60 * MINUTE

    def topics(self) -> list[str]:
        return [f"{self.base}/{self.topic}", f"{self.base}/{self.topic}/availability"]

    def read(self, topic: str, payload: bytes) -> Iterator[Seen]:
        if topic == f"{self.base}/{self.topic}/availability":
            word = bare(payload)
            yield from _availability(str(at(document(payload), "state")) if word.startswith("{") else word)
            return
        found = document(payload)
        if (power := number(at(found, "power"))) is not None:
            yield Power(power)


@dataclass(frozen=True)
class EspHome:
    """<prefix>/sensor/<name>/state, a bare number; <prefix>/status says whether it is there."""

    topic: str  # <prefix>/sensor/<name>
    unit: str = "W"
    hold: ClassVar[int] = 15 * MINUTE

    def topics(self) -> list[str]:
        return [f"{self.topic}/state", f"{self.topic.split('/sensor/')[0]}/status"]

    def read(self, topic: str, payload: bytes) -> Iterator[Seen]:
        if topic.endswith("/status"):
            yield from _availability(bare(payload))
        else:
            yield from _state(bare(payload), self.unit)


@dataclass(frozen=True)
class HomeAssistant:
    """Statestream, <base>/sensor/<entity>/state, in quotes or not; it may say "unavailable"."""

    topic: str  # sensor.<entity>, or the entity alone
    base: str = "homeassistant"
    unit: str = "W"
    hold: ClassVar[int] = 60 * MINUTE

    def topics(self) -> list[str]:
        stem = f"{self.base}/sensor/{self.topic.removeprefix('sensor.')}"
        return [f"{stem}/state", f"{stem}/unit_of_measurement"]

    def read(self, topic: str, payload: bytes) -> Iterator[Seen]:
        if topic.endswith("/unit_of_measurement"):
            yield Unit(bare(payload))
        else:
            yield from _state(bare(payload), self.unit)


@dataclass(frozen=True)
class Custom:
    """Your own topic, a bare number or JSON with a path to watts, or to a counter of energy."""

    topic: str
    path: str = ""
    unit: str = "W"
    hold: ClassVar[int] = 15 * MINUTE

    def topics(self) -> list[str]:
        return [self.topic]

    def read(self, topic: str, payload: bytes) -> Iterator[Seen]:
        if not self.path:
            yield from _state(bare(payload), self.unit)
            return
        found = at(document(payload), self.path)
        if (value := number(found)) is not None:
            yield measured(value, self.unit)
        elif found is None:
            raise Malformed(f"its message has nothing at {self.path}")
        else:
            yield Gone("its sender says it is unavailable")


PRESETS: dict[str, type[Preset]] = {
    "tasmota": Tasmota,
    "shelly": Shelly,
    "zigbee2mqtt": Zigbee2Mqtt,
    "esphome": EspHome,
    "homeassistant": HomeAssistant,
    "custom": Custom,
}
UNITS = {**POWER_UNITS, **ENERGY_UNITS}


def _availability(word: str) -> Iterator[Seen]:
    if word.lower() in OFFLINE:
        yield Gone("it is switched off or out of reach")


def _state(word: str, unit: str) -> Iterator[Seen]:
    if word.lower() in UNAVAILABLE:
        yield Gone("its sender says it is unavailable")
    elif (value := number(word)) is not None:
        yield measured(value, unit)
