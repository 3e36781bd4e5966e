"""Every preset hears what its devices send, over a real broker, in the real hub; and --discover finds them there."""

import asyncio
import json
from dataclasses import replace
from typing import Any

import aiomqtt
import pytest
from tests.household.serving import broker
from tests.household.sources.sample_messages import EM, GLOW, TELEGRAM, payload

from hushwatt.household.clock import SECOND
from hushwatt.household.sources.discover import DiscoveredPlug, discover
from hushwatt.household.sources.hub import Hub
from hushwatt.household.sources.mqtt import listen
from hushwatt.household.sources.presets import PRESETS
from hushwatt.household.sources.sources_file import Broker, SourcesFile
from hushwatt.plan.appliance import Appliance
from hushwatt.plan.presets import preset
from hushwatt.plan.times import nanoseconds

HALF = 43_200 * SECOND  # of a slot, which is a day
END = "the end"  # a topic of the test's own: by then all else was heard


def telegram(delivered: float, returned: float) -> list[tuple[str, str]]:
    """What DSMR-reader publishes of a telegram, a topic each."""
    kilowatts = {"delivered": delivered, "returned": returned}
    return [(f"dsmr/reading/electricity_currently_{name}", f"{value:.3f}") for name, value in kilowatts.items()]


def phases(*watts: float) -> list[tuple[str, str]]:
    """What a Shelly 3EM of the first generation publishes of its phases."""
    return [(f"shellies/shellyem3-1/emeter/{place}/power", f"{each:.2f}") for place, each in enumerate(watts)]


def glow(kilowatts: float) -> list[tuple[str, object]]:
    meter = {**GLOW["electricitymeter"], "power": {"value": kilowatts, "units": "kW"}}
    return [("glow/4C11/SENSOR/electricitymeter", {"electricitymeter": {**meter, "energy": {}}})]


def em(**watts: float) -> list[tuple[str, object]]:
    params = {"ts": 1.5, "em:0": {**EM, **watts}}
    return [("shellypro3em-1/events/rpc", {"method": "NotifyStatus", "params": params})]


# appliance, how sources.toml names its plug, what it sends at first and at half time, and the mean that follows
CASES: list[tuple[Any, ...]] = [
    (
        "kettle",
        {"preset": "tasmota", "topic": "kitchen"},
        [("tele/kitchen/SENSOR", {"ENERGY": {"Power": 2000}})],
        [("tele/kitchen/SENSOR", {"ENERGY": {"Power": 0}})],
        1000,
    ),
    (
        "dishwasher",
        {"preset": "tasmota", "topic": "strip", "channel": "2"},
        [("tele/strip/SENSOR", {"ENERGY": {"Power": [5, 600]}})],
        [("tele/strip/SENSOR", {"ENERGY": {"Power": [900, 200]}})],
        400,
    ),
    (
        "tv",
        {"preset": "shelly", "topic": "shellyplugsg3-1"},
        [("shellyplugsg3-1/status/switch:0", {"id": 0, "apower": 80.0, "aenergy": {"total": 1000.0}})],
        [("shellyplugsg3-1/status/switch:0", {"id": 0, "apower": 40.0, "aenergy": {"total": 1960.0}})],
        (960 + 40 * 12) / 24,
    ),
    (
        "fridge",
        {"preset": "shelly", "topic": "shellypmmini-1", "component": "pm1:0"},
        [("shellypmmini-1/events/rpc", {"method": "NotifyStatus", "params": {"pm1:0": {"apower": 60.0}}})],
        [("shellypmmini-1/events/rpc", {"method": "NotifyStatus", "params": {"pm1:0": {"apower": 0.0}}})],
        30,
    ),
    (
        "heat_pump",
        {"preset": "shelly", "topic": "shellyproem-1", "component": "em1:1"},
        [("shellyproem-1/status/em1:1", {"id": 1, "act_power": 501.8, "aprt_power": 612.4})],
        [("shellyproem-1/status/em1:1", {"id": 1, "act_power": 498.2})],
        500,
    ),
    (
        "mains",
        {"preset": "shelly", "topic": "shellypro3em-1", "component": "em:0"},
        em(total_act_power=900.0),
        em(total_act_power=-849.5),
        450,
    ),
    (
        "freezer",
        {"preset": "shelly-gen1", "topic": "shellyplug-s-1"},
        [("shellies/shellyplug-s-1/relay/0/power", "50.00"), ("shellies/shellyplug-s-1/relay/0/energy", "0")],
        [("shellies/shellyplug-s-1/relay/0/energy", str(480 * 60)), ("shellies/shellyplug-s-1/relay/0/power", "20")],
        (480 + 20 * 12) / 24,
    ),
    (
        "whole house",
        {"preset": "shelly-gen1", "topic": "shellyem3-1", "component": "emeter/0+emeter/1+emeter/2"},
        phases(500, -800, 700),
        phases(500, -1800, 700),
        200,
    ),
    (
        "computer",
        {"preset": "zigbee2mqtt", "topic": "office/desk", "endpoint": "l2"},
        [("zigbee2mqtt/office/desk", {"power_l1": 3, "power_l2": 90, "linkquality": 90})],
        [("zigbee2mqtt/office/desk", {"power_l1": 3, "power_l2": 10})],
        50,
    ),
    (
        "toaster",
        {"preset": "esphome", "topic": "esp/sensor/toaster_power"},
        [("esp/sensor/toaster_power/state", "12.5")],
        [("esp/sensor/toaster_power/state", "7.5")],
        10,
    ),
    (
        "router",
        {"preset": "homeassistant", "topic": "sensor.router"},
        [("homeassistant/sensor/router/unit_of_measurement", '"kW"'), ("homeassistant/sensor/router/state", "0.008")],
        [],
        8,
    ),
    (
        "smart meter",
        {"preset": "dsmr", "topic": "dsmr/reading"},
        telegram(0.6, 0),
        telegram(0, 1.2),
        300,
    ),
    (
        "grid",
        {"preset": "dsmr", "topic": "dsmr/json"},
        [("dsmr/json", TELEGRAM)],
        [
            (
                "dsmr/json",
                {**TELEGRAM, "electricity_delivered_1": "1246.100", "electricity_currently_delivered": "2.250"},
            )
        ],
        (12_000 + 1_000 * 12) / 24,
    ),
    ("electricity meter", {"preset": "glow", "topic": "glow/4C11"}, glow(0.6), glow(0.2), 400),
    (
        "p1",
        {"preset": "custom", "topic": "p1/json", "path": "P_cons", "minus": "P_prod", "unit": "kW"},
        [("p1/json", {"P_cons": 0.5, "P_prod": 0})],
        [("p1/json", {"P_cons": 0, "P_prod": 2.5})],
        250,
    ),
]
PLAN = replace(
    preset("everyday"),
    appliances=tuple(Appliance.of(name, values=[0, 500, 1000]) for name, *_ in CASES),
    appliances_per_report=len(CASES),
    appliance_epsilon=None,
)
SLOT = 400


async def publish(port: int, *messages: tuple[str, object]) -> None:
    async with aiomqtt.Client("127.0.0.1", port) as connected:
        for topic, content in messages:
            await connected.publish(topic, payload(content))


async def hear(port: int, hub: Hub) -> None:
    """Both halves of a day, as fast as the broker hands them on; the clock is the test's."""
    begun = nanoseconds(PLAN.calendar.start_of(SLOT))
    heard = {word: asyncio.Event() for word in ("ready", "half", "over")}
    clock = [begun]

    def on_message(topic: str, content: bytes, retained: bool) -> None:
        if topic == END:
            heard[content.decode()].set()
        else:
            hub.on_message(clock[0], topic, content, retained)

    listening = asyncio.create_task(listen(Broker(port=port), [*hub.topics, END], on_message, print))
    async with asyncio.timeout(60):
        while not heard["ready"].is_set():
            await publish(port, (END, "ready"))
            await asyncio.sleep(0.05)
        await publish(port, *(message for case in CASES for message in case[2]), (END, "half"))
        await heard["half"].wait()
        clock[0] = begun + HALF
        await publish(port, *(message for case in CASES for message in case[3]), (END, "over"))
        await heard["over"].wait()
    listening.cancel()


@pytest.fixture(scope="module")
def port(tmp_path_factory):
    with broker(tmp_path_factory.mktemp("broker")) as port:
        yield port


def test_every_preset_measures(port, tmp_path):
    """Each device's messages of a day come to the mean that it drew; what it exported counts as nothing."""
    said: list[str] = []
    plugs = [{"appliance": name, "stale": "1d", **plug} for name, plug, *_ in CASES]
    hub = Hub.of(SourcesFile.parse({"plug": plugs}, tmp_path), said.append)
    hub.open(PLAN, SLOT)
    asyncio.run(hear(port, hub))
    means = dict(zip(PLAN.names, hub.means(PLAN, SLOT), strict=True))

    assert said == []
    assert means == pytest.approx({name: watts for name, *_, watts in CASES})
    assert {plug["preset"] for _, plug, *_ in CASES} == set(PRESETS)


def test_every_preset_is_discovered(port):
    """What speaks on the broker is found, in the words of sources.toml; the custom one by what it announces."""
    config = {"stat_t": "p1/json", "unit_of_meas": "kW", "dev_cla": "power", "val_tpl": "{{ value_json.P_cons }}"}

    async def look() -> list[DiscoveredPlug]:
        listening = asyncio.create_task(discover(Broker(port=port), seconds=3))
        while not listening.done():
            await publish(port, ("homeassistant/sensor/p1/consumption/config", config))
            await publish(port, *(message for case in CASES for message in case[2]))
            await asyncio.sleep(0.3)
        return await listening

    plugs = asyncio.run(look())
    found = [{"preset": each.preset, "topic": each.topic, **dict(each.settings)} for each in plugs]
    expected = [{key: value for key, value in plug.items() if key != "minus"} for _, plug, *_ in CASES]

    told = {(each.topic, dict(each.settings).get("component")): (each.watts, each.whole_house) for each in plugs}

    assert told["dsmr/reading", None] == (pytest.approx(600), True)
    assert told["shellyem3-1", "emeter/0+emeter/1+emeter/2"] == (pytest.approx(400), True)
    assert told["shellypro3em-1", "em:0"] == (pytest.approx(900), True)
    assert told["glow/4C11", None] == (pytest.approx(600), True)
    assert told["kitchen", None] == (pytest.approx(2000), False)
    assert all(each.fresh for each in plugs)
    assert [each for each in expected if each not in found] == []
    assert len(found) == len(expected) + 2  # the other channel of the strip, the other endpoint of the desk
    assert "2000" not in json.dumps(found)
