"""See what plugs there are on a broker; their readings are passed over."""

import asyncio
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass

from hushwatt.household.sources.mqtt import connection
from hushwatt.household.sources.presets import LISTENED, Recognised, describe, identity, is_config, recognise, settle
from hushwatt.household.sources.sources_file import Broker

MAX_PLUGS = 1_000  # plugs that are told of: more is somebody's joke


@dataclass(frozen=True, order=True)
class DiscoveredPlug:
    """One plug, as sources.toml would name it."""

    preset: str
    topic: str
    settings: tuple[tuple[str, str], ...] = ()
    fresh: bool = True  # False: only a retained message was there

    @property
    def toml(self) -> str:
        told = (("topic", self.topic), *self.settings)
        lines = "".join(f"\n{key} = {toml_text(value)}" for key, value in told)
        return f'[[plug]]\nappliance = "?"\npreset = "{self.preset}"{lines}'


async def discover(broker: Broker, seconds: float) -> list[DiscoveredPlug]:
    """Listen for a while, and say who spoke of watts."""
    heard: dict[Recognised, bool] = {}  # and whether it was said just now
    announced: dict[str, list[Recognised]] = {}  # by the topics that discovery names
    async with connection(broker) as connected:
        for topic in LISTENED:
            await connected.subscribe(topic)
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                async for message in connected.messages:
                    topic, payload = message.topic.value, message.payload if isinstance(message.payload, bytes) else b""
                    found = recognise(topic, payload)
                    for each in [*found, *announced.get(topic, [])]:
                        if each in heard or len(heard) < MAX_PLUGS:
                            heard[each] = heard.get(each, False) or not (message.retain or is_config(topic))
                    for each, named in announce(topic, found, announced):
                        announced.setdefault(named, []).append(each)
                        await connected.subscribe(named)
    return discovered(heard)


def announce(
    topic: str, found: list[Recognised], announced: dict[str, list[Recognised]]
) -> Iterator[tuple[Recognised, str]]:
    """The topics to listen to besides, for devices that a config tells of."""
    for each in found if is_config(topic) else ():
        named = each.device.topics()[0]
        if each.meter and each not in announced.get(named, []) and len(announced) < MAX_PLUGS:
            yield each, named


def discovered(heard: dict[Recognised, bool]) -> list[DiscoveredPlug]:
    """The plugs behind what was heard, and whether it was said just now."""
    fresh = {identity(each.device) for each, now in heard.items() if now}
    return sorted(
        DiscoveredPlug(preset, topic, tuple(settings.items()), identity(device) in fresh)
        for device in settle(heard)
        for preset, topic, settings in (describe(device),)
    )


def toml_text(words: str) -> str:
    r"""A text as TOML has it; whatever is in a topic, it stays in its quotes and on its line.

    >>> print(toml_text('desk"\n[[plug]]'))
    "desk\U00000022\U0000000a[[plug]]"
    """
    escaped = (each if each.isprintable() and each not in '"\\' else f"\\U{ord(each):08x}" for each in words)
    return f'"{"".join(escaped)}"'
