"""Entities that Home Assistant hands on by its MQTT Statestream."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from hushwatt.household.sources.json_path import parse_number, plain_word
from hushwatt.household.sources.measurement import UNITS, Measurement, SenderAway, SenderBack, UnitOfMeasurement
from hushwatt.household.sources.presets.preset import MINUTE, Recognised, named_unit, state

STATUS = "homeassistant/status"  # where Home Assistant says that it is there, or the broker that it is not
DAY = 24 * 60 * MINUTE


@dataclass(frozen=True)
class HomeAssistant:
    """Statestream, <base>/sensor/<entity>/state, in quotes or not; it may say "unavailable".

    It publishes changes only, also after a restart: an appliance that is off says 0 once.  So a state holds for a
    week, or until Home Assistant calls the entity unavailable or is itself offline for more than an hour.
    """

    topic: str  # sensor.<entity>, or the entity alone
    base: str = "homeassistant"
    unit: str = "W"
    hold: ClassVar[int] = 7 * DAY
    listens: ClassVar[tuple[str, ...]] = tuple(
        f"homeassistant/sensor/+/{end}" for end in ("state", "unit_of_measurement", "device_class")
    )

    def topics(self) -> list[str]:
        stem = f"{self.base}/sensor/{self.topic.removeprefix('sensor.')}"
        return [f"{stem}/state", f"{stem}/unit_of_measurement", STATUS]

    def read(self, topic: str, payload: bytes) -> Iterator[Measurement]:
        if topic == STATUS:
            yield from _presence(plain_word(payload).lower())
        elif topic.endswith("/unit_of_measurement"):
            yield UnitOfMeasurement(plain_word(payload))
        else:
            yield from state(plain_word(payload), self.unit)

    @classmethod
    def recognise(cls, topic: str, payload: bytes) -> Iterator[Recognised]:
        """By its unit and device class where attributes are published, otherwise by its name."""
        parts = topic.split("/")
        if len(parts) != 4 or parts[:2] != ["homeassistant", "sensor"]:
            return
        device, word = cls(f"sensor.{parts[2]}"), plain_word(payload)
        if parts[3] == "unit_of_measurement":
            yield Recognised(device, meter=word in UNITS)
        elif parts[3] == "device_class":
            yield Recognised(device, meter=word in ("power", "energy"))
        elif parts[3] == "state":
            parse_number(word)  # a state that is no number is no plug's
            if named_unit(parts[2]):
                yield Recognised(device, sure=False)


def _presence(word: str) -> Iterator[Measurement]:
    if word == "offline":
        yield SenderAway("Home Assistant")
    elif word == "online":
        yield SenderBack("Home Assistant")
