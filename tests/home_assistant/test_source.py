"""Home Assistant as a source, with a real one: units, restarts, statistics, a user without rights, discovery."""

import asyncio
import json
import sqlite3
import subprocess
import time
from contextlib import asynccontextmanager, closing, suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import pytest
from tests.home_assistant.running import until
from tests.household.serving import HUSHWATT

from hushwatt.household.clock import SECOND, SystemHomeClock
from hushwatt.household.sources.entities import EntityEntry
from hushwatt.household.sources.entity_sources import EntitySources
from hushwatt.household.sources.home_assistant import follow as following
from hushwatt.household.sources.home_assistant_login import HomeAssistantLogin
from hushwatt.household.sources.hub import Hub
from hushwatt.household.sources.sources_file import SourcesFile
from hushwatt.plan import Plan, SlotLength
from hushwatt.plan.times import nanoseconds

PERIOD = 300  # seconds of a row
ROWS = "INSERT INTO statistics_short_term (created_ts, metadata_id, start_ts, mean) VALUES (?, ?, ?, ?)"


@pytest.fixture(params=["house", "old_house"])
def there(request):
    """Each of the two versions."""
    return request.getfixturevalue(request.param)


@dataclass
class Listening:
    """A hub in the middle of an hour's slot, that follows entities in a thread's own loop."""

    plan: Plan
    hub: Hub
    said: list[str]

    @classmethod
    def to(cls, plan_of, **entities):
        start = datetime.now(UTC).replace(microsecond=0) - timedelta(minutes=30)
        plan = plan_of(*[3] * len(entities), slot=SlotLength(1, "h"), start=start, expires=start + timedelta(days=2))
        names = [each.name for each in plan.appliances]
        entries = [EntityEntry(entity, name, entity) for name, entity in zip(names, entities.values(), strict=True)]
        said: list[str] = []
        hub = Hub([], [], said.append, EntitySources.of(entries))
        hub.open(plan, 0)
        return cls(plan, hub, said)

    @property
    def start(self):
        return nanoseconds(self.plan.start)

    def fresh(self):
        return all(each["fresh"] for each in self.hub.health(time.time_ns()))

    @asynccontextmanager
    async def following(self, login):
        job = asyncio.create_task(following.follow(login, self.hub, SystemHomeClock(), self.said.append))
        try:
            yield
            assert not job.done()
        finally:
            job.cancel()
            with suppress(asyncio.CancelledError):
                await job

    async def until(self, so, seconds=60.0):
        async with asyncio.timeout(seconds):
            while not so():
                await asyncio.sleep(0.05)


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    monkeypatch.setattr(following, "BEAT_SECONDS", 0.3)
    monkeypatch.setattr(following, "MAX_BACKOFF", 1.0)


def login_of(house):
    return HomeAssistantLogin(house.address, house.token)


def set_state(house, entity, state, **attributes):
    house.post(f"/api/states/{entity}", {"state": str(state), "attributes": attributes})


def test_a_restart_in_the_middle_of_a_slot(house, plan_of):
    """In kilowatts as in watts; out of reach and back are said once each, and what it says then counts on."""
    house.watts(fridge=60)
    home = Listening.to(plan_of, fridge="sensor.fridge_power", oven="sensor.oven_kilowatts")
    set_state(house, "sensor.oven_kilowatts", 1.5, unit_of_measurement="kW", device_class="power")

    async def scenario():
        async with home.following(login_of(house)):
            await home.until(home.fresh)
            house.stop()
            await home.until(lambda: home.said)
            await asyncio.to_thread(house.start)
            house.watts(fridge=90)
            set_state(house, "sensor.oven_kilowatts", 1.5, unit_of_measurement="kW", device_class="power")
            await home.until(lambda: home.fresh() and any("is back" in line for line in home.said), 120)

    asyncio.run(scenario())
    lines = [line for line in home.said if line.startswith("Home Assistant at")]
    fridge, oven = home.hub.means(home.plan, 0)

    assert ["does not answer" in lines[0], "is back" in lines[1], len(home.said)] == [True, True, 2], home.said
    assert 30 < fridge <= 90
    assert 500 < oven <= 1500


def short_term_rows(house, entity, watts, *starts):
    """Rows of five minutes in the recorder's own table."""
    begun = datetime.now(UTC).replace(minute=0, second=0, microsecond=0) - timedelta(hours=2)
    metadata = {"has_mean": True, "has_sum": False, "name": None, "source": "recorder", "statistic_id": entity}
    with house.websocket() as ask:
        row = {"start": begun.isoformat(), "mean": 1.0, "min": 1.0, "max": 1.0}
        ask("recorder/import_statistics", metadata=metadata | {"unit_of_measurement": "W"}, stats=[row])
    with closing(sqlite3.connect(house.folder / "home-assistant_v2.db", timeout=20)) as disk:
        find = "SELECT id FROM statistics_meta WHERE statistic_id = ?"
        (number,) = until("the recorder knows it", lambda: disk.execute(find, (entity,)).fetchone())
        disk.executemany(ROWS, [(time.time(), number, start, watts) for start in starts])
        disk.commit()


def test_statistics_fill_what_was_missed(there, plan_of):
    """Rows of this slot, for the time before the agent heard anything; none from before the slot."""
    home = Listening.to(plan_of, spare="sensor.spare_power")
    there.watts(spare=5)
    there.watts(spare=0)
    edge = home.start // SECOND // PERIOD * PERIOD + PERIOD  # the first whole row of the slot
    short_term_rows(there, "sensor.spare_power", 600, *(edge + PERIOD * place for place in range(-6, 4)))

    async def scenario():
        async with home.following(login_of(there)):
            await home.until(lambda: home.fresh() and home.hub.entities.plugs[0]._energies[home.plan.id][0].amount > 0)

    asyncio.run(scenario())
    filled = edge + 4 * PERIOD - home.start // SECOND

    assert home.hub.means(home.plan, 0)[0] == pytest.approx(600 * filled / 3600, rel=0.01)
    assert home.said == []


def limited_token(house):
    """A token of a user who is no administrator."""
    client = f"{house.address}/"
    with house.websocket() as ask:
        user = ask("config/auth/create", name="hushwatt", group_ids=["system-users"])["user"]["id"]
        ask("config/auth_provider/homeassistant/create", user_id=user, username="hushwatt", password="a long one")
    flow = {"client_id": client, "handler": ["homeassistant", None], "redirect_uri": client}
    number = house.post("/auth/login_flow", flow)["flow_id"]
    words = {"client_id": client, "username": "hushwatt", "password": "a long one"}
    code = house.post(f"/auth/login_flow/{number}", words)["result"]
    grant = {"grant_type": "authorization_code", "code": code, "client_id": client}
    owner, house.token = house.token, house.post("/auth/token", grant, form=True)["access_token"]
    try:
        return house.new_token("hushwatt agent")
    finally:
        house.token = owner


def test_a_user_without_rights_is_enough(there, plan_of, tmp_path):
    """Everything works with the token of a user who is no administrator: states, renames, statistics, discovery."""
    token = limited_token(there)
    there.watts(kettle=1500, fridge=60)
    home = Listening.to(plan_of, fridge="sensor.fridge_power")

    async def scenario():
        async with home.following(HomeAssistantLogin(there.address, token)):
            await home.until(home.fresh)
            await asyncio.to_thread(there.rename, "sensor.fridge_power", "sensor.cold_power")
            await home.until(lambda: home.said)
            await asyncio.to_thread(there.rename, "sensor.cold_power", "sensor.fridge_power")
            await home.until(lambda: len(home.said) > 1)
            await home.until(home.fresh)

    asyncio.run(scenario())

    assert [line.partition(", and")[0] for line in home.said] == [
        "entity sensor.fridge_power: is called sensor.cold_power in Home Assistant now",
        "entity sensor.fridge_power: has its name in Home Assistant again",
    ]
    (tmp_path / "token").write_text(token)
    options = ["--home-assistant", there.address, "--token-file", tmp_path / "token", "--folder", tmp_path / "home"]
    shown = run_sources("--discover", "--json", *options)
    first = json.loads(shown)[0]

    assert (first["entity_or_topic"], first["appliance"], first["energy_dashboard"]) == (
        "sensor.kettle_power",
        "kettle",
        True,
    )
    assert first["watts"] == 1500
    run_sources("--write", "--yes", *options)
    sources = SourcesFile.load(tmp_path / "home" / "sources.toml")

    entities = {each.entity for each in sources.entities_of_home_assistant}

    assert entities >= {"sensor.kettle_power", "sensor.fridge_power"}
    assert all("_energy" not in each for each in entities)


def run_sources(*words):
    command = [*HUSHWATT, "household", "sources", *map(str, words)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout
