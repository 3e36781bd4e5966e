"""How the makers of plugs speak on MQTT: which topics, and what stands in their messages.

A preset is one class and one line in PRESETS.  `topics` says what to listen to for one
device, `read` says what a message means; it raises Malformed for what nobody should send.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, Protocol

from hushwatt.household.clock import SECOND
from hushwatt.household.sources.json_path import (
    UNAVAILABLE_WORDS,
    at_path,
    parse_document,
    parse_number,
    plain_word,
    step_into,
)
from hushwatt.household.sources.measurement import (
    EnergyCounter,
    Measurement,
    PowerReading,
    Unavailable,
    UnitOfMeasurement,
    in_unit,
)
from hushwatt.household.untrusted_json import Malformed

MINUTE = 60 * SECOND
OFFLINE_WORDS = ("offline", "false")


class Preset(Protocol):
    """One device as its maker has it speak."""

    hold: ClassVar[int]  # how long its readings stay fresh, unless the owner says otherwise

    def topics(self) -> list[str]: ...

    def read(self, topic: str, payload: bytes) -> Iterator[Measurement]: ...


@dataclass(frozen=True)
class Tasmota:
    """tele/<topic>/SENSOR with ENERGY.Power and ENERGY.Total in kWh; LWT says whether it is there."""

    topic: str
    hold: ClassVar[int] = 15 * MINUTE

    def topics(self) -> list[str]:
        ends = ("SENSOR", "LWT")
        return [f"tele/{self.topic}/{end}" for end in ends] + [f"{self.topic}/tele/{end}" for end in ends]

    def read(self, topic: str, payload: bytes) -> Iterator[Measurement]:
        if topic.endswith("/LWT"):
            yield from _availability(plain_word(payload))
            return
        energy = at_path(parse_document(payload), "ENERGY")
        if energy is None:
            return
        if (total := parse_number(at_path(energy, "Total"))) is not None:
            yield EnergyCounter(total * 1_000)
        if (power := parse_number(at_path(energy, "Power"))) is not None:
            yield PowerReading(power)


@dataclass(frozen=True)
class Shelly:
    """<id>/events/rpc, NotifyStatus with only what changed; or <id>/status/switch:0."""

    topic: str
    component: str = "switch:0"
    hold: ClassVar[int] = 60 * MINUTE

    def topics(self) -> list[str]:
        return [f"{self.topic}/{end}" for end in ("events/rpc", f"status/{self.component}", "online")]

    def read(self, topic: str, payload: bytes) -> Iterator[Measurement]:
        if topic.endswith("/online"):
            yield from _availability(plain_word(payload))
            return
        found = parse_document(payload)
        if topic.endswith("/events/rpc"):
            if at_path(found, "method") not in ("NotifyStatus", "NotifyFullStatus"):
                return
            found = step_into(at_path(found, "params"), self.component)
        if (total := parse_number(at_path(found, "aenergy.total"))) is not None:
            yield EnergyCounter(total)
        if (power := parse_number(at_path(found, "apower"))) is not None:
            yield PowerReading(power)


@dataclass(frozen=True)
class Zigbee2Mqtt:
    """zigbee2mqtt/<name> with power in W and energy in kWh; a name may contain slashes."""

    topic: str
    base: str = "zigbee2mqtt"
    hold: ClassVar[int] = 60 * MINUTE

    def topics(self) -> list[str]:
        return [f"{self.base}/{self.topic}", f"{self.base}/{self.topic}/availability"]

    def read(self, topic: str, payload: bytes) -> Iterator[Measurement]:
        if topic == f"{self.base}/{self.topic}/availability":
            word = plain_word(payload)
            yield from _availability(str(at_path(parse_document(payload), "state")) if word.startswith("{") else word)
            return
        found = parse_document(payload)
        if (power := parse_number(at_path(found, "power"))) is not None:
            yield PowerReading(power)


@dataclass(frozen=True)
class EspHome:
    """<prefix>/sensor/<name>/state, a bare number; <prefix>/status says whether it is there."""

    topic: str  # <prefix>/sensor/<name>
    unit: str = "W"
    hold: ClassVar[int] = 15 * MINUTE

    def topics(self) -> list[str]:
        return [f"{self.topic}/state", f"{self.topic.split('/sensor/')[0]}/status"]

    def read(self, topic: str, payload: bytes) -> Iterator[Measurement]:
        if topic.endswith("/status"):
            yield from _availability(plain_word(payload))
        else:
            yield from _state(plain_word(payload), self.unit)


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

    def read(self, topic: str, payload: bytes) -> Iterator[Measurement]:
        if topic.endswith("/unit_of_measurement"):
            yield UnitOfMeasurement(plain_word(payload))
        else:
            yield from _state(plain_word(payload), self.unit)


@dataclass(frozen=True)
class Custom:
    """Your own topic, a bare number or JSON with a path to watts, or to a counter of energy."""

    topic: str
    path: str = ""
    unit: str = "W"
    hold: ClassVar[int] = 15 * MINUTE

    def topics(self) -> list[str]:
        return [self.topic]

    def read(self, topic: str, payload: bytes) -> Iterator[Measurement]:
        if not self.path:
            yield from _state(plain_word(payload), self.unit)
            return
        found = at_path(parse_document(payload), self.path)
        if (value := parse_number(found)) is not None:
            yield in_unit(value, self.unit)
        elif found is None:
            raise Malformed(f"its message has nothing at {self.path}")
        else:
            yield Unavailable("its sender says it is unavailable")


PRESETS: dict[str, type[Preset]] = {
    "tasmota": Tasmota,
    "shelly": Shelly,
    "zigbee2mqtt": Zigbee2Mqtt,
    "esphome": EspHome,
    "homeassistant": HomeAssistant,
    "custom": Custom,
}


def _availability(word: str) -> Iterator[Measurement]:
    if word.lower() in OFFLINE_WORDS:
        yield Unavailable("it is switched off or out of reach")


def _state(word: str, unit: str) -> Iterator[Measurement]:
    if word.lower() in UNAVAILABLE_WORDS:
        yield Unavailable("its sender says it is unavailable")
    elif (value := parse_number(word)) is not None:
        yield in_unit(value, unit)
