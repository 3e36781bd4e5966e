"""Which devices a message is of: by its preset, by Home Assistant's discovery, and by its name in the end."""

import json
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.household.sources.sample_messages import EM, GLOW, SHELLY, TELEGRAM, payload
from tests.household.sources.test_presets import PHASES, READ

from hushwatt.household.sources.presets import LISTENED, PRESETS, describe, recognise, settle
from hushwatt.household.untrusted_json import Malformed

RECOGNISED = [
    ("tele/kitchen/SENSOR", {"ENERGY": {"Power": 3}}, [("tasmota", "kitchen", {})]),
    ("kitchen/tele/SENSOR", {"ENERGY": {"Power": 3}}, [("tasmota", "kitchen", {})]),
    ("tele/desk/plug/SENSOR", {"ENERGY": {"Power": 3}}, [("tasmota", "desk/plug", {})]),
    (
        "tele/two/SENSOR",
        {"ENERGY": {"Power": [3, 4]}},
        [("tasmota", "two", {"channel": "1"}), ("tasmota", "two", {"channel": "2"})],
    ),
    ("shelly-1/events/rpc", SHELLY, [("shelly", "shelly-1", {})]),
    (
        "shelly-1/events/rpc",
        {"method": "NotifyStatus", "params": {"switch:0": {"apower": 1}, "switch:1": {"aenergy": {"total": 1}}}},
        [("shelly", "shelly-1", {}), ("shelly", "shelly-1", {"component": "switch:1"})],
    ),
    ("house/status/em:0", EM, [("shelly", "house", {"component": "em:0"})]),
    ("house/status/em1:1", {"act_power": 3}, [("shelly", "house", {"component": "em1:1"})]),
    ("mini/status/pm1:0", {"apower": 3}, [("shelly", "mini", {"component": "pm1:0"})]),
    ("shellies/shellyplug-s-1/relay/0/power", "42.15", [("shelly-gen1", "shellyplug-s-1", {})]),
    ("shellies/shellyem-1/emeter/1/power", "-3", [("shelly-gen1", "shellyem-1", {"component": "emeter/1"})]),
    ("shellies/shellyem3-1/emeter/1/power", "-3", [("shelly-gen1", "shellyem3-1", {"component": PHASES})]),
    ("zigbee2mqtt/desk/lamp", {"power": 3}, [("zigbee2mqtt", "desk/lamp", {})]),
    (
        "zigbee2mqtt/two",
        {"power_l1": 3, "power_l2": 4.5, "power_factor_l1": 1, "power_on_behavior": 1},
        [("zigbee2mqtt", "two", {"endpoint": "l1"}), ("zigbee2mqtt", "two", {"endpoint": "l2"})],
    ),
    ("esp/sensor/desk_power/state", "4.5", [("esphome", "esp/sensor/desk_power", {})]),
    ("esp/sensor/desk_energy/state", "4.5", [("esphome", "esp/sensor/desk_energy", {"unit": "kWh"})]),
    ("homeassistant/sensor/oven_power/state", '"4.5"', [("homeassistant", "sensor.oven_power", {})]),
    ("homeassistant/sensor/oven/unit_of_measurement", '"W"', [("homeassistant", "sensor.oven", {})]),
    ("dsmr/reading/electricity_currently_delivered", "0.3", [("dsmr", "dsmr/reading", {})]),
    ("dsmr/json", TELEGRAM, [("dsmr", "dsmr/json", {})]),
    ("glow/4C11/SENSOR/electricitymeter", GLOW, [("glow", "glow/4C11", {})]),
    (
        "homeassistant/sensor/meter/config",
        {
            "state_topic": "my/meter",
            "unit_of_measurement": "kW",
            "device_class": "power",
            "value_template": "{{ value_json.now.power }}",
        },
        [("custom", "my/meter", {"path": "now.power", "unit": "kW"})],
    ),
    (
        "homeassistant/sensor/esp/desk/config",
        {"dev_cla": "power", "unit_of_meas": "W", "stat_t": "esp/sensor/desk/state", "name": "Desk"},
        [("esphome", "esp/sensor/desk", {})],
    ),
    (
        "homeassistant/sensor/0x1/power/config",
        {"unit_of_meas": "W", "state_topic": "zigbee2mqtt/desk", "value_template": "{{ value_json.power }}"},
        [("zigbee2mqtt", "desk", {})],
    ),
    (
        "homeassistant/sensor/plug/config",
        {"~": "shellies/shelly1pm-1/relay/0", "stat_t": "~/power", "unit_of_meas": "W"},
        [("shelly-gen1", "shelly1pm-1", {})],
    ),
    (
        "homeassistant/device/p1/config",
        {
            "dev": {"name": "P1"},
            "stat_t": "p1/state",
            "cmps": {
                "a": {"p": "sensor", "unit_of_meas": "W", "val_tpl": "{{ value_json['net'] | float }}"},
                "b": {"p": "sensor", "dev_cla": "voltage", "unit_of_meas": "V", "val_tpl": "{{ value_json.volts }}"},
                "c": {"p": "switch", "unit_of_meas": "W"},
            },
        },
        [("custom", "p1/state", {"path": "net"})],
    ),
]
NO_PLUGS = [
    ("tele/x/SENSOR", "{}"),
    ("tele/x/SENSOR", "nonsense"),
    ("x/y/SENSOR", {"ENERGY": {"Power": 3}}),
    ("x/events/rpc", {"params": None}),
    ("x/events/rpc", {"params": {"switch:0": {"output": True}}}),
    ("x/status/switch:", {"apower": 3}),
    ("x/events/rpc", {"params": {"switch:0+a": {"apower": 3}}}),
    ("shellies/x/relay/0/power", "much"),
    ("shellies/x/relay/0", "on"),
    ("zigbee2mqtt/x/set", {"power": 1}),
    ("zigbee2mqtt/bridge/state", {"power": 1}),
    ("zigbee2mqtt/x/availability", {"state": "online"}),
    ("zigbee2mqtt/x", {"power_outage_memory": 1, "power_on_behavior": 2}),
    ("a/sensor/temperature/state", "20"),
    ("a/sensor/power/state", "text"),
    ("a/sensor/power_factor/state", "0.9"),
    ("dsmr/json", {"gas": 1}),
    ("glow/1/SENSOR/electricitymeter", {"gasmeter": {}}),
    ("homeassistant/sensor/x/config", {"stat_t": "a/b", "unit_of_meas": "%", "dev_cla": "humidity"}),
    ("homeassistant/sensor/x/config", {"stat_t": "a/b", "unit_of_meas": "kWh", "dev_cla": "energy_storage"}),
    ("homeassistant/sensor/x/config", {"stat_t": "a/+", "unit_of_meas": "W"}),
    ("homeassistant/sensor/x/config", {"stat_t": "a" * 70_000, "unit_of_meas": "W"}),
    ("homeassistant/sensor/x/config", {"stat_t": "a", "unit_of_meas": "W", "val_tpl": "{{ value_json.a * 2 }}"}),
    ("homeassistant/sensor/x/config", ""),
    ("other", "1"),
]


@pytest.mark.parametrize("topic, content, expected", RECOGNISED)
def test_a_device_is_recognised(topic, content, expected):
    """A message tells which devices it is of, in the words of sources.toml."""
    found = recognise(topic, payload(content))

    assert [describe(each.device) for each in found if each.meter] == expected


@pytest.mark.parametrize("topic, content", NO_PLUGS)
def test_other_messages_are_no_plugs(topic, content):
    """What does not speak of watts is passed over."""

    assert [each for each in recognise(topic, payload(content)) if each.meter] == []


def told(*messages):
    """The devices after several messages."""
    heard = [each for topic, content in messages for each in recognise(topic, payload(content))]
    return [describe(device) for device in settle(heard)]


def test_unit_and_device_class_go_before_a_name():
    """A sensor that is called power and is none is no candidate, one that is called otherwise and is one is."""
    named = ("esp/sensor/power_quality/state", "3")
    config = {"stat_t": "esp/sensor/power_quality/state", "unit_of_meas": "%", "name": "Power quality"}
    statestream = [
        ("homeassistant/sensor/power_price/state", "3"),
        ("homeassistant/sensor/power_price/unit_of_measurement", '"EUR/kWh"'),
        ("homeassistant/sensor/oven/state", "3"),
        ("homeassistant/sensor/oven/unit_of_measurement", '"kW"'),
        ("homeassistant/sensor/oven/device_class", '"power"'),
    ]
    counter = {"stat_t": "esp/sensor/desk_energy/state", "unit_of_meas": "Wh"}

    assert told(named) == [("esphome", "esp/sensor/power_quality", {})]
    assert told(named, ("homeassistant/sensor/esp/power_quality/config", config)) == []
    battery = [
        ("homeassistant/sensor/battery/unit_of_measurement", '"kWh"'),
        ("homeassistant/sensor/battery/device_class", '"energy_storage"'),
    ]

    assert told(*statestream, *battery) == [("homeassistant", "sensor.oven", {})]
    assert told(("esp/sensor/desk_energy/state", "3"), ("homeassistant/sensor/esp/desk/config", counter)) == [
        ("esphome", "esp/sensor/desk_energy", {"unit": "Wh"})
    ]


def test_power_and_energy_of_one_device_are_not_both_offered():
    """Both would count twice."""
    power = {"stat_t": "meter", "unit_of_meas": "W", "val_tpl": "{{ value_json.power }}"}
    energy = {"stat_t": "meter", "unit_of_meas": "kWh", "val_tpl": "{{ value_json.energy }}"}
    counter = ("homeassistant/sensor/b/config", energy)

    assert told(("esp/sensor/desk_power/state", "3"), ("esp/sensor/desk_energy/state", "3")) == [
        ("esphome", "esp/sensor/desk_power", {})
    ]
    assert told(("homeassistant/sensor/a/config", power), counter) == [("custom", "meter", {"path": "power"})]
    assert told(counter) == [("custom", "meter", {"path": "energy", "unit": "kWh"})]


KEYS = [
    *("ENERGY", "Power", "Total", "params", "method", "em:0", "switch:0", "em1:0", "apower", "aenergy", "total"),
    *("power", "power_l1", "electricitymeter", "value", "units", "stat_t", "unit_of_meas", "val_tpl", "cmps", "~"),
]
ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | st.just("W"),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=4),
    max_leaves=8,
)
TOPICS = sorted(
    {topic for row in READ for topic in row[0].topics()}
    | {row[0] for row in RECOGNISED}
    | {each.replace("+", "x").replace("#", "x") for each in LISTENED}
)


@given(st.sampled_from(TOPICS), ANYTHING.map(lambda each: json.dumps(each).encode()) | st.binary(max_size=40))
def test_any_message_is_heard(topic, body):
    """Any message is read, passed over or malformed, and what is recognised is a device that can be named."""
    for preset in {row[0] for row in READ}:
        if topic in preset.topics():
            with suppress(Malformed):
                list(preset.read(topic, body))
    for each in settle(recognise(topic, body)):
        name, where, settings = describe(each)

        assert PRESETS[name](topic=where, **settings) == each  # type: ignore[call-arg]
