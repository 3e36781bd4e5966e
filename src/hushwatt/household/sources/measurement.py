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
class SenderAway:
    """Whoever speaks for the plug, or hands its words on, is not there: it may only be restarting."""

    sender: str


@dataclass(frozen=True)
class SenderBack:
    """It is there again, and repeats nothing that did not change meanwhile."""

    sender: str


@dataclass(frozen=True)
class Part:
    """One of several numbers that only together are a measurement: a phase, a tariff, what is given back."""

    name: str
    amount: PowerReading | EnergyCounter
    needs: tuple[str, ...]  # the parts without which it is none


Measurement = PowerReading | EnergyCounter | UnitOfMeasurement | Unavailable | SenderAway | SenderBack | Part

POWER_UNITS = {"W": 1.0, "kW": 1_000.0, "mW": 0.001, "MW": 1_000_000.0}
ENERGY_UNITS = {"Wh": 1.0, "kWh": 1_000.0, "MWh": 1_000_000.0}
UNITS = POWER_UNITS | ENERGY_UNITS
JOULE, CALORIE = 1 / 3_600, 4.184 / 3_600  # watt-hours
RARE_POWER_UNITS = {"GW": 1e9, "TW": 1e12, "BTU/h": 0.29307107}  # that Home Assistant has besides
RARE_ENERGY_UNITS = {"mWh": 0.001, "GWh": 1e9, "TWh": 1e12} | {
    f"{prefix}{unit}": times * size
    for unit, size in (("J", JOULE), ("cal", CALORIE))
    for prefix, times in (("", 1.0), ("k", 1e3), ("M", 1e6), ("G", 1e9))
}


def in_unit(number: float, unit: str) -> PowerReading | EnergyCounter:
    """A number in a unit of power or of energy.

    >>> in_unit(1.5, "kW") == PowerReading(1500.0), in_unit(2, "kWh") == EnergyCounter(2000.0)
    (True, True)
    """
    if (watts := watts_in(unit)) is not None:
        return PowerReading(number * watts)
    return EnergyCounter(number * (ENERGY_UNITS | RARE_ENERGY_UNITS)[unit])


def watts_in(unit: str) -> float | None:
    """How many watts a unit of power is; None for any other unit."""
    return (POWER_UNITS | RARE_POWER_UNITS).get(unit)


def watt_hours_in(unit: str) -> float | None:
    """How many watt-hours a unit of energy is; None for any other unit.

    >>> watt_hours_in("kWh"), round(watt_hours_in("MJ"), 2), watt_hours_in("%")
    (1000.0, 277.78, None)
    """
    return (ENERGY_UNITS | RARE_ENERGY_UNITS).get(unit)
