"""A British smart meter, as a Glow display publishes it."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from hushwatt.household.sources.json_path import at_path, parse_document
from hushwatt.household.sources.measurement import Measurement
from hushwatt.household.sources.presets.preset import MINUTE, Recognised, amount

SENSOR = "SENSOR/electricitymeter"


@dataclass(frozen=True)
class Glow:
    """<topic>/SENSOR/electricitymeter, JSON with power.value and energy.import.cumulative beside their units.

    Power is in kW, the import in kWh; the gas meter, which speaks beside it, is passed over.
    """

    topic: str  # glow/<id>
    hold: ClassVar[int] = 15 * MINUTE
    listens: ClassVar[tuple[str, ...]] = (f"+/+/{SENSOR}",)

    def topics(self) -> list[str]:
        return [f"{self.topic}/{SENSOR}"]

    def read(self, topic: str, payload: bytes) -> Iterator[Measurement]:
        found = at_path(parse_document(payload), "electricitymeter")
        imported, power = at_path(found, "energy.import"), at_path(found, "power")
        yield from amount(at_path(imported, "cumulative"), at_path(imported, "units"), "kWh")
        yield from amount(at_path(power, "value"), at_path(power, "units"), "kW")

    @classmethod
    def recognise(cls, topic: str, payload: bytes) -> Iterator[Recognised]:
        device = topic.removesuffix(f"/{SENSOR}")
        if device != topic and at_path(parse_document(payload), "electricitymeter") is not None:
            yield Recognised(cls(device))
