"""See what plugs there are on a broker; their readings are passed over."""

import asyncio
from contextlib import suppress
from dataclasses import dataclass

from hushwatt.household.sources.json_path import at_path, parse_document, parse_number, plain_word
from hushwatt.household.sources.mqtt import connection
from hushwatt.household.sources.sources_file import Broker
from hushwatt.household.untrusted_json import Malformed, as_table

MAX_PLUGS = 1_000  # plugs that are told of: more is somebody's joke
TOPICS = (
    "tele/+/SENSOR",
    "+/tele/SENSOR",
    "+/events/rpc",
    "+/status/+",
    "zigbee2mqtt/#",
    "+/sensor/+/state",
    "homeassistant/sensor/+/state",
)


@dataclass(frozen=True, order=True)
class DiscoveredPlug:
    """One plug, as sources.toml would name it."""

    preset: str
    topic: str
    fresh: bool = True  # False: only a retained message was there

    @property
    def toml(self) -> str:
        return f'[[plug]]\nappliance = "?"\npreset = "{self.preset}"\ntopic = {toml_text(self.topic)}'


async def discover(broker: Broker, seconds: float) -> list[DiscoveredPlug]:
    """Listen for a while, and say who spoke of watts."""
    heard: dict[tuple[str, str], bool] = {}
    async with connection(broker) as connected:
        for topic in TOPICS:
            await connected.subscribe(topic)
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                async for message in connected.messages:
                    payload = message.payload if isinstance(message.payload, bytes) else b""
                    found = recognise(message.topic.value, payload)
                    if found and (found in heard or len(heard) < MAX_PLUGS):
                        heard[found] = heard.get(found, False) or not message.retain
    return sorted(DiscoveredPlug(*name, fresh) for name, fresh in heard.items())


def recognise(topic: str, payload: bytes) -> tuple[str, str] | None:
    """The preset and topic of a plug that sends such a message, if it is one.

    >>> recognise("tele/kitchen/SENSOR", b'{"ENERGY": {"Power": 3}}')
    ('tasmota', 'kitchen')
    >>> recognise("zigbee2mqtt/desk/lamp", b'{"power": 3}')
    ('zigbee2mqtt', 'desk/lamp')
    """
    parts = topic.split("/")
    try:
        if parts[-1] == "SENSOR":
            name = parts[1] if parts[0] == "tele" else parts[0]
            return ("tasmota", name) if at_path(parse_document(payload), "ENERGY") else None
        if topic.endswith("/events/rpc"):
            params = as_table(at_path(parse_document(payload), "params"))
            switches = [name for name in params if name.startswith("switch:")]
            return ("shelly", topic.removesuffix("/events/rpc")) if switches else None
        if len(parts) >= 3 and parts[-2] == "status" and parts[-1].startswith("switch:"):
            return ("shelly", "/".join(parts[:-2])) if at_path(parse_document(payload), "apower") is not None else None
        if parts[0] == "zigbee2mqtt" and parts[-1] not in ("availability", "set", "get"):
            named = len(parts) > 1 and parts[1] != "bridge" and at_path(parse_document(payload), "power") is not None
            return ("zigbee2mqtt", "/".join(parts[1:])) if named else None
        if parts[-1] == "state" and len(parts) == 4:
            return _state(parts, payload)
    except Malformed:
        return None
    return None


def toml_text(words: str) -> str:
    r"""A text as TOML has it; whatever is in a topic, it stays in its quotes and on its line.

    >>> print(toml_text('desk"\n[[plug]]'))
    "desk\U00000022\U0000000a[[plug]]"
    """
    escaped = (each if each.isprintable() and each not in '"\\' else f"\\U{ord(each):08x}" for each in words)
    return f'"{"".join(escaped)}"'


def _state(parts: list[str], payload: bytes) -> tuple[str, str] | None:
    parse_number(plain_word(payload))  # a state that is no number is no plug's
    if "power" not in parts[2] and "energy" not in parts[2]:
        return None
    if parts[0] == "homeassistant":
        return "homeassistant", f"sensor.{parts[2]}"
    return "esphome", "/".join(parts[:3])
