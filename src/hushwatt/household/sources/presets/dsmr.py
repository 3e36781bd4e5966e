"""A smart meter's P1 port, as DSMR-reader publishes it."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

from hushwatt.household.sources.json_path import parse_document, parse_number, plain_word, step_into
from hushwatt.household.sources.measurement import EnergyCounter, Measurement, Part, PowerReading
from hushwatt.household.sources.presets.preset import MINUTE, Recognised

NOW, BACK = "electricity_currently_delivered", "electricity_currently_returned"  # kW
TARIFFS = ("electricity_delivered_1", "electricity_delivered_2")  # kWh, the import


@dataclass(frozen=True)
class Dsmr:
    """<topic>/electricity_currently_delivered and …_returned in kW, one topic each, or both in the JSON of <topic>.

    What is returned counts as negative.  The import of both tariffs, in kWh, is the counter.
    """

    topic: str  # dsmr/reading, or dsmr/json
    hold: ClassVar[int] = 15 * MINUTE
    listens: ClassVar[tuple[str, ...]] = (f"+/+/{NOW}", "dsmr/json")

    def topics(self) -> list[str]:
        return [*(f"{self.topic}/{each}" for each in (NOW, BACK, *TARIFFS)), self.topic]

    def read(self, topic: str, payload: bytes) -> Iterator[Measurement]:
        if topic == self.topic:
            yield from _read_telegram(parse_document(payload))
        elif (number := parse_number(plain_word(payload))) is not None:
            name = topic.removeprefix(f"{self.topic}/")
            if name in TARIFFS:
                yield Part(name, EnergyCounter(number * 1_000), needs=TARIFFS)
            else:
                yield Part(name, PowerReading(number * (1_000 if name == NOW else -1_000)), needs=(NOW,))

    @classmethod
    def recognise(cls, topic: str, payload: bytes) -> Iterator[Recognised]:
        if topic.endswith(f"/{NOW}"):
            if parse_number(plain_word(payload)) is not None:
                yield Recognised(cls(topic.removesuffix(f"/{NOW}")))
        elif topic.endswith("/json") and parse_number(step_into(parse_document(payload), NOW)) is not None:
            yield Recognised(cls(topic))


def _read_telegram(found: Any) -> Iterator[Measurement]:
    tariffs = [parse_number(step_into(found, name)) for name in TARIFFS]
    if known := [each for each in tariffs if each is not None]:
        yield EnergyCounter(sum(known) * 1_000)
    if (delivered := parse_number(step_into(found, NOW))) is not None:
        yield PowerReading((delivered - (parse_number(step_into(found, BACK)) or 0.0)) * 1_000)
