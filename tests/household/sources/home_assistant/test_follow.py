"""Follow Home Assistant: every trouble is said once and tried again, and nothing that was read is said."""

import asyncio
import json
from contextlib import AsyncExitStack, asynccontextmanager, suppress

import pytest
from tests.household.sources.home_assistant.acting import NOTHING, TOKEN, ActingHomeAssistant, compressed, until

from hushwatt.household.clock import SECOND, Moment
from hushwatt.household.sources.entities import EntityEntry
from hushwatt.household.sources.entity_sources import EntitySources
from hushwatt.household.sources.home_assistant import follow as following
from hushwatt.household.sources.home_assistant.registry import RegistryNames
from hushwatt.household.sources.home_assistant_login import HomeAssistantLogin
from hushwatt.household.sources.hub import Hub
from hushwatt.plan import SlotLength
from hushwatt.plan.times import nanoseconds

KETTLE = EntityEntry("kettle", "appliance 0", "sensor.kettle")
MINUTE = 60 * SECOND


class SetClock:
    """A clock that a test sets."""

    def __init__(self, wall):
        self.wall = wall

    def look(self):
        return Moment(self.wall, self.wall, "boot")


class Home:
    """A home that follows an acting Home Assistant, in the first slot of a plan."""

    def __init__(self, plan, folder, acting):
        self.plan, self.folder, self.acting, self.said = plan, folder, acting, []
        self.start = nanoseconds(plan.calendar.start_of(0))
        self.clock = SetClock(self.start)
        self.hub = Hub([], [], self.said.append, EntitySources.of([KETTLE]))
        self.hub.open(plan, 0)
        self.said.clear()
        (folder / "token").write_text(TOKEN)

    @property
    def plug(self):
        return self.hub.entities.plugs[0]

    def minute(self, minute):
        self.clock.wall = self.start + minute * MINUTE

    def tell(self, watts, name="sensor.kettle", **more):
        self.acting.states[name] = compressed(watts, since=self.clock.wall / SECOND, **more)

    @asynccontextmanager
    async def following(self, **settings):
        login = HomeAssistantLogin(self.acting.url, token_file=str(self.folder / "token"), **settings)
        memory = self.folder / "entities.json"
        job = asyncio.create_task(following.follow(login, self.hub, self.clock, self.said.append, memory))
        try:
            yield self
            assert not job.done()
        finally:
            job.cancel()
            with suppress(asyncio.CancelledError):
                await job


@pytest.fixture
def home(plan_of, folder, monkeypatch):
    monkeypatch.setattr(following, "BEAT_SECONDS", 0.05)
    monkeypatch.setattr(following, "TOKEN_SECONDS", 0.05)
    monkeypatch.setattr(following, "MAX_BACKOFF", 0.05)
    monkeypatch.setattr(following, "MAX_CLOCK_SKEW", 10**20)
    return Home(plan_of(3, 3, slot=SlotLength(1, "h")), folder, ActingHomeAssistant())


def run(scenario):
    asyncio.run(asyncio.wait_for(scenario, 30))


def test_states_become_means(home):
    """In the entity's own unit, from what changes and from what stays."""

    async def scenario():
        home.tell(1.2, unit="kW")
        async with home.acting.serving(), home.following():
            await until(lambda: home.plug.heard is not None)
            home.minute(30)
            await home.acting.push({"c": {"sensor.kettle": {"+": {"s": "0.6", "lc": home.clock.wall / SECOND}}}})
            home.minute(60)
            await until(lambda: home.plug.heard == home.clock.wall)

    run(scenario())

    assert home.hub.means(home.plan, 0)[0] == pytest.approx(900)
    assert home.said == []


def test_nothing_is_written_or_switched_there(home):
    """It only ever asks for these."""

    async def scenario():
        home.tell(5)
        home.minute(1)
        async with home.acting.serving(), home.following():
            await until(lambda: sum(each["type"] == "ping" for each in home.acting.asked) > 2)

    run(scenario())

    assert {each["type"] for each in home.acting.asked} == {
        "config/entity_registry/list",
        "subscribe_events",
        "subscribe_entities",
        "get_config",
        "ping",
        "recorder/statistics_during_period",
    }


def test_what_is_asked_does_not_depend_on_readings(plan_of, home):
    """Off, busy, unavailable or strange: the same questions in the same order, besides whether it is there."""
    asked = []
    for words in (["0"], ["3000", "0", "1500"], ["unavailable"], ["nonsense", "1e999"]):
        each = Home(home.plan, home.folder, ActingHomeAssistant())
        (home.folder / "entities.json").unlink(missing_ok=True)

        async def scenario(home=each, words=words):
            home.minute(1)
            home.tell(words[0])
            async with home.acting.serving(), home.following():
                await until(lambda: "recorder/statistics_during_period" in str(home.acting.asked))
                for word in words:
                    await home.acting.push({"c": {"sensor.kettle": {"+": {"s": word}}}})
                await until(lambda: sum(each["type"] == "ping" for each in home.acting.asked) > 4)

        run(scenario())
        asked.append(
            [(q["type"], q.get("entity_ids"), q.get("start_time")) for q in each.acting.asked if q["type"] != "ping"]
        )

    assert asked[1:] == asked[:1] * 3


def test_a_restart_is_said_once_and_what_was_missed_is_filled(home):
    """Down from minute 10 to 30; statistics tell of 10 to 25 at first, and of the rest later."""

    def rows(*minutes):
        times = [(home.start + minute * MINUTE) // 10**6 for minute in minutes]
        return {"sensor.kettle": [{"start": time, "end": time + 300_000, "mean": 600} for time in times]}

    async def scenario():
        home.tell(60)
        async with AsyncExitStack() as until_the_end, AsyncExitStack() as until_the_restart:
            await until_the_restart.enter_async_context(home.acting.serving())
            await until_the_end.enter_async_context(home.following())
            await until(lambda: home.plug.heard == home.clock.wall)
            home.minute(10)
            await until(lambda: home.plug.heard == home.clock.wall)
            await until_the_restart.aclose()
            await until(lambda: len(home.said) == 1)
            home.minute(30)
            home.tell(120)
            home.acting.answers["recorder/statistics_during_period"] = rows(0, 5, 10, 15, 20)
            async with home.acting.serving():
                await until(lambda: "recorder/statistics_during_period" in str(home.acting.asked))
                await asyncio.sleep(0.1)
                home.minute(35)
                home.acting.answers["recorder/statistics_during_period"] = rows(20, 25, 30)
                await home.acting.push({}, "subscribe_events")
                count = len(home.acting.asked)
                await until(lambda: len(home.acting.asked) > count + 3)
                home.minute(60)
                await until(lambda: home.plug.heard == home.clock.wall)

    run(scenario())
    asked = [each for each in home.acting.asked if each["type"] == "recorder/statistics_during_period"]

    assert home.hub.means(home.plan, 0)[0] == pytest.approx((10 * 60 + 20 * 600 + 30 * 120) / 60)
    assert [line.partition(" (")[0] for line in home.said[:2]] == [
        f"Home Assistant at 127.0.0.1:{home.acting.port} does not answer",
        f"Home Assistant at 127.0.0.1:{home.acting.port} is back",
    ]
    assert len(asked) == 2  # once when it was back, once when the last row was there


def test_a_refused_token_is_said_with_what_to_do(home):
    """It is not tried again, until the file has another."""
    home.acting.token = "new-token"

    async def scenario():
        home.tell(60)
        async with home.acting.serving(), home.following():
            await until(lambda: home.said)
            await asyncio.sleep(0.3)
            tries = home.acting.logins
            (home.folder / "token").unlink()
            await asyncio.sleep(0.1)
            (home.folder / "token").write_text("new-token")
            await until(lambda: home.plug.heard is not None)

            assert tries == 1

    run(scenario())
    [refused, back] = home.said

    assert "refuses the token" in refused
    assert "Long-lived access tokens" in refused
    assert str(home.folder / "token") in refused
    assert "is back" in back
    assert TOKEN not in "".join(home.said)


def test_a_token_that_is_revoked_is_one_line(home):
    """The connection ends first; what it means is known, and said, at the next attempt."""

    async def scenario():
        home.tell(60)
        async with home.acting.serving(), home.following():
            await until(lambda: home.plug.heard is not None)
            home.acting.token = "new-token"
            await home.acting.drop()
            await until(lambda: home.said)

    run(scenario())

    assert len(home.said) == 1
    assert "refuses the token" in home.said[0]


def test_a_connection_that_breaks_and_is_there_again_is_no_news(home):
    """Nothing is said of it, and what was missed is asked for."""

    async def scenario():
        home.tell(60)
        async with home.acting.serving(), home.following():
            await until(lambda: home.plug.heard is not None)
            await until(lambda: "ping" in str(home.acting.asked))
            await asyncio.sleep(0.1)
            home.minute(10)
            await home.acting.drop()
            await until(lambda: "recorder/statistics_during_period" in str(home.acting.asked))

    run(scenario())

    assert home.said == []


def test_the_same_token_is_tried_again_much_later(home, monkeypatch):
    """Its user may have been let in again."""
    monkeypatch.setattr(following, "REFUSED_SECONDS", 0.3)
    home.acting.token = "new-token"

    async def scenario():
        home.tell(60)
        async with home.acting.serving(), home.following():
            await until(lambda: home.said)
            home.acting.token = TOKEN
            await until(lambda: home.plug.heard is not None)

    run(scenario())

    assert home.acting.logins == 2


def test_a_token_that_is_not_there_is_said(home):
    """And taken when it is."""

    async def scenario():
        home.tell(60)
        (home.folder / "token").unlink()
        async with home.acting.serving(), home.following():
            await until(lambda: home.said)
            (home.folder / "token").write_text(TOKEN)
            await until(lambda: home.plug.heard is not None)

    run(scenario())

    assert f"{home.folder}/token is not there" in home.said[0]


def test_a_renamed_entity_is_followed(home):
    """It is said once; another that takes the old name is not taken for it."""

    async def scenario():
        home.tell(60)
        async with home.acting.serving(), home.following():
            await until(lambda: home.plug.heard is not None)
            home.minute(30)
            home.tell(120, "sensor.new")
            moved = {"data": {"action": "update", "old_entity_id": "sensor.kettle", "entity_id": "sensor.new"}}
            await home.acting.push({"r": ["sensor.kettle"]})
            await home.acting.push(moved, "subscribe_events")
            await until(lambda: home.plug.heard == home.clock.wall and "sensor.new" in str(home.acting.asked[-20:]))
            await home.acting.push({"a": {"sensor.kettle": compressed(9_999, since=home.clock.wall / SECOND)}})
            home.minute(60)
            await until(lambda: home.plug.heard == home.clock.wall)

    run(scenario())

    assert home.hub.means(home.plan, 0)[0] == pytest.approx(90)
    assert home.said == [
        "entity sensor.kettle: is called sensor.new in Home Assistant now, and followed; write that in sources.toml"
    ]


def test_an_entity_that_is_gone_is_said_once(home):
    """When all of Home Assistant has started; it is followed again when it is back."""
    home.acting.answers["get_config"] = {"state": "STARTING"}

    async def scenario():
        async with home.acting.serving(), home.following():
            await until(lambda: sum(each["type"] == "ping" for each in home.acting.asked) > 5)
            assert home.said == []
            home.acting.answers["get_config"] = {"state": "RUNNING"}
            await until(lambda: home.said)
            await home.acting.push({"a": {"sensor.kettle": compressed(60)}})
            await until(lambda: home.plug.heard is not None)
            await home.acting.push({"r": ["sensor.kettle"]})
            await until(lambda: len(home.said) > 1)
            await asyncio.sleep(0.3)

    run(scenario())

    assert len(home.said) == 2
    assert home.said[0] == home.said[1]
    assert "Home Assistant has no sensor.kettle" in home.said[0]


def test_silence_is_a_loss(home):
    """A connection that stands and says nothing is given up, and nothing is believed from then on."""

    async def scenario():
        home.tell(60)
        async with home.acting.serving(), home.following():
            await until(lambda: home.plug.heard is not None)
            home.acting.answers["ping"] = NOTHING
            await until(lambda: home.said)
            home.minute(60)

    run(scenario())

    assert "it does not answer any more" in home.said[0]
    assert home.hub.means(home.plan, 0)[0] == pytest.approx(0)


@pytest.mark.parametrize(
    "event",
    [
        {"a": {"sensor.kettle": {"s": "NaN", "a": {"unit_of_measurement": "W"}}}},
        {"a": {"sensor.kettle": {"s": "1e999", "a": {"unit_of_measurement": "W"}}}},
        {"a": {"sensor.kettle": {"s": "54321.5", "a": {"unit_of_measurement": ["W"]}}}},
        {"a": {"sensor.kettle": {"s": {"x": "54321.5"}, "a": 3, "lc": -1}}},
        {"a": [], "c": 3, "r": {"x": []}},
        "54321.5",
        [[[[54321.5]]]],
    ],
)
def test_a_strange_state_ends_nothing(home, event):
    """At most one line, without what was there; the next good one counts."""

    async def scenario():
        home.tell(60)
        async with home.acting.serving(), home.following():
            await until(lambda: home.plug.heard is not None)
            await home.acting.push(event)
            home.minute(1)
            await home.acting.push({"a": {"sensor.kettle": compressed(30, since=home.clock.wall / SECOND)}})
            await until(lambda: home.plug.heard == home.clock.wall and home.plug.trouble is None)

    run(scenario())

    assert len(home.said) <= 1
    assert "54321" not in "".join(home.said) + json.dumps(home.hub.health(home.clock.wall)) + repr(home.hub)
    assert home.acting.logins == 1


def test_broken_messages_end_in_one_line(home):
    """A server that sends garbage for ever is tried again and again, and said once."""
    home.acting.answers["ping"] = "[" * 100_000

    async def scenario():
        async with home.acting.serving(), home.following():
            await until(lambda: home.acting.logins > 3)

    run(scenario())

    assert len(home.said) == 1
    assert "its message cannot be read" in home.said[0]


def test_a_failure_of_our_own_ends_nothing(home, monkeypatch):
    """It is said, with its place and without what came."""

    def fail(*_, **__):
        raise ArithmeticError("54321")

    monkeypatch.setattr(home.hub, "on_entity", fail)

    async def scenario():
        home.tell(54321)
        async with home.acting.serving(), home.following():
            await until(lambda: home.acting.logins > 2)

    run(scenario())

    assert len(home.said) == 2
    assert "ArithmeticError" in home.said[0]
    assert "54321" not in "".join(home.said)


def test_clocks_that_differ_are_said(home, monkeypatch):
    """Then its times are not believed: a state counts from when it came, and no statistics are asked for."""
    monkeypatch.setattr(following, "MAX_CLOCK_SKEW", 60 * SECOND)

    async def scenario():
        home.tell(120)
        home.minute(30)
        async with home.acting.serving(), home.following():
            await until(lambda: home.plug.heard is not None)
            home.minute(60)
            await until(lambda: home.plug.heard == home.clock.wall)

    run(scenario())

    assert len(home.said) == 1
    assert "seconds apart" in home.said[0]
    assert home.hub.means(home.plan, 0)[0] == pytest.approx(60)
    assert "recorder/statistics_during_period" not in [each["type"] for each in home.acting.asked]


@pytest.mark.parametrize(
    "url, warned", [("http://ha.example.org:9", 1), ("https://ha.example.org:9", 0), ("http://127.0.0.1:9", 0)]
)
def test_plain_text_beyond_the_home_is_said(home, monkeypatch, url, warned):
    """Once, at the start."""

    async def scenario():
        login = HomeAssistantLogin(url, TOKEN)
        job = asyncio.create_task(following.follow(login, home.hub, home.clock, home.said.append))
        await until(lambda: any("does not answer" in line for line in home.said))
        job.cancel()

    run(scenario())

    assert sum("plain text" in line for line in home.said) == warned


def test_pauses_grow_and_differ(home, monkeypatch):
    """About 1, 2, 4 seconds and so on to a minute, by chance between half and all of it."""
    monkeypatch.setattr(following, "MAX_BACKOFF", 60.0)
    login = HomeAssistantLogin("http://ha:8123", TOKEN)
    follower = following.Follower(login, home.hub, home.clock, home.said.append, RegistryNames())
    pauses = [follower._pause() for _ in range(12)]

    assert all(
        longest / 2 <= pause <= longest for pause, longest in zip(pauses, [1, 2, 4, 8, 16, 32] + 6 * [60], strict=True)
    )
    assert len(set(pauses)) == 12
