"""What a message or a row can tell about one plug."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Power:
    """Watts, now."""

    watts: float

    def __repr__(self) -> str:
        return "<a reading>"


@dataclass(frozen=True)
class Energy:
    """A counter of watt-hours that only goes up, until it starts again."""

    watt_hours: float

    def __repr__(self) -> str:
        return "<a counter>"


@dataclass(frozen=True)
class Unit:
    """What the numbers of this plug are in, as its sender says."""

    name: str


@dataclass(frozen=True)
class Gone:
    """The plug is not there."""

    reason: str


Seen = Power | Energy | Unit | Gone

POWER_UNITS = {"W": 1.0, "kW": 1_000.0, "mW": 0.001, "MW": 1_000_000.0}
ENERGY_UNITS = {"Wh": 1.0, "kWh": 1_000.0, "MWh": 1_000_000.0}


def measured(number: float, unit: str) -> Power | Energy:
    """A number in a unit of power or of energy.

    >>> measured(1.5, "kW") == Power(1500.0), measured(2, "kWh") == Energy(2000.0)
    (True, True)
    """
    if unit in POWER_UNITS:
        return Power(number * POWER_UNITS[unit])
    return Energy(number * ENERGY_UNITS[unit])
