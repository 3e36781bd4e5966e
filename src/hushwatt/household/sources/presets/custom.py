"""Any other sender: the owner says where the number stands."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from hushwatt.errors import UsageError
from hushwatt.household.sources.json_path import at_path, parse_document, parse_number, plain_word
from hushwatt.household.sources.measurement import POWER_UNITS, Measurement, Unavailable, in_unit
from hushwatt.household.sources.presets.preset import MINUTE, Recognised, state
from hushwatt.household.untrusted_json import Malformed


@dataclass(frozen=True)
class Custom:
    """Your own topic, a bare number or JSON with a path to watts, or to a counter of energy.

    `minus` is the path to what the same message says is given back, for meters that tell import from export.
    """

    topic: str
    path: str = ""
    unit: str = "W"
    minus: str = ""
    hold: ClassVar[int] = 15 * MINUTE
    listens: ClassVar[tuple[str, ...]] = ()

    def __post_init__(self) -> None:
        if self.minus and not (self.path and self.unit in POWER_UNITS):
            raise UsageError(f"minus needs a path beside it, and a unit of power: {', '.join(POWER_UNITS)}")

    def topics(self) -> list[str]:
        return [self.topic]

    def read(self, topic: str, payload: bytes) -> Iterator[Measurement]:
        if not self.path:
            yield from state(plain_word(payload), self.unit)
            return
        document = parse_document(payload)
        found = at_path(document, self.path)
        if (value := parse_number(found)) is not None:
            back = parse_number(at_path(document, self.minus)) if self.minus else None
            yield in_unit(value - (back or 0.0), self.unit)
        elif found is None:
            raise Malformed(f"its message has nothing at {self.path}")
        else:
            yield Unavailable("its sender says it is unavailable")

    @classmethod
    def recognise(cls, topic: str, payload: bytes) -> Iterator[Recognised]:
        """Nobody can tell: only Home Assistant's discovery says what an own topic means."""
        yield from ()
