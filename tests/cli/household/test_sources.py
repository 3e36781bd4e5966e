"""`household sources`: what could measure an appliance is shown with its watts, and written when the owner says so."""

import asyncio
import json
import os
import pty
import random
import subprocess
import sys
import threading
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta

import pytest
from tests.household.living import join
from tests.household.sources.home_assistant.acting import TOKEN, ActingHomeAssistant

from hushwatt.audit.harness.plans import plan_for
from hushwatt.household.home_folder import HomeFolder
from hushwatt.household.sources.sources_file import SourcesFile
from hushwatt.plan import Appliance, SlotLength

RUN = [sys.executable, "-c", "from hushwatt.cli.main import run; run()", "household", "sources"]


def state(name, value, unit, kind):
    attributes = {"unit_of_measurement": unit, "device_class": kind, "friendly_name": name}
    return {"entity_id": f"sensor.{name.lower().replace(' ', '_')}", "state": value, "attributes": attributes}


STATES = [
    state("Kettle power", "1.5", "kW", "power"),
    state("Fridge power", "60", "W", "power"),
    state("Thing power", "7", "W", "power"),
    state("Dishwasher energy", "7", "kWh", "energy"),
]
PREFERENCES = {"device_consumption": [{"stat_consumption": "sensor.dishwasher_energy"}]}


@contextmanager
def acting(**answers):
    """An acting Home Assistant in a thread of its own."""
    made = ActingHomeAssistant(**{"get_states": STATES, "energy/get_prefs": PREFERENCES, **answers})
    loop, ready, stop = asyncio.new_event_loop(), threading.Event(), asyncio.Event()

    async def live():
        async with made.serving():
            ready.set()
            await stop.wait()

    thread = threading.Thread(target=loop.run_until_complete, args=(live(),))
    thread.start()
    ready.wait(10)
    try:
        yield made
    finally:
        loop.call_soon_threadsafe(stop.set)
        thread.join(10)
        loop.close()


@pytest.fixture
def options(tmp_path):
    (tmp_path / "token").write_text(TOKEN)
    return ["--folder", tmp_path / "home", "--token-file", tmp_path / "token", "--home-assistant"]


def test_a_table_and_words_for_the_file(hushwatt, options):
    """The Energy dashboard's devices first; no token is shown."""
    with acting() as house:
        shown = hushwatt("household", "sources", "--discover", *options, house.url)
    rows = [line.split() for line in shown.stdout.splitlines() if " W " in line or "unknown" in line]

    assert shown.returncode == 0, shown.stderr
    assert [row[:3] for row in rows] == [
        ["unknown", "dishwasher", "Dishwasher"],
        ["60", "W", "fridge"],
        ["1,500", "W", "kettle"],
        ["7", "W", "?"],
    ]
    assert '[[entity]]\nappliance = "kettle"\nentity = "sensor.kettle_power"' in shown.stdout
    assert f'url = "{house.url}"' in shown.stdout
    assert TOKEN not in shown.stdout + shown.stderr


def test_json_is_for_programs(hushwatt, options):
    """Alone on its line."""
    with acting() as house:
        shown = hushwatt("household", "sources", "--discover", "--json", *options, house.url)
    first = json.loads(shown.stdout)[0]

    assert (first["entity_or_topic"], first["energy_dashboard"], first["watts"]) == (
        "sensor.dishwasher_energy",
        True,
        None,
    )


def test_the_file_is_written_once(hushwatt, options, tmp_path):
    """With every guess; a second time adds nothing, and what was changed by hand stays."""
    with acting() as house:
        first = hushwatt("household", "sources", "--write", "--yes", *options, house.url)
        path = tmp_path / "home" / "sources.toml"
        path.write_text(path.read_text().replace('"fridge"', '"old fridge"') + "# mine\n")
        before = path.read_text()
        again = hushwatt("household", "sources", "--write", "--yes", *options, house.url)

    assert (first.returncode, again.returncode) == (0, 0)
    assert "3 added" in first.stderr
    assert "nothing was added" in again.stderr
    assert path.read_text() == before
    assert SourcesFile.load(path).appliances == {"dishwasher", "old fridge", "kettle"}
    assert path.stat().st_mode & 0o777 == 0o600


def test_guesses_are_of_the_plans_own_appliances(hushwatt, options, tmp_path):
    """A home that takes part is offered what its plan asks about, in the plan's own words, and told what is missing."""
    start = datetime.now(UTC).replace(microsecond=0) - timedelta(days=1)
    appliances = tuple(Appliance.of(name, [20, 60]) for name in ("Water kettle", "tv"))
    dates = {"slot": SlotLength(1, "d"), "start": start, "expires": start + timedelta(days=400)}
    with HomeFolder(tmp_path / "home").store(make=True) as store:
        join(store, plan_for(random.Random(1), "lbu", appliances=appliances, **dates))
    with acting() as house:
        done = hushwatt("household", "sources", "--write", "--yes", *options, house.url)

    assert done.returncode == 0, done.stderr
    assert SourcesFile.load(tmp_path / "home" / "sources.toml").appliances == {"Water kettle"}
    assert "nobody measures tv yet" in done.stderr


def test_the_owner_is_asked_for_token_and_choice(tmp_path):
    """In a terminal nobody writes a file: the token is pasted unseen, each candidate taken, renamed or left out."""
    folder = tmp_path / "home"
    with acting() as house:
        ours, theirs = pty.openpty()
        words = ["--write", "--folder", str(folder), "--home-assistant", house.url]
        process = subprocess.Popen([*RUN, *words], stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True)
        os.close(theirs)
        shown = b""
        for prompt, answer in (
            (b"not shown): ", "a-wrong-token"),
            (b"not shown): ", TOKEN),
            (b"[dishwasher] ", ""),
            (b"[fridge] ", "-"),
            (b"[kettle] ", "kettel"),
            (b"did you mean kettle?", "kettle"),
            (b"[-] ", ""),
        ):
            while prompt not in shown:
                shown += os.read(ours, 10_000)
            shown = shown.rpartition(prompt)[2]
            os.write(ours, f"{answer}\n".encode())
        assert process.wait(30) == 0
        os.close(ours)
    sources = SourcesFile.load(folder / "sources.toml")

    assert {each.appliance: each.entity for each in sources.entities_of_home_assistant} == {
        "dishwasher": "sensor.dishwasher_energy",
        "kettle": "sensor.kettle_power",
    }
    assert sources.home_assistant.secret() == TOKEN
    assert (folder / "home-assistant-token").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    "words, line",
    [
        (["--home-assistant", "ha.local:8123"], "--home-assistant: url must begin with http:// or https://"),
        (["--home-assistant", "http://127.0.0.1:9"], "home-assistant-token, or name a file with --token-file"),
        (["--home-assistant", "http://127.0.0.1:9", "--token-file", "none"], "none is not there"),
        (["--token-file", "none"], "--token-file needs --home-assistant"),
        (["--broker", "mqtt://x"], "--broker must be a host, or host:port"),
        (["--broker", "127.0.0.1:9"], "the broker 127.0.0.1:9 does not answer"),
    ],
)
def test_a_mistake_is_one_line(hushwatt, tmp_path, words, line):
    """And leaves nothing behind."""
    done = hushwatt("household", "sources", "--discover", *words, "--folder", tmp_path / "home")

    assert done.returncode == 2
    assert line in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert not (tmp_path / "home" / "sources.toml").exists()


@pytest.mark.parametrize("token, line", [("wrong", "refuses the token"), (TOKEN, "its message cannot be read")])
def test_a_home_assistant_that_refuses_or_raves_is_one_line(hushwatt, options, tmp_path, token, line):
    """The token's file is named, never the token."""
    (tmp_path / "token").write_text(token)
    with acting() as house:
        if token == TOKEN:
            house.greeting = "[" * 1_000
        done = hushwatt("household", "sources", "--discover", *options, house.url)

    assert done.returncode == 2
    assert line in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert TOKEN not in done.stderr


def test_nobody_to_ask_writes_nothing(hushwatt, options, tmp_path):
    """Without a terminal, --write needs --yes."""
    with acting() as house:
        done = hushwatt("household", "sources", "--write", *options, house.url)

    assert done.returncode == 2
    assert "--yes" in done.stderr
    assert not (tmp_path / "home" / "sources.toml").exists()


def test_nothing_there_is_said(hushwatt, options):
    """With what to look at."""
    with acting(get_states=[]) as house:
        done = hushwatt("household", "sources", "--discover", *options, house.url)

    assert (done.returncode, done.stdout) == (0, "")
    assert "nothing spoke of watts" in done.stderr
