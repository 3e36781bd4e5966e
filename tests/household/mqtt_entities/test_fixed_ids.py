"""What counts as an announcement under fixed ids: only what an earlier version published, word for word."""

import json

import pytest

from hushwatt.household.mqtt_entities.fixed_ids import CONFIGS, STATE, FixedIds, is_ours

TOPIC = "homeassistant/switch/hushwatt/pause/config"
CONFIG = {"unique_id": "hushwatt_pause", "state_topic": STATE, "device": {"identifiers": ["hushwatt"]}}


def test_ours():
    """A configuration and a state."""
    assert is_ours(TOPIC, json.dumps(CONFIG).encode())
    assert is_ours(STATE, b'{"budget_left_today": "1", "taking_part": "yes", "reports_sent": 1, "paused": "ON"}')
    assert len(CONFIGS) == 7


@pytest.mark.parametrize(
    "payload",
    [None, 3, "text", b"", b"\xff", b"[" * 10_000, b"[]", b"{}", b'{"device": []}', json.dumps(CONFIG | {"device": 1})],
)
@pytest.mark.parametrize("topic", [TOPIC, STATE, "homeassistant/sensor/other/config"])
def test_not_ours(topic, payload):
    """Whatever anyone publishes."""
    assert not is_ours(topic, payload)


def test_who_speaks():
    """A state that the broker kept is no sign of life; one that comes now is."""
    heard = FixedIds()
    heard.hear(STATE, b"{}", retained=True)
    assert not heard.alive.is_set()
    heard.hear(TOPIC, json.dumps(CONFIG).encode(), retained=False)
    assert not heard.kept
    heard.hear(TOPIC, json.dumps(CONFIG).encode(), retained=True)
    assert heard.kept == {TOPIC}
    heard.hear(STATE, b"{}", retained=False)
    assert heard.alive.is_set()
