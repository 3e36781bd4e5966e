"""See what plugs there are on a broker, and how many watts each tells, for its owner's eyes alone."""

import asyncio
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace

from hushwatt.household.sources.measurement import UNITS, Measurement, Part, PowerReading, UnitOfMeasurement
from hushwatt.household.sources.mqtt import connection
from hushwatt.household.sources.parts import Parts
from hushwatt.household.sources.presets import (
    LISTENED,
    Preset,
    Recognised,
    describe,
    identity,
    is_config,
    recognise,
    settle,
    whole_house,
)
from hushwatt.household.sources.sources_file import Broker
from hushwatt.household.sources.toml_words import toml_text
from hushwatt.household.untrusted_json import Malformed

MAX_PLUGS = 1_000  # plugs that are told of: more is somebody's joke
MAX_TOPICS, MAX_KEPT = 4 * MAX_PLUGS, 1 << 14  # of which the last message is kept, up to so many bytes


@dataclass(frozen=True, order=True)
class DiscoveredPlug:
    """One plug, as sources.toml would name it."""

    preset: str
    topic: str
    settings: tuple[tuple[str, str], ...] = ()
    fresh: bool = True  # False: only a retained message was there
    watts: float | None = field(default=None, compare=False, repr=False)
    whole_house: bool = field(default=False, compare=False)  # probably

    @property
    def toml(self) -> str:
        told = (("topic", self.topic), *self.settings)
        lines = "".join(f"\n{key} = {toml_text(value)}" for key, value in told)
        return f'[[plug]]\nappliance = "?"\npreset = "{self.preset}"{lines}'


async def discover(broker: Broker, seconds: float) -> list[DiscoveredPlug]:
    """Listen for a while, and say who spoke of watts."""
    heard: dict[Recognised, bool] = {}  # and whether it was said just now
    announced: dict[str, list[Recognised]] = {}  # by the topics that discovery names
    latest: dict[str, bytes] = {}  # what each topic last said
    async with connection(broker) as connected:
        for topic in LISTENED:
            await connected.subscribe(topic)
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                async for message in connected.messages:
                    topic, payload = message.topic.value, message.payload if isinstance(message.payload, bytes) else b""
                    found = recognise(topic, payload)
                    if len(payload) <= MAX_KEPT and (topic in latest or len(latest) < MAX_TOPICS):
                        latest[topic] = payload
                    for each in [*found, *announced.get(topic, [])]:
                        if each in heard or len(heard) < MAX_PLUGS:
                            heard[each] = heard.get(each, False) or not (message.retain or is_config(topic))
                    for each, named in announce(topic, found, announced):
                        announced.setdefault(named, []).append(each)
                        await connected.subscribe(named)
    return discovered(heard, latest)


def announce(
    topic: str, found: list[Recognised], announced: dict[str, list[Recognised]]
) -> Iterator[tuple[Recognised, str]]:
    """The topics to listen to besides, for devices that a config tells of."""
    for each in found if is_config(topic) else ():
        named = each.device.topics()[0]
        if each.meter and each not in announced.get(named, []) and len(announced) < MAX_PLUGS:
            yield each, named


def discovered(heard: dict[Recognised, bool], latest: dict[str, bytes]) -> list[DiscoveredPlug]:
    """The plugs behind what was heard, whether it was said just now, and the watts of each."""
    fresh = {identity(each.device) for each, now in heard.items() if now}
    return sorted(
        DiscoveredPlug(preset, topic, tuple(told.items()), identity(device) in fresh, watts, whole_house(device))
        for device in settle(heard)
        for (preset, topic, told), watts in ((describe(device), _watts(device, latest)),)
    )


def _watts(device: Preset, latest: dict[str, bytes]) -> float | None:
    """The watts that a device last told of; None where it counts energy only, or told nothing that is a number."""
    for each in list(_told(device, latest)):
        if isinstance(each, UnitOfMeasurement) and each.name in UNITS and hasattr(device, "unit"):
            device = replace(device, unit=each.name)
    parts, watts = Parts(), None
    for each in _told(device, latest):
        whole = parts.take(0, each, 0) if isinstance(each, Part) else each
        watts = whole.watts if isinstance(whole, PowerReading) else watts
    return watts


def _told(device: Preset, latest: dict[str, bytes]) -> Iterator[Measurement]:
    for topic in device.topics():
        with suppress(Malformed):
            yield from device.read(topic, latest[topic]) if topic in latest else ()
