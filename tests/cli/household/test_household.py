"""The owner's commands when something is missing or meant otherwise: one clear line, and nothing half done."""

import json
import os
import pty
import subprocess
import time
from pathlib import Path

import pytest
from tests.household.living import join
from tests.household.serving import HUSHWATT

from hushwatt.cli.household.options import page_place
from hushwatt.cli.main import run
from hushwatt.errors import UsageError
from hushwatt.household.home_folder import HomeFolder
from hushwatt.household.ledger.lock import agent_lock
from hushwatt.plan.times import nanoseconds

MQTT = "[mqtt]\nusername = 'me'\npassword_file = '{file}'\n"
TOKEN = "[home_assistant]\nurl = 'http://127.0.0.1:8123'\ntoken_file = '{file}'\n"


@pytest.fixture
def home(tmp_path, plan_of):
    """A folder with two plans whose ids begin alike."""
    here = HomeFolder(tmp_path / "my home")
    with here.store(make=True) as store:
        for plan in alike(plan_of):
            join(store, plan)
    return here


def alike(plan_of):
    """Two plans with the same first letter of their ids."""
    seen = {}
    for number in range(100):
        plan = plan_of(3, name=f"plan {number}")
        if plan.id[0] in seen:
            return seen[plan.id[0]], plan
        seen[plan.id[0]] = plan
    raise AssertionError


@pytest.fixture
def command(capsys):
    """Run one command in this process: its code, what it printed, and its lines to the owner."""
    umask = os.umask(0o077)

    def call(*words):
        with pytest.raises(SystemExit) as left:
            run([str(word) for word in words])
        said = capsys.readouterr()
        return left.value.code, said.out, said.err

    yield call
    os.umask(umask)


def states(home):
    with home.store() as store:
        return [(row["left"], row["paused"]) for row in store.rows("SELECT * FROM plans ORDER BY place")]


UNTOUCHED = [(None, None), (None, None)]


def ids(home):
    with home.store() as store:
        return [row["plan"] for row in store.rows("SELECT plan FROM plans ORDER BY place")]


@pytest.mark.parametrize("errand", [["pause"], ["resume"], ["leave", "--yes"]])
def test_a_plan_that_is_not_there(command, home, errand):
    """It is said, with the plans that there are."""
    missing = next(digit for digit in "0123456789abcdef" if digit != ids(home)[0][0]) * 4
    code, _, said = command("household", *errand, "--plan", missing, "--folder", home.path)

    assert code == 2
    assert len(said.splitlines()) == 1
    assert f"there is no plan {missing} here; there is " in said
    assert all(f"{each[:12]} “plan " in said for each in ids(home))
    assert states(home) == UNTOUCHED


@pytest.mark.parametrize("errand", [["pause"], ["resume"], ["leave", "--yes"]])
def test_a_start_that_fits_two(command, home, errand):
    """Neither is meant until one is."""
    first, second = ids(home)
    code, _, said = command("household", *errand, "--plan", first[0], "--folder", home.path)

    assert code == 2
    assert f"several plans begin with {first[0]}; write more of the id: {first[:12]} “" in said
    assert second[:12] in said
    assert states(home) == UNTOUCHED


def test_pause_and_resume_with_several_plans(command, home):
    """Without a name all of them, each with its line; with one, written in any case, that one alone."""
    code, _, said = command("household", "pause", "--folder", home.path)
    assert code == 0
    assert said.count("paused “plan") == 2
    assert command("household", "resume", "--plan", ids(home)[1].upper(), "--folder", home.path)[0] == 0
    assert [paused is None for _, paused in states(home)] == [False, True]


def test_leaving_without_a_terminal(command, home, monkeypatch):
    """Nobody is there to confirm it: one line, and the plan is as it was."""
    with Path(os.devnull).open() as nobody:
        monkeypatch.setattr("sys.stdin", nobody)
        code, shown, said = command("household", "leave", "--plan", ids(home)[0], "--folder", home.path)

    assert code == 2
    assert said == "hushwatt: nobody is there to confirm it; run it in a terminal, or with --yes\n"
    assert "What stays" in shown
    assert states(home) == UNTOUCHED


def test_leaving_one_of_several(command, home):
    """They are named."""
    code, shown, said = command("household", "leave", "--yes", "--folder", home.path)

    assert (code, shown) == (2, "")
    assert all(each[:12] in said for each in ids(home))


@pytest.mark.parametrize(("answer", "code", "left"), [("no", 1, False), ("yes", 0, True)])
def test_leaving_at_a_terminal(home, answer, code, left):
    """What it leaves behind is read first; only yes leaves."""
    words = ["household", "leave", "--forget", "--plan", ids(home)[0], "--folder", str(home.path)]
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [*HUSHWATT, *words], stdin=theirs, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    os.write(ours, f"{answer}\n".encode())
    shown, said = process.communicate(timeout=60)
    os.close(ours)
    os.close(theirs)

    assert process.returncode == code, said
    assert shown.splitlines()[0].startswith("Leave “plan ")
    assert "The provider is NOT asked to erase anything" in shown
    assert "Leaving gives nothing of it back" in shown
    assert "Do you want to leave? Type yes: " in said
    assert (states(home)[0][0] is not None) is left


def test_a_provider_out_of_reach_when_leaving(command, home):
    """The home has left; how to ask again is said, with the folder, and status says it too."""
    with home.store() as store:
        store.disk.execute("UPDATE plans SET address = 'http://127.0.0.1:9'")
    plan = ids(home)[0][:12]
    code, shown, said = command("household", "leave", "--yes", "--plan", plan, "--folder", home.path)
    again = f"`hushwatt household leave --plan {plan} --folder '{home.path}'`"

    assert code == 2
    assert "is asked to erase every report of this home: 0 so far" in shown
    assert said.startswith("hushwatt: left, and not yet erased: 127.0.0.1:9 does not answer")
    assert again in said
    assert states(home)[0][0] is not None
    assert again in command("household", "status", "--folder", home.path)[1]


@pytest.mark.parametrize(
    ("address", "words"),
    [
        ("127.0.0.1:8040", "127.0.0.1:8040 does not say http or https; write http://127.0.0.1:8040"),
        ("localhost:8040", "write http://localhost:8040"),
        ("192.168.1.9", "write http://192.168.1.9"),
        ("energy.example.org:8443", "write https://energy.example.org:8443"),
        ("http://127.0.0.1:99999", "is no address of a provider; write for example https://energy.example.org"),
        ("http://127.0.0.1:none", "is no address of a provider"),
        ("http://127.0.0.1:0", "is no address of a provider"),
        ("https://[::1", "is no address of a provider"),
        ("htp://127.0.0.1:8040", "is no address of a provider"),
        ("", "is no address of a provider"),
    ],
)
def test_addresses_that_are_none(command, tmp_path, address, words):
    """What is wrong with it, and what to write; no folder is made."""
    code, _, said = command("household", "join", address, "--yes", "--folder", tmp_path / "home")

    assert code == 2
    assert len(said.splitlines()) == 1
    assert words in said
    assert not (tmp_path / "home").exists()


def test_the_doctor_says_it_too(command, tmp_path):
    """An address is an address everywhere."""
    _, shown, _ = command("doctor", "--provider", "127.0.0.1:8040", "--folder", tmp_path)

    assert "127.0.0.1:8040 does not say http or https; write http://127.0.0.1:8040" in shown


@pytest.mark.parametrize(("text", "what"), [(MQTT, "the broker's password"), (TOKEN, "Home Assistant's token")])
@pytest.mark.parametrize("errand", [["run"], ["sources"], ["sources", "--discover"]])
@pytest.mark.parametrize("plugs", ["", "[[table]]\npath = 'x.csv'\n"])
def test_a_password_file_that_is_not_there(command, home, text, what, errand, plugs):
    """It is named at the start, in one line."""
    (home.path / "sources.toml").write_text(text.format(file="secret.txt") + plugs)
    code, _, said = command("household", *errand, "--folder", home.path)

    assert code == 2
    assert said.endswith(f"{home.path}/secret.txt is not there; it must hold {what}\n")
    assert len(said.splitlines()) == 1


def test_a_password_file_beside_the_sources(home, monkeypatch, tmp_path):
    """It is found from the folder; where it is not there, from where one stands, as before."""
    (home.path / "sources.toml").write_text(MQTT.format(file="secret.txt"))
    (tmp_path / "secret.txt").write_text("old\n")
    monkeypatch.chdir(tmp_path)
    assert home.sources().broker.secret() == "old"
    (home.path / "secret.txt").write_text("new\n")
    assert home.sources().broker.secret() == "new"


@pytest.mark.parametrize("host", ["mqtt://127.0.0.1", "127.0.0.1:1883", " "])
def test_a_broker_is_named_by_its_host_alone(home, host):
    """A port goes into `port`."""
    (home.path / "sources.toml").write_text(f"[mqtt]\nhost = '{host}'\n")

    with pytest.raises(UsageError, match="a port goes into port"):
        home.sources()


@pytest.mark.parametrize(
    ("place", "words"),
    [
        (("http://0.0.0.0", 8041, None), "--page-host http://0.0.0.0: write an address alone"),
        (("127.0.0.1:8041", 8041, None), "write an address alone"),
        (("127.0.0.1", 70_000, None), "--page-port 70000: a port is a number from 0 to 65535"),
        (("127.0.0.1", 8041, "homeassistant"), "--page-guest homeassistant: write an IP address"),
    ],
)
def test_where_the_page_cannot_be(place, words):
    """Said before anything starts."""
    with pytest.raises(UsageError, match=words):
        page_place(*place)
    assert page_place("127.0.0.1", 8041, "172.30.32.2") == ("127.0.0.1", 8041)
    assert page_place("::1", 0, None) == ("::1", 0)


def test_hints_keep_the_folder(command, tmp_path, monkeypatch):
    """What is to be typed next is about the same home; the usual folder needs no words."""
    _, _, said = command("household", "status", "--folder", tmp_path / "a b")
    assert f"see `hushwatt household join ADDRESS --folder '{tmp_path}/a b'`" in said
    monkeypatch.setenv("HUSHWATT_HOME", str(tmp_path / "a b"))
    _, _, said = command("household", "status")
    assert "see `hushwatt household join ADDRESS`" in said


def test_the_status_of_an_agent_that_does_not_run(command, home, plan_of, monkeypatch):
    """The troubles come first, with what to do, and are in the JSON."""
    monkeypatch.setattr(time, "time_ns", lambda: nanoseconds(plan_of(3).calendar.start_of(3)))
    _, shown, _ = command("household", "status", "--folder", home.path)
    _, table, _ = command("household", "status", "--json", "--folder", home.path)
    with home.store() as store, agent_lock(home.ledger, store.home):
        _, running, _ = command("household", "status", "--folder", home.path)
    first, remedy, second, *_ = shown.splitlines()

    assert first == "TROUBLE  the agent is not running: nothing is measured, and nothing is sent"
    assert remedy == f"         start it: `hushwatt household run --folder '{home.path}'`"
    assert second.startswith("TROUBLE  “plan ")
    assert running.splitlines()[0] == second
    keys = [each["key"] for each in json.loads(table)["troubles"]]
    assert keys == ["agent", *(f"{kind} {each}" for each in ids(home) for kind in ("silent", "caps"))]


def test_a_folder_that_is_a_file(command, tmp_path):
    """It is said so."""
    (tmp_path / "home").write_text("")

    assert f"{tmp_path}/home is not a folder" in command("household", "status", "--folder", tmp_path / "home")[2]
