"""Sensors of ESPHome over MQTT."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from hushwatt.household.sources.json_path import parse_number, plain_word
from hushwatt.household.sources.measurement import Measurement
from hushwatt.household.sources.presets.preset import MINUTE, Recognised, availability, named_unit, state


@dataclass(frozen=True)
class EspHome:
    """<prefix>/sensor/<name>/state, a bare number; <prefix>/status says whether it is there."""

    topic: str  # <prefix>/sensor/<name>
    unit: str = "W"
    hold: ClassVar[int] = 15 * MINUTE
    listens: ClassVar[tuple[str, ...]] = ("+/sensor/+/state",)

    def topics(self) -> list[str]:
        return [f"{self.topic}/state", f"{self.topic.split('/sensor/')[0]}/status"]

    def read(self, topic: str, payload: bytes) -> Iterator[Measurement]:
        if topic.endswith("/status"):
            yield from availability(plain_word(payload))
        else:
            yield from state(plain_word(payload), self.unit)

    @classmethod
    def recognise(cls, topic: str, payload: bytes) -> Iterator[Recognised]:
        """By the name alone, unless Home Assistant's discovery says more of it."""
        parts = topic.split("/")
        if len(parts) != 4 or parts[1] != "sensor" or parts[3] != "state" or parts[0] == "homeassistant":
            return
        parse_number(plain_word(payload))  # a state that is no number is no plug's
        if unit := named_unit(parts[2]):
            yield Recognised(cls("/".join(parts[:3]), unit), sure=False)
