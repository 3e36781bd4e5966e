"""What speaks of watts on a broker, each with what it tells now."""

import pytest

from hushwatt.household.sources.discover import MAX_KEPT, discovered
from hushwatt.household.sources.presets import recognise

MESSAGES = {
    "tele/kitchen/SENSOR": b'{"ENERGY": {"Power": 30, "Total": 5}}',
    "zigbee2mqtt/living/tv": b'{"power": 54.5}',
    "shelly-1/status/switch:0": b'{"apower": 7, "aenergy": {"total": 3}}',
    "homeassistant/sensor/oven_power/state": b'"1.5"',
    "homeassistant/sensor/oven_power/unit_of_measurement": b'"kW"',
    "esp/sensor/desk_energy/state": b"3.5",
}


def find(messages):
    heard = {each: True for topic, payload in messages.items() for each in recognise(topic, payload)}
    return {plug.topic: plug for plug in discovered(heard, messages)}


@pytest.mark.parametrize(
    "topic, watts",
    [
        ("kitchen", 30),
        ("living/tv", 54.5),
        ("shelly-1", 7),
        ("sensor.oven_power", 1500),
        ("esp/sensor/desk_energy", None),
    ],
)
def test_the_watts_of_now(topic, watts):
    """As its maker writes them, in the unit that it names; a counter tells none."""
    assert find(MESSAGES)[topic].watts == watts


def test_nonsense_tells_no_watts():
    """A plug that spoke well and then raves is shown without."""
    heard = dict.fromkeys(recognise("zigbee2mqtt/tv", b'{"power": 3}'), True)
    for payload in (b"", b"[" * 5_000, b'{"power": "x"}', b'{"power": 1e999}'):
        [plug] = discovered(heard, {"zigbee2mqtt/tv": payload})

        assert plug.watts is None


def test_watts_are_in_no_repr_and_no_toml():
    """They are for the table alone."""
    shown = "".join(repr(plug) + plug.toml for plug in find(MESSAGES).values())

    assert "54.5" not in shown
    assert MAX_KEPT < 1 << 16
