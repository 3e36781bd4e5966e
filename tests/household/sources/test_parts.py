"""Meters that tell of their phases, tariffs and directions one by one, and what a plug makes of them."""

from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hushwatt.household.clock import SECOND
from hushwatt.household.sources.measurement import EnergyCounter, Part, PowerReading, Unavailable
from hushwatt.household.sources.parts import Parts
from hushwatt.household.sources.plug import Plug

HOUR = 3_600 * SECOND
PHASES = ("a", "b", "c")


def phase(name: str, watts: float) -> Part:
    return Part(name, PowerReading(watts), PHASES)


def mains(*readings: tuple[int, object], appliance: str = "mains", end: int = HOUR) -> Plug:
    """A meter of the whole house that heard these readings in a slot of an hour."""
    plug = Plug("meter", appliance)
    plug.open("plan", 0, end)
    for time, reading in readings:
        plug.take(time, reading)  # type: ignore[arg-type]
    return plug


@pytest.mark.parametrize("order", list(permutations(PHASES)))
def test_phases_net_out_before_anything_is_cut(order):
    """Export on one phase and import on another are one import, whichever is heard first."""
    watts = {"a": 900.0, "b": -500.0, "c": 100.0}
    plug = mains(*((0, phase(name, watts[name])) for name in order))

    assert plug.take_mean("plan") == pytest.approx(500)
    assert plug.trouble is None


def test_a_meter_that_lacks_a_phase_says_nothing():
    """Two phases of three are no reading; the third makes it one."""
    parts = Parts()

    assert parts.take(0, phase("a", 3), HOUR) is None
    assert parts.take(1, phase("b", 4), HOUR) is None
    assert parts.take(2, phase("c", -5), HOUR) == PowerReading(2)
    assert parts.take(3, phase("a", 4), HOUR) == PowerReading(3)


def test_a_phase_that_fell_silent_is_not_added():
    """What is no longer fresh is no part of now, and neither is what was before an outage."""
    parts = Parts()
    for name in PHASES:
        parts.take(0, phase(name, 3), HOUR)

    assert parts.take(HOUR, phase("a", 4), HOUR) == PowerReading(10)
    assert parts.take(HOUR + 1, phase("a", 4), HOUR) is None
    parts.forget()
    assert parts.take(HOUR + 2, phase("c", 4), HOUR) is None
    assert "4" not in repr(parts)


def test_power_and_counters_are_added_apart():
    """Watts are added to watts, tariffs to tariffs."""
    parts = Parts()

    assert parts.take(0, Part("in", PowerReading(3), ("in",)), HOUR) == PowerReading(3)
    assert parts.take(0, Part("1", EnergyCounter(7), ("1", "2")), HOUR) is None
    assert parts.take(0, Part("2", EnergyCounter(8), ("1", "2")), HOUR) == EnergyCounter(15)
    assert parts.take(1, Part("out", PowerReading(-5), ("in",)), HOUR) == PowerReading(-2)


def test_what_is_exported_counts_as_nothing():
    """Half an hour of import and half an hour of export are half the import, and no trouble."""
    plug = mains((0, PowerReading(1_000)), (HOUR // 2, PowerReading(-3_000)))

    assert plug.trouble is None
    assert plug.take_mean("plan") == pytest.approx(500)


def test_a_counter_of_import_beside_exported_power():
    """The counter tells what was drawn; while the house exports it stands still."""
    plug = mains((0, EnergyCounter(100)), (0, PowerReading(-800)), (HOUR // 2, EnergyCounter(100)))
    plug.take(HOUR // 2, PowerReading(600))
    plug.take(HOUR, EnergyCounter(400))

    assert plug.take_mean("plan") == pytest.approx(300)


@pytest.mark.parametrize("appliance", ["kettle", "heat pump"])
def test_below_zero_is_trouble_for_anything_but_the_whole_house(appliance):
    """An appliance draws: where it shows less than nothing, a clamp is the wrong way round."""
    plug = mains((0, PowerReading(-800)), appliance=appliance)

    assert plug.trouble is not None
    assert "less than nothing" in plug.trouble
    assert "800" not in plug.trouble


@pytest.mark.parametrize("appliance", ["mains", "Mains", "whole house", "smart_meter", "Hausanschluss"])
def test_the_whole_house_may_export(appliance):
    """By whatever name."""

    assert Plug("meter", appliance).exports


def test_more_than_the_maximum_is_impossible_in_both_directions():
    """A meter that shows a hundred kilowatts of export is wrong."""

    assert mains((0, PowerReading(-100_000))).trouble is not None


@given(
    st.lists(
        st.tuples(st.sampled_from(PHASES), st.floats(-30_000, 30_000)) | st.none(),
        max_size=20,
    )
)
def test_no_order_of_parts_makes_a_mean_below_nothing(heard):
    """Whatever comes when, the mean lies between nothing and the most the meter may show."""
    readings = [Unavailable("away") if each is None else phase(*each) for each in heard]
    plug = mains(*((place * SECOND * 60, reading) for place, reading in enumerate(readings)))

    assert 0 <= plug.take_mean("plan") <= plug.maximum
