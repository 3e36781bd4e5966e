"""What every preset offers, and what several of them share."""

from collections.abc import Iterator
from dataclasses import Field, dataclass
from typing import Any, ClassVar, Protocol

from hushwatt.household.clock import SECOND
from hushwatt.household.sources.json_path import UNAVAILABLE_WORDS, parse_number
from hushwatt.household.sources.measurement import UNITS, Measurement, Unavailable, in_unit
from hushwatt.household.untrusted_json import Malformed

MINUTE = 60 * SECOND
OFFLINE_WORDS = ("offline", "false")


class Preset(Protocol):
    """One device as its maker has it speak."""

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]
    hold: ClassVar[int]  # how long its readings stay fresh, unless the owner says otherwise
    listens: ClassVar[tuple[str, ...]]  # where devices of this kind are looked for

    def topics(self) -> list[str]: ...

    def read(self, topic: str, payload: bytes) -> Iterator[Measurement]: ...

    @classmethod
    def recognise(cls, topic: str, payload: bytes) -> "Iterator[Recognised]": ...


@dataclass(frozen=True)
class Recognised:
    """What a message tells of a device: that it is one, or, where `meter` is False, that it measures something else."""

    device: Preset
    sure: bool = True  # False: only its name speaks for it
    meter: bool = True


def availability(word: str) -> Iterator[Measurement]:
    """What a word about being there means."""
    if word.lower() in OFFLINE_WORDS:
        yield Unavailable("it is switched off or out of reach")


def state(word: str, unit: str) -> Iterator[Measurement]:
    """What a bare word or number means."""
    if word.lower() in UNAVAILABLE_WORDS:
        yield Unavailable("its sender says it is unavailable")
    elif (value := parse_number(word)) is not None:
        yield in_unit(value, unit)


def amount(found: Any, unit: Any, usual: str) -> Iterator[Measurement]:
    """A number beside the name of its unit; nothing where there is none."""
    unit = usual if unit is None else unit
    if not isinstance(unit, str) or unit not in UNITS:
        raise Malformed("its unit is none of power or energy")
    if (value := parse_number(found)) is not None:
        yield in_unit(value, unit)


def named_unit(name: str) -> str | None:
    """The unit that a sensor's name alone speaks for; None where it speaks of neither power nor energy.

    >>> named_unit("kettle_power"), named_unit("kettle_energy"), named_unit("power_factor"), named_unit("humidity")
    ('W', 'kWh', None, None)
    """
    if any(word in name for word in ("factor", "apparent", "reactive", "price", "cost")):
        return None
    return "W" if "power" in name else "kWh" if "energy" in name else None
