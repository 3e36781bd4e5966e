"""What Home Assistant says of one entity, and what that means in watts.

The entity's own unit decides, never its name.  No file, no network, no clock is touched here.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

from hushwatt.household.sources.json_path import UNAVAILABLE_WORDS, parse_number
from hushwatt.household.sources.measurement import Measurement, Unavailable, in_unit, watt_hours_in, watts_in
from hushwatt.household.untrusted_json import Malformed

MAX_WATTS = 25_000.0  # unless the owner says otherwise, more is not a reading


@dataclass(frozen=True)
class EntityEntry:
    """One entity that the owner chose, and the appliance that it measures."""

    name: str
    appliance: str
    entity: str  # such as sensor.kettle_power
    stale: int | None = None  # nanoseconds; None: a state is believed for as long as Home Assistant stands by it
    maximum: float = MAX_WATTS


@dataclass(frozen=True)
class EntityState:
    """One entity as Home Assistant has it; what it shows is in no `repr`."""

    entity_id: str
    state: str = field(repr=False)
    unit: str | None = None
    device_class: str | None = None
    state_class: str | None = None
    changed: int = field(default=0, repr=False)  # nanoseconds: since when it has been so, by Home Assistant


def read_entity(state: EntityState) -> Iterator[Measurement]:
    """What a state tells: watts, a counter of energy, or that there is none.

    >>> [round(each.watts) for each in read_entity(EntityState("sensor.oven", "1.2", "kW"))]
    [1200]
    >>> list(read_entity(EntityState("sensor.oven", "unavailable", "kW")))
    [Unavailable(reason='Home Assistant says it is unavailable')]
    """
    word = state.state.strip()
    if word.lower() in UNAVAILABLE_WORDS:
        yield Unavailable(f"Home Assistant says it is {'unknown' if word.lower() == 'unknown' else 'unavailable'}")
        return
    if problem := unfit(state):
        raise Malformed(problem)
    if (number := parse_number(word)) is not None and state.unit is not None:
        yield in_unit(number, state.unit)


def unfit(state: EntityState) -> str | None:
    """Why an entity measures no appliance's watts; None where it does.

    >>> unfit(EntityState("sensor.heat", "21", "°C", "temperature"))
    'its unit is none of power or energy'
    """
    if state.unit is None or (watts_in(state.unit) is None and watt_hours_in(state.unit) is None):
        return "its unit is none of power or energy"
    if watts_in(state.unit) is None and (state.device_class == "energy_storage" or state.state_class == "measurement"):
        return "it tells how much energy is stored, and counts none"
    return None
