"""What each maker's messages mean."""

import json
import re
import tomllib
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from tests.household.sources.sample_messages import EM, EM_DATA, GLOW, SHELLY, TASMOTA, TELEGRAM, payload

from hushwatt.errors import UsageError
from hushwatt.household.clock import SECOND
from hushwatt.household.sources.measurement import (
    EnergyCounter,
    Part,
    PowerReading,
    SenderAway,
    SenderBack,
    Unavailable,
    UnitOfMeasurement,
)
from hushwatt.household.sources.presets import (
    PRESETS,
    Custom,
    Dsmr,
    EspHome,
    Glow,
    HomeAssistant,
    Shelly,
    ShellyGen1,
    Tasmota,
    Zigbee2Mqtt,
)
from hushwatt.household.sources.sources_file import SourcesFile
from hushwatt.household.untrusted_json import Malformed
from hushwatt.plan.slot import SlotLength

PAGE = Path(__file__).parents[3] / "docs/howto/plain-linux.md"
PHASES = "emeter/0+emeter/1+emeter/2"
EMETERS = ("emeter/0", "emeter/1", "emeter/2")
TARIFFS = ("electricity_delivered_1", "electricity_delivered_2")
NOW = ("electricity_currently_delivered",)
READ: list[tuple[Any, ...]] = [
    (Tasmota("k", "2"), "tele/k/SENSOR", {"ENERGY": {"Power": [5, 6], "Total": 9}}, [PowerReading(6)]),
    (
        Tasmota("k", "2"),
        "tele/k/SENSOR",
        {"ENERGY": {"Power": [5, 6], "Total": [1.5, 2.5]}},
        [EnergyCounter(2500), PowerReading(6)],
    ),
    (Tasmota("k", "3"), "tele/k/SENSOR", {"ENERGY": {"Power": [5, 6]}}, []),
    (Tasmota("k", "1"), "tele/k/SENSOR", {"ENERGY": {"Power": 5}}, []),
    (Tasmota("house"), "tele/house/SENSOR", {"ENERGY": {"Power": [500, -800, 100]}}, [PowerReading(-200)]),
    (
        Shelly("s", "pm1:0"),
        "s/status/pm1:0",
        {"id": 0, "apower": 61.3, "aenergy": {"total": 7.5}},
        [EnergyCounter(7.5), PowerReading(61.3)],
    ),
    (Shelly("s", "em1:1"), "s/status/em1:1", {"id": 1, "act_power": 501.8, "aprt_power": 612.4}, [PowerReading(501.8)]),
    (
        Shelly("s", "em1:1"),
        "s/status/em1data:1",
        {"id": 1, "total_act_energy": 6644.9, "total_act_ret_energy": 2595.26},
        [EnergyCounter(6644.9)],
    ),
    (Shelly("s", "em:0"), "s/status/em:0", EM, [PowerReading(-849.5)]),
    (Shelly("s", "em:0"), "s/status/emdata:0", EM_DATA, []),
    (Shelly("s", "em:0", "a"), "s/status/em:0", EM, [PowerReading(310.5)]),
    (Shelly("s", "em:0", "a"), "s/status/emdata:0", EM_DATA, [EnergyCounter(5010.25)]),
    (
        Shelly("s", "em:0"),
        "s/events/rpc",
        {**SHELLY, "params": {"ts": 1.5, "em:0": EM}},
        [PowerReading(-849.5)],
    ),
    (
        Shelly("s", "em1:0+em1:1"),
        "s/events/rpc",
        {**SHELLY, "params": {"em1:0": {"act_power": 10}, "em1:1": {"act_power": -4}}},
        [
            Part("em1:0", PowerReading(10), ("em1:0", "em1:1")),
            Part("em1:1", PowerReading(-4), ("em1:0", "em1:1")),
        ],
    ),
    (ShellyGen1("shellyplug-s-1"), "shellies/shellyplug-s-1/relay/0/power", "42.15", [PowerReading(42.15)]),
    (ShellyGen1("shellyplug-s-1"), "shellies/shellyplug-s-1/relay/0/energy", "6000", [EnergyCounter(100)]),
    (ShellyGen1("x"), "shellies/x/online", "false", [Unavailable("it is switched off or out of reach")]),
    (ShellyGen1("x"), "shellies/x/online", "true", []),
    (ShellyGen1("x", "emeter/1"), "shellies/x/emeter/1/power", "-310.20", [PowerReading(-310.2)]),
    (ShellyGen1("x", "emeter/1"), "shellies/x/emeter/1/total", "91234.5", [EnergyCounter(91234.5)]),
    (ShellyGen1("x", PHASES), "shellies/x/emeter/1/power", "-310.2", [Part("emeter/1", PowerReading(-310.2), EMETERS)]),
    (
        Zigbee2Mqtt("two", endpoint="l2"),
        "zigbee2mqtt/two",
        {"power_l1": 3, "power_l2": 4, "power": 7},
        [PowerReading(4)],
    ),
    (Dsmr("dsmr/json"), "dsmr/json", TELEGRAM, [EnergyCounter(3_234_500), PowerReading(-1250)]),
    (Dsmr("dsmr/json"), "dsmr/json", {NOW[0]: 0.5}, [PowerReading(500)]),
    (
        Dsmr("dsmr/reading"),
        "dsmr/reading/electricity_currently_delivered",
        "0.5",
        [Part(NOW[0], PowerReading(500), NOW)],
    ),
    (
        Dsmr("dsmr/reading"),
        "dsmr/reading/electricity_currently_returned",
        "0.25",
        [Part("electricity_currently_returned", PowerReading(-250), NOW)],
    ),
    (
        Dsmr("dsmr/reading"),
        "dsmr/reading/electricity_delivered_2",
        "2",
        [Part(TARIFFS[1], EnergyCounter(2000), TARIFFS)],
    ),
    (Glow("glow/4C11"), "glow/4C11/SENSOR/electricitymeter", GLOW, [EnergyCounter(4_595_563), PowerReading(623)]),
    (Glow("glow/4C11"), "glow/4C11/SENSOR/electricitymeter", {"gasmeter": {}}, []),
    (HomeAssistant("x"), "homeassistant/status", "offline", [SenderAway("Home Assistant")]),
    (HomeAssistant("x"), "homeassistant/status", "online", [SenderBack("Home Assistant")]),
    (
        Custom("p1", path="P_cons", minus="P_prod", unit="kW"),
        "p1",
        {"P_cons": 0, "P_prod": 1.5},
        [PowerReading(-1500)],
    ),
    (Custom("p1", path="P_cons", minus="P_prod", unit="kW"), "p1", {"P_cons": 2}, [PowerReading(2000)]),
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
        (ShellyGen1("s"), "much"),
        (Glow("glow/1"), "[much"),
        (Glow("glow/1"), {"electricitymeter": {"power": {"value": 1, "units": "much"}}}),
        (Glow("glow/1"), {"electricitymeter": {"power": {"value": 1, "units": ["much"]}}}),
        (Dsmr("dsmr/reading"), "much"),
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
    keys = ("method", "params", "ENERGY", "power", "apower", "aenergy", "state", "a", "electricitymeter", "P_cons")
    for topic in preset.topics():
        for value in ODD:
            for content in (value, *({key: value, "method": "NotifyStatus"} for key in keys)):
                body = json.dumps(content).encode()
                with suppress(Malformed):
                    list(preset.read(topic, body))


def test_every_preset_is_tested():
    """A new preset needs a message here."""

    assert {type(row[0]) for row in READ} == set(PRESETS.values())


@pytest.mark.parametrize(
    "kind, settings, words",
    [
        (Tasmota, {"channel": "0"}, "channel must be a number from 1"),
        (Tasmota, {"channel": "two"}, "channel must be a number from 1"),
        (Tasmota, {"channel": "²"}, "channel must be a number from 1"),
        (Shelly, {"component": "switch"}, "component must be as the device names it"),
        (Shelly, {"component": "em:0", "phase": "d"}, "phase must be"),
        (Shelly, {"component": "switch:0", "phase": "a"}, "phase must be"),
        (ShellyGen1, {"component": "emeter"}, "component must be as the device names it"),
        (Custom, {"minus": "a"}, "minus needs a path"),
        (Custom, {"path": "b", "minus": "a", "unit": "kWh"}, "minus needs a path"),
    ],
)
def test_a_wrong_setting_is_named(kind, settings, words):
    """What no device has is refused."""
    with pytest.raises(UsageError, match=words):
        kind("x", **settings)


def test_the_page_tells_of_every_preset(tmp_path):
    """Each row of the table is a plug that can be written so, and its readings hold for as long as it says."""
    rows = [
        line.split("|")[1:-1] for line in PAGE.read_text().splitlines() if line.startswith("|") and "preset" in line
    ]
    told = set()
    for _, keys, hold in rows:
        plug = tomllib.loads("\n".join(re.findall("`([^`]+)`", keys)))
        (entry,) = SourcesFile.parse({"plug": [{"appliance": "mains", **plug}]}, tmp_path).plugs
        told.add(plug["preset"])

        assert entry.stale == SlotLength.parse(hold.strip()).seconds * SECOND, plug

    assert told == set(PRESETS)
