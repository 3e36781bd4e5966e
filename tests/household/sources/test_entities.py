"""What Home Assistant says of an entity, in watts: its unit decides, and what is no reading is none."""

import pytest

from hushwatt.household.sources.entities import EntityState, read_entity, unfit
from hushwatt.household.sources.measurement import EnergyCounter, PowerReading, Unavailable
from hushwatt.household.untrusted_json import Malformed


def state(word, unit, device_class=None, state_class=None):
    return EntityState("sensor.x", word, unit, device_class, state_class)


@pytest.mark.parametrize(
    "word, unit, watts",
    [
        ("12.5", "W", 12.5),
        ("1.5", "kW", 1500),
        ("300", "mW", 0.3),
        ("-4", "W", -4),
        ("1e3", "W", 1000),
        ("1", "BTU/h", 0.293),
    ],
)
def test_power_in_its_own_unit(word, unit, watts):
    """Whatever unit of power Home Assistant names, it comes out as watts."""
    [reading] = read_entity(state(word, unit, "power", "measurement"))

    assert isinstance(reading, PowerReading)
    assert reading.watts == pytest.approx(watts, rel=1e-3)


@pytest.mark.parametrize(
    "word, unit, watt_hours",
    [
        ("2", "kWh", 2000),
        ("2", "Wh", 2),
        ("3.6", "MJ", 1000),
        ("1", "GJ", 277_778),
        ("1", "Mcal", 1162.2),
        ("1", "MWh", 1e6),
    ],
)
def test_energy_in_its_own_unit(word, unit, watt_hours):
    """Likewise counters, which come out as watt-hours."""
    [counter] = read_entity(state(word, unit, "energy", "total_increasing"))

    assert isinstance(counter, EnergyCounter)
    assert counter.watt_hours == pytest.approx(watt_hours, rel=1e-3)


@pytest.mark.parametrize("word", ["unavailable", "unknown", "", "None", "nan", " Unavailable "])
def test_no_reading(word):
    """What Home Assistant has no value of is unavailable, whatever the unit."""
    for unit in ("W", None, "horses"):
        [reading] = read_entity(state(word, unit))

        assert isinstance(reading, Unavailable)


@pytest.mark.parametrize("word", ["on", "12,5", "0x10", "١٢", "inf", "1e999", "9" * 500])
def test_a_state_that_is_no_number_is_malformed(word):
    """It is said that it is none, never what it was."""
    with pytest.raises(Malformed) as wrong:
        list(read_entity(state(word, "W")))

    assert word not in str(wrong.value)


@pytest.mark.parametrize(
    "unit, device_class, state_class, fits",
    [
        ("W", "power", "measurement", True),
        ("W", None, None, True),
        ("kWh", "energy", "total", True),
        ("kWh", "energy", None, True),
        ("kWh", "energy_storage", "measurement", False),
        ("kWh", "energy", "measurement", False),
        ("°C", "temperature", "measurement", False),
        ("VA", "apparent_power", "measurement", False),
        (None, None, None, False),
        ("EUR/kWh", None, "measurement", False),
    ],
)
def test_only_power_and_counters_of_energy_fit(unit, device_class, state_class, fits):
    """The unit decides, not the word power in a name; a battery's charge is no counter."""
    found = state("1", unit, device_class, state_class)

    assert (unfit(found) is None) is fits
    if not fits:
        with pytest.raises(Malformed):
            list(read_entity(found))


def test_no_reading_in_a_repr():
    """Neither the state nor when it changed is shown."""
    shown = repr(EntityState("sensor.x", "2345.6", "W", changed=1_234_567))

    assert "2345" not in shown
    assert "1234567" not in shown
