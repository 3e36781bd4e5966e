"""What each maker's messages mean."""

import json
from contextlib import suppress

import pytest

from hushwatt.household.sources.measurement import EnergyCounter, PowerReading, Unavailable, UnitOfMeasurement
from hushwatt.household.sources.presets import (
    PRESETS,
    Custom,
    EspHome,
    HomeAssistant,
    Shelly,
    Tasmota,
    Zigbee2Mqtt,
)
from hushwatt.household.untrusted_json import Malformed

TASMOTA = {"Time": "2024-01-01T00:00:00", "ENERGY": {"Total": 3.185, "Power": 22, "Voltage": 230}}
SHELLY = {
    "src": "shellyplusplugs-80646fc7b1d4",
    "dst": "shelly/events",
    "method": "NotifyStatus",
    "params": {"ts": 1_700_000_000.1, "switch:0": {"id": 0, "apower": 61.3}},
}
READ = [
    (Tasmota("k"), "tele/k/SENSOR", TASMOTA, [EnergyCounter(3185), PowerReading(22)]),
    (Tasmota("k"), "k/tele/SENSOR", {"ENERGY": {"Power": [5, 6]}}, [PowerReading(11)]),
    (Tasmota("k"), "tele/k/SENSOR", {"DS18B20": {"Temperature": 20}}, []),
    (Tasmota("k"), "tele/k/LWT", "Offline", [Unavailable("it is switched off or out of reach")]),
    (Tasmota("k"), "tele/k/LWT", "Online", []),
    (Shelly("s"), "s/events/rpc", SHELLY, [PowerReading(61.3)]),
    (Shelly("s"), "s/events/rpc", {**SHELLY, "method": "NotifyEvent"}, []),
    (Shelly("s"), "s/events/rpc", {**SHELLY, "params": {"sys": {}}}, []),
    (Shelly("s"), "s/events/rpc", {"method": "NotifyStatus", "params": [1]}, []),
    (
        Shelly("s"),
        "s/events/rpc",
        {**SHELLY, "params": {"switch:0": {"aenergy": {"total": 12.5}}}},
        [EnergyCounter(12.5)],
    ),
    (
        Shelly("s"),
        "s/status/switch:0",
        {"apower": 5, "aenergy": {"total": 7}},
        [EnergyCounter(7), PowerReading(5)],
    ),
    (Shelly("s"), "s/online", "false", [Unavailable("it is switched off or out of reach")]),
    (Zigbee2Mqtt("a/b"), "zigbee2mqtt/a/b", {"power": 80.5, "energy": 3}, [PowerReading(80.5)]),
    (Zigbee2Mqtt("a/b"), "zigbee2mqtt/a/b", {"power": None}, []),
    (
        Zigbee2Mqtt("a/b"),
        "zigbee2mqtt/a/b/availability",
        {"state": "offline"},
        [Unavailable("it is switched off or out of reach")],
    ),
    (EspHome("p/sensor/x"), "p/sensor/x/state", "12.5", [PowerReading(12.5)]),
    (EspHome("p/sensor/x"), "p/status", "offline", [Unavailable("it is switched off or out of reach")]),
    (EspHome("p/sensor/x"), "p/sensor/x/state", "nan", [Unavailable("its sender says it is unavailable")]),
    (HomeAssistant("sensor.x"), "homeassistant/sensor/x/state", '"12.5"', [PowerReading(12.5)]),
    (
        HomeAssistant("x"),
        "homeassistant/sensor/x/state",
        '"unavailable"',
        [Unavailable("its sender says it is unavailable")],
    ),
    (HomeAssistant("x"), "homeassistant/sensor/x/unit_of_measurement", '"kW"', [UnitOfMeasurement("kW")]),
    (HomeAssistant("x", unit="kWh"), "homeassistant/sensor/x/state", "2", [EnergyCounter(2000)]),
    (Custom("my/topic"), "my/topic", "12.5", [PowerReading(12.5)]),
    (Custom("my/topic", path="$.a.0.b", unit="kW"), "my/topic", {"a": [{"b": "1.5"}]}, [PowerReading(1500)]),
    (
        Custom("my/topic", path="a"),
        "my/topic",
        {"a": "unavailable"},
        [Unavailable("its sender says it is unavailable")],
    ),
]


def payload(content):
    return (content if isinstance(content, str) else json.dumps(content)).encode()


@pytest.mark.parametrize("preset, topic, content, expected", READ)
def test_messages_are_understood(preset, topic, content, expected):
    """Each message gives what its maker meant, and nothing where it says nothing of watts."""

    assert topic in preset.topics()
    assert list(preset.read(topic, payload(content))) == expected


@pytest.mark.parametrize(
    "preset, content",
    [
        (Tasmota("k"), "{nonsense"),
        (Tasmota("k"), {"ENERGY": {"Power": {"a": 1}}}),
        (Shelly("s"), "12 apples"),
        (Zigbee2Mqtt("z"), {"power": "much"}),
        (EspHome("p/sensor/x"), "much"),
        (Custom("t", path="a.b"), {"a": 1}),
        (Custom("t"), "\ud800"),
        (Custom("t"), "\u0661\u0662"),
        (Custom("t"), "1e999"),
        (Custom("t"), "1_000"),
        (Custom("t"), "1" * 2_000),
        (Custom("t", path="a"), '{"a": ' + "[" * 900 + "1" + "]" * 900 + "}"),
    ],
)
def test_nonsense_is_malformed(preset, content):
    """What nobody should send is refused in words that do not repeat it."""
    body = content.encode("utf-8", "surrogatepass") if isinstance(content, str) else payload(content)

    with pytest.raises(Malformed) as wrong:
        list(preset.read(preset.topics()[0], body))
    assert "much" not in str(wrong.value)


ODD = [
    *(
        None,
        True,
        [],
        {},
        [1],
        "",
        "12 W",
        1e999,
        10**400,
        [[1]],
        {"switch:0": [1]},
        {"switch:0": {"apower": {}}},
    ),
    *("\u0661\u0662", "\ud800", "NaN", -0.0, [[[[1]]]], {"Power": [None, 1]}, {"state": 1}),
]


@pytest.mark.parametrize("preset", [row[0] for row in READ[::3]], ids=lambda preset: type(preset).__name__)
def test_no_type_surprises_a_preset(preset):
    """Whatever stands wherever, a message is understood, passed over, or malformed."""
    keys = ("method", "params", "ENERGY", "power", "apower", "aenergy", "state", "a")
    for topic in preset.topics():
        for value in ODD:
            for content in (value, *({key: value, "method": "NotifyStatus"} for key in keys)):
                body = json.dumps(content).encode()
                with suppress(Malformed):
                    list(preset.read(topic, body))


def test_every_preset_is_tested():
    """A new preset needs a message here."""

    assert {type(row[0]) for row in READ} == set(PRESETS.values())
