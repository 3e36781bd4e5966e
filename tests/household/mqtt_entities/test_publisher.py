"""The entities on a real broker: announced, kept up to date, unavailable without an agent, old ones taken back."""

import asyncio
import json
from contextlib import asynccontextmanager, suppress

import aiomqtt
import pytest
from tests.household.living import MachineClock, join
from tests.household.serving import broker

from hushwatt.household.guard import Guard
from hushwatt.household.home_folder import HomeFolder
from hushwatt.household.leave import leave
from hushwatt.household.ledger.caps import NO_LIMITS
from hushwatt.household.mqtt_entities import fixed_ids, publisher
from hushwatt.household.mqtt_entities.entities import EntityNames, to_resume
from hushwatt.household.mqtt_entities.publisher import announce
from hushwatt.household.sources.mqtt import connection
from hushwatt.household.sources.sources_file import Broker

PATIENCE = 20


@pytest.fixture(scope="module")
def port(tmp_path_factory):
    with broker(tmp_path_factory.mktemp("broker")) as opened:
        yield opened


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    """The pauses of a test."""
    monkeypatch.setattr(publisher, "STATE_SECONDS", 0.1)
    monkeypatch.setattr(publisher, "MIN_STATE_SECONDS", 0.05)
    monkeypatch.setattr(fixed_ids, "RETAINED_SECONDS", 0.2)
    monkeypatch.setattr(fixed_ids, "ALIVE_SECONDS", 0.5)


@pytest.fixture
def home(folder, plan_of):
    opened = HomeFolder(folder / "home")
    with opened.store(make=True) as store:
        join(store, plan_of(3, 3))
    return opened


class Watcher:
    """What is on the broker, as a subscriber who came first sees it."""

    def __init__(self, connected):
        self.connected, self.seen = connected, {}

    async def listen(self):
        async for message in self.connected.messages:
            self.seen[message.topic.value] = message.payload

    async def until(self, condition):
        async with asyncio.timeout(PATIENCE):
            while not condition(self.seen):
                await asyncio.sleep(0.02)


@asynccontextmanager
async def watching(port, topic="#"):
    async with aiomqtt.Client("127.0.0.1", port) as connected:
        watcher = Watcher(connected)
        await connected.subscribe(topic)
        task = asyncio.create_task(watcher.listen())
        yield watcher
        task.cancel()


@asynccontextmanager
async def announcing(port, home, said=None):
    """The publisher of a home, as the agent runs it."""
    lines = [] if said is None else said
    with home.store() as store:
        job = announce(Broker(port=port), home, store, lambda: NO_LIMITS, MachineClock(), Guard(lines.append))
        task = asyncio.create_task(job)
        try:
            yield EntityNames.of(store.home), store, task
        finally:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task


def available(names, word):
    return lambda seen: seen.get(names.availability) == word


def test_announced_paused_and_gone(port, home):
    """Configurations, states, a pause by the switch, no resume by it, and `offline` at the end."""
    said = []

    async def scenario():
        async with watching(port) as watcher:
            async with announcing(port, home, said) as (names, store, _):
                await watcher.until(available(names, b"online"))
                own = names.of_plan(store.value("SELECT plan FROM plans"))
                configs = {topic for topic in watcher.seen if names.home in topic and topic.endswith("/config")}
                await watcher.connected.publish(own.command, b"ON")
                await watcher.until(lambda seen: json.loads(seen[own.state])["paused"] == "ON")
                await watcher.connected.publish(names.command, b"OFF")
                await watcher.until(lambda seen: said)
                still = to_resume(store) if store.value("SELECT paused FROM plans") is not None else ""
            await watcher.until(available(names, b"offline"))
            return configs, still

    configs, still = asyncio.run(scenario())
    assert len(configs) == 9 + 7
    assert f"hushwatt household resume --folder {home.path}" in still
    assert said == [f"someone on the broker wants to end the pause; that can be done {still}"]


def test_a_plan_that_comes_and_goes(port, home, plan_of):
    """Joined and left while the agent runs: announced, and taken back."""

    async def scenario():
        async with watching(port) as watcher, announcing(port, home) as (names, _, _):
            await watcher.until(available(names, b"online"))
            own = names.of_plan(plan_of(2).id)
            topic = f"homeassistant/switch/{own.device}/paused/config"
            with home.store() as other:
                join(other, plan_of(2))
            await watcher.until(lambda seen: seen.get(topic))
            await watcher.until(lambda seen: own.state in seen)
            await watcher.connected.publish(own.command, b"ON")
            await watcher.until(lambda seen: json.loads(seen[own.state])["paused"] == "ON")
            with home.store() as other:
                leave(other, plan_of(2).id, 9, forget=True)
            await watcher.until(lambda seen: seen.get(topic) == b"")

    asyncio.run(scenario())


def test_the_last_will(port, home):
    """A connection that breaks without a goodbye makes the entities unavailable."""
    told = []

    async def scenario():
        async with watching(port) as watcher:
            will = aiomqtt.Will("hushwatt/x/availability", "offline", qos=1, retain=True)
            async with connection(Broker(port=port), will) as connected:
                await connected.publish("hushwatt/x/availability", "online", retain=True)
                for word in (b"online", b"offline"):
                    await watcher.until(lambda seen, word=word: seen.get("hushwatt/x/availability") == word)
                    told.append(word)
                    connected._client.socket().shutdown(2)  # type: ignore

    with suppress(aiomqtt.MqttError, AttributeError):  # the connection is gone, as it should be
        asyncio.run(scenario())
    assert told == [b"online", b"offline"]


OLD = {
    "name": "Reports sent",
    "unique_id": "hushwatt_reports_sent",
    "state_topic": "hushwatt/state",
    "device": {"identifiers": ["hushwatt"], "name": "hushwatt", "manufacturer": "hushwatt"},
}
OLD_TOPIC = "homeassistant/sensor/hushwatt/reports_sent/config"
OLD_STATE = {"budget_left_today": "1", "taking_part": "yes", "reports_sent": 3, "paused": "OFF"}


async def upgrade(port, home, config, neighbour=False):
    """Start beside what an earlier home left on the broker; what is still there when ours is announced."""
    async with aiomqtt.Client("127.0.0.1", port) as before:
        await before.publish(OLD_TOPIC, json.dumps(config), qos=1, retain=True)
        await before.publish("hushwatt/state", json.dumps(OLD_STATE), qos=1, retain=True)
        async with watching(port) as watcher, announcing(port, home) as (names, _, _):
            if neighbour:
                await asyncio.sleep(0.4)
                await before.publish("hushwatt/state", json.dumps(OLD_STATE), qos=1, retain=True)
            await watcher.until(available(names, b"online"))
            left = {topic: watcher.seen[topic] for topic in (OLD_TOPIC, "hushwatt/state")}
        for topic in left:
            await before.publish(topic, b"", qos=1, retain=True)
    return left


def test_entities_under_fixed_ids_are_taken_back(port, home):
    """Those of an earlier version of ours are gone before the new ones come."""
    assert asyncio.run(upgrade(port, home, OLD)) == {OLD_TOPIC: b"", "hushwatt/state": b""}


@pytest.mark.parametrize(
    "change", [{"unique_id": "mine"}, {"state_topic": "other"}, {"device": {"identifiers": ["x"]}}]
)
def test_what_is_not_ours_stays(port, home, change):
    """Someone else's configuration under such a topic is left alone."""
    left = asyncio.run(upgrade(port, home, OLD | change))

    assert json.loads(left[OLD_TOPIC]) == OLD | change


def test_a_neighbour_who_is_not_updated_yet(port, home):
    """As long as a home speaks under the fixed ids they are its own."""
    left = asyncio.run(upgrade(port, home, OLD, neighbour=True))

    assert json.loads(left[OLD_TOPIC]) == OLD


def test_a_look_that_fails_is_said_once(port, home, monkeypatch):
    """The entities stay as they are, and the publisher goes on."""
    said = []

    def fail(*_):
        raise ZeroDivisionError

    async def scenario():
        async with announcing(port, home, said) as (_, _, task), watching(port) as watcher:
            await watcher.until(lambda seen: said)
            await asyncio.sleep(0.5)
            return task.done()

    monkeypatch.setattr(publisher, "entity_messages", fail)
    assert not asyncio.run(scenario())
    assert len(said) == 1
    assert "the state for Home Assistant could not be handled (ZeroDivisionError" in said[0]
