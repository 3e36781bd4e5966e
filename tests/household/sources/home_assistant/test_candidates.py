"""Which entities of Home Assistant are offered: unit and device class decide, one for each device."""

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.household.sources.home_assistant.acting import TOKEN, ActingHomeAssistant

from hushwatt.household.sources.home_assistant.candidates import candidates, meter_entities, offered
from hushwatt.household.sources.home_assistant_login import HomeAssistantLogin

APPLIANCES = ["kettle", "dishwasher", "oven", "mains"]


def state(name, value, unit, device_class=None, state_class=None, friendly=None):
    attributes = {"unit_of_measurement": unit, "device_class": device_class, "state_class": state_class}
    return {
        "entity_id": name,
        "state": value,
        "attributes": attributes | ({"friendly_name": friendly} if friendly else {}),
    }


STATES = [
    state("sensor.kettle_power", "1.5", "kW", "power", "measurement", "Kettle power"),
    state("sensor.kettle_energy", "7", "kWh", "energy", "total_increasing", "Kettle energy"),
    state("sensor.socket_3_power", "20", "W", "power", "measurement", "Socket 3 power"),
    state("sensor.socket_3_energy", "3", "kWh", "energy", "total_increasing", "Socket 3 energy"),
    state("sensor.oven_total", "3", "kWh", "energy", "total", "Oven total"),
    state("sensor.grid_import", "300", "kWh", "energy", "total_increasing", "Grid import"),
    state("sensor.power_factor", "0.9", "%", "power_factor"),
    state("sensor.power_word", "7", "°C", "temperature"),
    state("sensor.battery", "7", "kWh", "energy_storage", "measurement"),
    state("sensor.broken_power", "unavailable", "W", "power"),
    state("number.limit_power", "7", "W", "power"),
]
ENTRIES = [{"entity_id": f"sensor.socket_3_{each}", "device_id": "d3"} for each in ("power", "energy")]
DEVICES = [{"id": "d3", "name": "Plug S", "name_by_user": "Geschirrspüler"}]
PREFERENCES = {
    "device_consumption": [{"stat_consumption": "sensor.socket_3_energy"}, {"stat_consumption": "other:statistic"}],
    "energy_sources": [{"type": "grid", "flow_from": [{"stat_energy_from": "sensor.grid_import"}]}, {"type": "solar"}],
}
STATISTICS = {"sensor.oven_total": [{"start": 0, "end": 300_000, "change": 50}]}


def offer(preferences=PREFERENCES, appliances=APPLIANCES):
    return offered(meter_entities(STATES, ENTRIES, DEVICES), preferences, STATISTICS, appliances)


def test_what_is_offered():
    """Power rather than energy of the same device, the dashboard's first, by unit and not by the word power."""
    shown = [(each.entity_or_topic, each.watts, each.appliance, each.chosen_there) for each in offer()]

    assert shown == [
        ("sensor.grid_import", None, "mains", True),
        ("sensor.socket_3_power", 20.0, "dishwasher", True),
        ("sensor.kettle_power", 1500.0, "kettle", False),
        ("sensor.oven_total", pytest.approx(600), "oven", False),
        ("sensor.broken_power", None, None, False),
    ]


def test_the_grid_is_mains_only_where_a_plan_asks():
    """A guess is one of the home's appliances."""
    assert offer(appliances=["kettle"])[0].appliance is None


def test_a_device_with_two_channels_keeps_its_counters_apart():
    """Each counter has the power of its own channel, by its name."""
    states = [
        state(f"sensor.box_{channel}_{kind}", "1", unit, kind, "total" if kind == "energy" else "measurement")
        for channel in ("a", "b")
        for kind, unit in (("power", "W"), ("energy", "kWh"))
    ]
    entries = [{"entity_id": each["entity_id"], "device_id": "box"} for each in states]
    preferences = {"device_consumption": [{"stat_consumption": "sensor.box_b_energy", "name": "My kettle"}]}
    [first, second] = offered(meter_entities(states, entries, []), preferences, {}, APPLIANCES)

    assert (first.entity_or_topic, first.name, first.appliance) == ("sensor.box_b_power", "My kettle", "kettle")
    assert second.entity_or_topic == "sensor.box_a_power"


def test_all_of_it_over_a_connection():
    """With statistics for counters; a Home Assistant without energy or recorder offers the rest."""

    async def live(**answers):
        acting = ActingHomeAssistant(**answers)
        async with acting.serving():
            return await candidates(HomeAssistantLogin(acting.url, TOKEN), 10**18, APPLIANCES), acting.asked

    whole = {"get_states": STATES, "config/entity_registry/list": ENTRIES, "config/device_registry/list": DEVICES}
    rich = {"energy/get_prefs": PREFERENCES, "recorder/statistics_during_period": STATISTICS}
    poor = {"energy/get_prefs": ValueError("not_found"), "recorder/statistics_during_period": ValueError("unknown")}

    assert asyncio.run(live(**whole, **rich))[0] == offer()
    assert {each.chosen_there for each in asyncio.run(live(**whole, **poor))[0]} == {False}
    assert asyncio.run(live())[0] == []


VALUES = st.recursive(
    st.none() | st.booleans() | st.floats() | st.text(max_size=5) | st.sampled_from(["sensor.a", "W", "1", "d3"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["entity_id", "state", "attributes", "unit_of_measurement", "device_consumption", "sensor.a"]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=20,
)


@given(VALUES, VALUES, VALUES, VALUES, VALUES)
def test_nothing_that_comes_breaks_it(states, entries, devices, preferences, statistics):
    """Whatever Home Assistant answers."""
    offered(meter_entities(states, entries, devices), preferences, statistics, APPLIANCES)
