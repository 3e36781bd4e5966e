"""Plugs and meters with Tasmota."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

from hushwatt.errors import UsageError
from hushwatt.household.sources.json_path import at_path, parse_document, parse_number, plain_word
from hushwatt.household.sources.measurement import EnergyCounter, Measurement, PowerReading
from hushwatt.household.sources.presets.preset import MINUTE, Recognised, availability
from hushwatt.household.untrusted_json import as_table


@dataclass(frozen=True)
class Tasmota:
    """tele/<topic>/SENSOR with ENERGY.Power and ENERGY.Total in kWh; LWT says whether it is there.

    A device with several channels sends a list of powers.  `channel` picks one, from 1; without it they add up.
    The total of such a device is of all channels together, unless SetOption129 is on: then it is a list too.
    """

    topic: str
    channel: str = ""
    hold: ClassVar[int] = 15 * MINUTE
    listens: ClassVar[tuple[str, ...]] = ("tele/+/SENSOR", "+/tele/SENSOR")

    def __post_init__(self) -> None:
        if self.channel and not (self.channel.isascii() and self.channel.isdigit() and 0 < int(self.channel) < 100):
            raise UsageError('channel must be a number from 1, such as channel = "2"')

    def topics(self) -> list[str]:
        ends = ("SENSOR", "LWT")
        return [f"tele/{self.topic}/{end}" for end in ends] + [f"{self.topic}/tele/{end}" for end in ends]

    def read(self, topic: str, payload: bytes) -> Iterator[Measurement]:
        if topic.endswith("/LWT"):
            yield from availability(plain_word(payload))
            return
        energy = at_path(parse_document(payload), "ENERGY")
        if (total := self._of_channel(at_path(energy, "Total"))) is not None:
            yield EnergyCounter(total * 1_000)
        if (power := self._of_channel(at_path(energy, "Power"))) is not None:
            yield PowerReading(power)

    def _of_channel(self, found: Any) -> float | None:
        """The number of this channel; of all together where none is named."""
        if not self.channel:
            return parse_number(found)
        return parse_number(at_path(found, str(int(self.channel) - 1))) if isinstance(found, list) else None

    @classmethod
    def recognise(cls, topic: str, payload: bytes) -> Iterator[Recognised]:
        parts = topic.split("/")
        if parts[-1] != "SENSOR" or "tele" not in (parts[0], parts[-2]) or len(parts) < 3:
            return
        name = "/".join(parts[1:-1] if parts[0] == "tele" else parts[:-2])
        energy = as_table(at_path(parse_document(payload), "ENERGY"))
        power = energy.get("Power")
        if isinstance(power, list) and len(power) > 1:
            yield from (Recognised(cls(name, str(place))) for place in range(1, min(len(power), 8) + 1))
        elif energy:
            yield Recognised(cls(name))
