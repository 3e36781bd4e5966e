"""Keeps the entities on the broker up to date, and obeys their pause switches.

The broker holds a last will: when the agent is gone, however it went, Home Assistant shows its entities as
unavailable.
"""

import asyncio
import json
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field

import aiomqtt

from hushwatt.errors import HushwattError
from hushwatt.household.clock import HomeClock
from hushwatt.household.guard import Guard
from hushwatt.household.home_folder import HomeFolder
from hushwatt.household.ledger.caps import Caps
from hushwatt.household.ledger.store import Store
from hushwatt.household.log_once import LogOnce
from hushwatt.household.mqtt_entities.entities import (
    OFFLINE,
    ONLINE,
    EntityMessages,
    EntityNames,
    entity_messages,
    obey,
    to_resume,
)
from hushwatt.household.mqtt_entities.fixed_ids import FixedIds
from hushwatt.household.sources.mqtt import MAX_BACKOFF, MIN_BACKOFF, broker_failure, connection
from hushwatt.household.sources.sources_file import Broker

STATE_SECONDS = 30.0  # seconds between two states
MIN_STATE_SECONDS = 1.0  # seconds between two states that were asked for
GOODBYE_SECONDS = 0.3  # that an agent which ends has to say so


async def announce(
    broker: Broker, folder: HomeFolder, store: Store, caps: Callable[[], Caps], clock: HomeClock, guard: Guard
) -> None:
    """Keep the entities up to date; never ends by itself.  `caps` gives those that hold at the time."""

    def look() -> EntityMessages:
        with folder.store() as own:  # in a thread of its own: a long look delays no slot
            return entity_messages(own, caps(), folder.health(), clock.look().wall)

    names = EntityNames.of(store.home)
    will = aiomqtt.Will(names.availability, OFFLINE, qos=1, retain=True)
    once, pause = LogOnce(guard.say), MIN_BACKOFF
    while True:
        try:
            async with connection(broker, will) as connected:
                once.clear(broker)
                pause = MIN_BACKOFF
                await EntityPublisher(connected, store, look, clock, guard, names).run()
        except (aiomqtt.MqttError, HushwattError, OSError, ValueError) as wrong:
            where = f"the broker {broker.host}:{broker.port}"
            once(broker, f"{where} cannot be told of this home's entities ({broker_failure(wrong)}); tried again")
            await asyncio.sleep(pause)
            pause = min(2 * pause, MAX_BACKOFF)


@dataclass
class EntityPublisher:
    """The entities over one connection."""

    connected: aiomqtt.Client
    store: Store
    look: Callable[[], EntityMessages]
    clock: HomeClock
    guard: Guard
    names: EntityNames
    commands: dict[str, str | None] = field(default_factory=dict)  # topics that are obeyed, and the plan of each
    told: dict[str, str] = field(default_factory=dict)  # configurations as the broker has them; empty: taken back
    refused: bool = False  # whether a wish to resume was said to be refused

    def __post_init__(self) -> None:
        self.asked, self.fixed = asyncio.Event(), FixedIds()

    async def run(self) -> None:
        """Until the connection breaks, or the agent ends."""
        for topic in self.fixed.topics:
            await self.connected.subscribe(topic)
        try:
            await asyncio.gather(self._publish(), self._listen())
        finally:
            with suppress(aiomqtt.MqttError, TimeoutError):
                await asyncio.wait_for(
                    self.connected.publish(self.names.availability, OFFLINE, qos=1, retain=True), GOODBYE_SECONDS
                )

    async def _publish(self) -> None:
        """Tell the state every now and then, and soon after it was asked for."""
        await self.fixed.remove(self.connected)
        while True:
            self.asked.clear()
            messages = None
            with self.guard("the state for Home Assistant"):
                messages = await asyncio.to_thread(self.look)
            if messages is not None:
                await self._tell(messages)
            await asyncio.sleep(MIN_STATE_SECONDS)
            with suppress(TimeoutError):
                await asyncio.wait_for(self.asked.wait(), STATE_SECONDS)

    async def _tell(self, messages: EntityMessages) -> None:
        """Configurations that changed, then states, and only then that all of it can be relied on."""
        wanted = {topic: json.dumps(config) for topic, config in messages.configs.items()}
        wanted |= dict.fromkeys(messages.removed, "")
        for topic, text in wanted.items():
            if self.told.get(topic) != text:
                await self.connected.publish(topic, text, qos=1, retain=True)
                self.told[topic] = text
        for topic in messages.commands.keys() - self.commands.keys():
            await self.connected.subscribe(topic)
        self.commands = messages.commands
        for topic, state in messages.states.items():
            await self.connected.publish(topic, json.dumps(state), retain=True)
        await self.connected.publish(self.names.availability, ONLINE, qos=1, retain=True)

    async def _listen(self) -> None:
        async for message in self.connected.messages:
            topic = message.topic.value
            self.fixed.hear(topic, message.payload, message.retain)
            if topic in self.commands:
                with self.guard("a command of the broker"):
                    self._command(self.commands[topic], message.payload, message.retain)
                self.asked.set()  # a switch that was not obeyed goes back to where it was

    def _command(self, plan_id: str | None, payload: object, retained: bool) -> None:
        obeyed = obey(self.store, payload, retained, self.clock.look().wall, plan_id)
        if not obeyed and not self.refused:
            self.guard.say(f"someone on the broker wants to end the pause; that can be done {to_resume(self.store)}")
            self.refused = True
