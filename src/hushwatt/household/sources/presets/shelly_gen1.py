"""Plugs and meters of Shelly's first generation."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from hushwatt.errors import UsageError
from hushwatt.household.sources.json_path import parse_number, plain_word
from hushwatt.household.sources.measurement import EnergyCounter, Measurement, Part, PowerReading
from hushwatt.household.sources.presets.preset import MINUTE, Recognised, availability

POWER_TOPIC = re.compile(r"shellies/(?P<device>[^/]+)/(?P<component>(relay|emeter|roller|light|meter)/\d)/power")
THREE_PHASES = "emeter/0+emeter/1+emeter/2"
WATT_MINUTES = 60  # in a watt-hour


@dataclass(frozen=True)
class ShellyGen1:
    """shellies/<id>/relay/0/power in W and …/relay/0/energy in watt-minutes, about every 30 seconds.

    The clamps of an EM and a 3EM speak on emeter/0 to emeter/2, with power, which is negative for what is
    exported, and total, the import in Wh.  Several components, as in emeter/0+emeter/1+emeter/2, are added up as
    one meter, from their watts: its phases then net out, which its counters do not.
    """

    topic: str  # the id, such as shellyplug-s-AABBCC
    component: str = "relay/0"
    base: str = "shellies"
    hold: ClassVar[int] = 15 * MINUTE
    listens: ClassVar[tuple[str, ...]] = ("shellies/+/+/+/power",)

    def __post_init__(self) -> None:
        if not all(re.fullmatch(r"[a-z]+/\d{1,2}", each) for each in self._components):
            raise UsageError('component must be as the device names it, such as "relay/0" or "emeter/0"')

    @property
    def _components(self) -> list[str]:
        return [each.strip() for each in self.component.split("+")]

    def topics(self) -> list[str]:
        ends = ["power"] if len(self._components) > 1 else ["power", self._counter]
        found = [f"{each}/{end}" for each in self._components for end in ends]
        return [f"{self.base}/{self.topic}/{each}" for each in (*found, "online")]

    @property
    def _counter(self) -> str:
        return "total" if self.component.startswith("emeter/") else "energy"

    def read(self, topic: str, payload: bytes) -> Iterator[Measurement]:
        if topic.endswith("/online"):
            yield from availability(plain_word(payload))
            return
        if (number := parse_number(plain_word(payload))) is None:
            return
        component, _, end = topic.removeprefix(f"{self.base}/{self.topic}/").rpartition("/")
        if end == "total":
            yield EnergyCounter(number)
        elif end == "energy":
            yield EnergyCounter(number / WATT_MINUTES)
        elif len(self._components) > 1:
            yield Part(component, PowerReading(number), needs=tuple(self._components))
        else:
            yield PowerReading(number)

    @classmethod
    def recognise(cls, topic: str, payload: bytes) -> Iterator[Recognised]:
        if (told := POWER_TOPIC.fullmatch(topic)) is None or parse_number(plain_word(payload)) is None:
            return
        device, component = told["device"], told["component"]
        three = device.startswith("shellyem3") and component.startswith("emeter/")
        yield Recognised(cls(device, THREE_PHASES if three else component))
