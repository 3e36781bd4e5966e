"""Plugs and meters behind zigbee2mqtt."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from hushwatt.household.sources.json_path import at_path, parse_document, parse_number, plain_word, step_into
from hushwatt.household.sources.measurement import Measurement, PowerReading
from hushwatt.household.sources.presets.preset import MINUTE, Recognised, availability
from hushwatt.household.untrusted_json import as_table

OTHER_WORDS = ("factor", "apparent", "reactive", "on", "outage", "threshold", "limit", "overload", "breaker", "type")


@dataclass(frozen=True)
class Zigbee2Mqtt:
    """zigbee2mqtt/<name> with power in W; a name may contain slashes.

    A device with several endpoints has power_l1, power_left and the like: `endpoint` is what follows power_.
    """

    topic: str
    base: str = "zigbee2mqtt"
    endpoint: str = ""
    hold: ClassVar[int] = 60 * MINUTE
    listens: ClassVar[tuple[str, ...]] = ("zigbee2mqtt/#",)

    def topics(self) -> list[str]:
        return [f"{self.base}/{self.topic}", f"{self.base}/{self.topic}/availability"]

    def read(self, topic: str, payload: bytes) -> Iterator[Measurement]:
        if topic == f"{self.base}/{self.topic}/availability":
            word = plain_word(payload)
            yield from availability(str(at_path(parse_document(payload), "state")) if word.startswith("{") else word)
            return
        name = f"power_{self.endpoint}" if self.endpoint else "power"
        if (power := parse_number(step_into(parse_document(payload), name))) is not None:
            yield PowerReading(power)

    @classmethod
    def recognise(cls, topic: str, payload: bytes) -> Iterator[Recognised]:
        base, _, name = topic.partition("/")
        if base != "zigbee2mqtt" or not name or name.split("/")[0] == "bridge" or name.split("/")[-1] in ("set", "get"):
            return
        if name.endswith("/availability"):
            return
        found = as_table(parse_document(payload))
        if found.get("power") is not None:
            yield Recognised(cls(name))
            return
        for key, value in found.items():
            endpoint = key.removeprefix("power_")
            named = key.startswith("power_") and not set(endpoint.split("_")) & set(OTHER_WORDS)
            if named and isinstance(value, int | float) and not isinstance(value, bool):
                yield Recognised(cls(name, endpoint=endpoint))
