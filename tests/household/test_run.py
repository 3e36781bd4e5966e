"""The whole home: a real broker, a real provider, and an agent in a process of its own."""

import asyncio
import json
import signal
import subprocess
import sys
import time
from contextlib import contextmanager, suppress
from pathlib import Path

import aiomqtt
import pytest
from tests.household.living import dearest, join
from tests.household.serving import Provider, broker, plan_text

from hushwatt.household.join import agree, propose
from hushwatt.household.ledger.caps import Caps
from hushwatt.household.ledger.store import Store
from hushwatt.household.mqtt_entities.entities import EntityNames
from hushwatt.household.sources.discover import discover
from hushwatt.household.sources.mqtt import connection
from hushwatt.household.sources.sources_file import Broker
from hushwatt.household.upload.provider_client import ProviderClient
from hushwatt.plan.plan import Plan
from hushwatt.privacy.entropy import OperatingSystem

CANARY = "1234.5678"
SHARED_MEMORY = Path("/dev/shm")
SOURCES = """
entities = true
[mqtt]
port = {port}
[[plug]]
appliance = "kettle"
preset = "tasmota"
topic = "kitchen"
[[plug]]
appliance = "fridge"
preset = "shelly"
topic = "shelly-1"
[[plug]]
appliance = "tv"
preset = "zigbee2mqtt"
topic = "living/tv"
"""
CAPS = """
epsilon_per_day = 100000
epsilon_per_year = 1000000
epsilon_lifetime = 1000000
appliance_epsilon = 100000
appliance_epsilon_per_year = 1000000
appliance_epsilon_lifetime = 1000000
smallest_minimum_homes = 1
"""


def messages(count):
    watts = float(CANARY)
    return [
        ("tele/kitchen/SENSOR", {"ENERGY": {"Power": watts, "Total": 1 + count * 0.001}}),
        ("shelly-1/events/rpc", {"method": "NotifyStatus", "params": {"switch:0": {"apower": watts}}}),
        ("zigbee2mqtt/living/tv", {"power": watts}),
        ("zigbee2mqtt/living/tv", f"{{{CANARY}"),
    ]


async def speak(port, until):
    """Publish what plugs publish, until something is so."""
    async with aiomqtt.Client("127.0.0.1", port) as connected:
        for count in range(200):
            for topic, content in messages(count):
                text = content if isinstance(content, str) else json.dumps(content)
                await connected.publish(topic, text)
            if until():
                return
            await asyncio.sleep(0.4)
    raise AssertionError("it did not happen within 80 seconds")


# The agent as it is, but for where its mark lies: not in the memory that the machine shares.
AGENT = """
import sys
from pathlib import Path
from hushwatt.cli.main import run
from hushwatt.household.ledger import high_water_mark

high_water_mark.SHARED_MEMORY = Path(sys.argv.pop(1))
run()
"""


class Agent:
    """`hushwatt household run`, started and killed."""

    def __init__(self, home, name):
        self.home, self.lines, self.name = home, home / "agent.log", f"hushwatt-{name}"
        self.memory = home.parent / "memory"
        self.memory.mkdir()
        self.command = [sys.executable, "-c", AGENT, str(self.memory), "household", "run", "--folder", str(home)]

    def start(self):
        self.log = self.lines.open("a")
        self.process = subprocess.Popen(self.command, stdout=self.log, stderr=self.log)

    def stop(self, how):
        self.process.send_signal(how)
        code = self.process.wait(20)
        self.log.close()
        assert [file.name for file in self.memory.iterdir()] == [self.name]
        assert not (SHARED_MEMORY / self.name).exists()
        return code


@pytest.fixture
def town(tmp_path):
    """A provider and a broker."""
    provider = Provider(tmp_path, plan_text(slot="3s", minimum_homes="1", method='"lba"', start=began()))
    provider.start()
    with broker(tmp_path) as port:
        yield provider, port
    provider.stop()


def began():
    return f'"{time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())}"'


def test_a_home_from_plugs_to_provider(town, tmp_path):
    """Plugs speak, reports arrive, a kill costs a slot and never a promise, and no reading is anywhere."""
    provider, port = town
    home = tmp_path / "home"
    home.mkdir()
    (home / "sources.toml").write_text(SOURCES.format(port=port))
    (home / "caps.toml").write_text(CAPS)
    plan = Plan.load(provider.plans[0])
    with Store(home / "ledger.sqlite") as store:
        proposal = propose(store, Caps.load(home / "caps.toml"), ProviderClient(provider.address), plan.id)
        agree(store, proposal, "words", None, time.time_ns(), OperatingSystem())
        agent = Agent(home, store.home)

        def arrived(least):
            return lambda: (store.value("SELECT count(*) FROM reports WHERE answer = 'accepted'") or 0) >= least

        agent.start()
        asyncio.run(speak(port, arrived(2)))
        agent.stop(signal.SIGKILL)
        before = set(store.disk.execute("SELECT slot, payload FROM reports").fetchall())
        agent.start()
        asyncio.run(speak(port, arrived(len(before) + 2)))
        second = subprocess.run(agent.command, capture_output=True, text=True, timeout=60)
        entities, running = asyncio.run(retained(port, store.home))
        code = agent.stop(signal.SIGTERM)
        _, stopped = asyncio.run(retained(port, store.home))
        rows = store.disk.execute("SELECT slot, spent, drawn, payload FROM reports").fetchall()
        silences = store.value("SELECT count(*) FROM silences")

    left = {(1, slot): {(spent, drawn, payload)} for slot, spent, drawn, payload in rows}
    assert code == 0
    assert before <= {(slot, payload) for slot, _, _, payload in rows}
    assert silences >= 1
    assert dearest(left, 1, plan.window) <= plan.epsilon  # type: ignore[arg-type]
    assert second.returncode == 2
    assert "another agent is running" in second.stderr
    assert (running, stopped) == (b"online", b"offline")
    assert entities["paused"] == "OFF"
    assert entities["reports_sent"] >= 2
    assert "living/tv: its message is not JSON" in agent.lines.read_text()
    for file in [*home.iterdir(), *(tmp_path / "data").iterdir(), tmp_path / "provider.log"]:
        assert CANARY.encode() not in file.read_bytes(), file


NONSENSE = [
    ("shelly-1/events/rpc", b'{"method":"NotifyStatus","params":[1]}'),
    ("shelly-1/events/rpc", b"[" * 200_000),
    ("tele/kitchen/SENSOR", b'{"ENERGY": {"Power": ' + b"[" * 900 + b"1" + b"]" * 900 + b"}}"),
    ("zigbee2mqtt/living/tv", b'{"power": 1e999}'),
    ("zigbee2mqtt/living/tv", b"\xff\xfe"),
    ("zigbee2mqtt/living/tv", bytes(20_000_000)),
    ("hushwatt/state", b"[" * 200_000),
]


@contextmanager
def slow_provider():
    """Takes every connection, and sends a byte now and then."""
    import socket
    import threading

    reached = threading.Event()

    def trickle(connected):
        with suppress(OSError), connected:
            connected.recv(65536)
            reached.set()
            connected.sendall(b"HTTP/1.1 200 OK\r\nX: ")
            while True:
                connected.sendall(b"a")
                time.sleep(0.5)

    def serve():
        with suppress(OSError):
            while True:
                threading.Thread(target=trickle, args=(plug.accept()[0],), daemon=True).start()

    with socket.create_server(("127.0.0.1", 0)) as plug:
        threading.Thread(target=serve, daemon=True).start()
        yield f"http://127.0.0.1:{plug.getsockname()[1]}", reached
        plug.shutdown(socket.SHUT_RDWR)


def test_nothing_that_arrives_ends_it_and_stopping_is_quick(tmp_path, plan_of):
    """Nonsense from every side, a paused home, a provider that trickles: it lives, and stops when told."""
    home = tmp_path / "home"
    home.mkdir(mode=0o755)
    with broker(tmp_path) as port, slow_provider() as (address, reached):
        (home / "sources.toml").write_text(SOURCES.format(port=port))
        plan = plan_of(3, 3, name="kettles")
        with Store(home / "ledger.sqlite") as store:
            join(store, plan)
            store.disk.execute("UPDATE plans SET address = ?", (address,))
            store.disk.execute("INSERT INTO reports VALUES (1, 0, 1, 1, x'00', 0, 0, NULL)")
            agent = Agent(home, store.home)
            agent.start()
            command = EntityNames.of(store.home).command
            asyncio.run(publish(port, [*NONSENSE, (command, b"\xff"), (command, b"OFF")]))
            assert reached.wait(60)
            time.sleep(1)
            alive = agent.process.poll() is None
            began = time.monotonic()
            code = agent.stop(signal.SIGTERM)
            took = time.monotonic() - began
            waiting = store.value("SELECT count(*) FROM reports WHERE answer IS NULL")
    said = agent.lines.read_text()

    assert alive
    assert code == 0
    assert took < 10  # two seconds, and patience with a busy machine
    assert waiting == 1
    assert "Traceback" not in said
    assert "could not be handled" not in said
    assert {oct(file.stat().st_mode & 0o777) for file in home.glob("*.[sth]*") if "log" not in file.name} == {"0o600"}
    assert home.stat().st_mode & 0o777 == 0o700


async def publish(port, messages):
    async with aiomqtt.Client("127.0.0.1", port) as connected:
        for _ in range(5):
            for topic, payload in messages:
                await connected.publish(topic, payload, retain=topic.endswith("/pause/set"))
            await asyncio.sleep(0.5)


async def retained(port, home):
    """What Home Assistant would see of this home."""
    names = EntityNames.of(home)
    config = f"homeassistant/switch/{names.device}/paused/config"
    async with aiomqtt.Client("127.0.0.1", port) as connected:
        for topic in (names.state, config, names.availability):
            await connected.subscribe(topic)
        told = {}
        async with asyncio.timeout(20):
            async for message in connected.messages:
                told[message.topic.value] = message.payload
                if len(told) == 3:
                    return json.loads(told[names.state]), told[names.availability]
    return None


def test_plugs_are_discovered(tmp_path):
    """Whoever speaks of watts on the broker is found, with the words for sources.toml."""

    async def look(port):
        listening = asyncio.create_task(discover(Broker(port=port), seconds=3))
        await asyncio.sleep(1)
        async with connection(Broker(port=port)) as connected:
            for topic, content in messages(1)[:3]:
                await connected.publish(topic, json.dumps(content))
            await connected.publish("esp/sensor/desk_power/state", "4.5")
            await connected.publish("homeassistant/sensor/oven_power/state", '"4.5"')
            await connected.publish("zigbee2mqtt/bridge/state", '{"power": 3}')
        return await listening

    with broker(tmp_path) as port:
        found = asyncio.run(look(port))

    assert [(each.preset, each.topic) for each in found] == [
        ("esphome", "esp/sensor/desk_power"),
        ("homeassistant", "sensor.oven_power"),
        ("shelly", "shelly-1"),
        ("tasmota", "kitchen"),
        ("zigbee2mqtt", "living/tv"),
    ]
    assert CANARY not in repr(found) + found[0].toml


def test_a_broker_that_is_away_is_one_line(hushwatt, tmp_path):
    """Discovery says that nobody answers, and where."""
    (tmp_path / "sources.toml").write_text("[mqtt]\nport = 9\n")
    answer = hushwatt("household", "sources", "--discover", "--folder", tmp_path)

    assert answer.returncode == 2
    assert "the broker 127.0.0.1:9 does not answer" in answer.stderr
    assert len(answer.stderr.splitlines()) == 1
