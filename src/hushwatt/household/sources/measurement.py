"""What a message or a row can tell about one plug."""

from dataclasses import dataclass


@dataclass(frozen=True)
class PowerReading:
    """Watts, now."""

    watts: float

    def __repr__(self) -> str:
        return "<a reading>"


@dataclass(frozen=True)
class EnergyCounter:
    """A counter of watt-hours that only goes up, until it starts again."""

    watt_hours: float

    def __repr__(self) -> str:
        return "<a counter>"


@dataclass(frozen=True)
class UnitOfMeasurement:
    """What the numbers of this plug are in, as its sender says."""

    name: str


@dataclass(frozen=True)
class Unavailable:
    """The plug is not there."""

    reason: str


@dataclass(frozen=True)
class Part:
    """One of several numbers that only together are a measurement: a phase, a tariff, what is given back."""

    name: str
    amount: PowerReading | EnergyCounter
    needs: tuple[str, ...]  # the parts without which it is none


Measurement = PowerReading | EnergyCounter | UnitOfMeasurement | Unavailable | Part

POWER_UNITS = {"W": 1.0, "kW": 1_000.0, "mW": 0.001, "MW": 1_000_000.0}
ENERGY_UNITS = {"Wh": 1.0, "kWh": 1_000.0, "MWh": 1_000_000.0}
UNITS = POWER_UNITS | ENERGY_UNITS


def in_unit(number: float, unit: str) -> PowerReading | EnergyCounter:
    """A number in a unit of power or of energy.

    >>> in_unit(1.5, "kW") == PowerReading(1500.0), in_unit(2, "kWh") == EnergyCounter(2000.0)
    (True, True)
    """
    if unit in POWER_UNITS:
        return PowerReading(number * POWER_UNITS[unit])
    return EnergyCounter(number * ENERGY_UNITS[unit])
