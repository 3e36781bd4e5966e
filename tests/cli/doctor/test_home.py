"""The doctor looks at a home: each thing is one line, and what is wrong says what to do."""

import asyncio
import time

import pytest
from tests.household.living import join
from tests.household.serving import Provider, broker, free_port, plan_text

from hushwatt.cli.doctor.clock import check_clock_against
from hushwatt.cli.doctor.home import check_broker, check_home, check_home_assistant, check_provider
from hushwatt.household.home_folder import HomeFolder
from hushwatt.household.ledger.lock import agent_lock, is_locked
from hushwatt.household.sources.home_assistant_login import HomeAssistantLogin
from hushwatt.household.sources.sources_file import Broker


@pytest.fixture
def here(tmp_path, plan_of):
    opened = HomeFolder(tmp_path / "home")
    with opened.store(make=True) as store:
        join(store, plan_of(3))
    return opened


def by_name(checks):
    return {each.name: each for each in checks}


def test_no_home(tmp_path, monkeypatch):
    """A machine without one is told nothing about homes."""
    monkeypatch.setenv("HUSHWATT_HOME", str(tmp_path / "none"))
    assert check_home(tmp_path) == []
    monkeypatch.chdir(tmp_path)
    assert check_home(tmp_path.__class__()) == []


def test_a_home_where_it_usually_is(here, monkeypatch, tmp_path):
    """Where no folder is named, that one is looked at."""
    monkeypatch.setenv("HUSHWATT_HOME", str(here.path))
    monkeypatch.chdir(tmp_path)

    assert "ledger" in by_name(check_home(tmp_path.__class__()))


def test_a_home_whose_agent_runs_or_not(here):
    """Looking does not hold an agent up."""
    assert not is_locked(here.ledger)
    assert by_name(check_home(here.path))["agent"].found == f"not running: hushwatt household run --folder {here.path}"
    with here.store() as store, agent_lock(here.ledger, store.home):
        assert is_locked(here.ledger)
        assert by_name(check_home(here.path))["agent"].found == "running"
    with here.store() as store, agent_lock(here.ledger, store.home):
        pass


def test_sources_that_are_missing_or_wrong(here):
    """With what to type, or the line of the file."""
    checks = by_name(check_home(here.path))
    assert not checks["sources"].well
    assert checks["sources"].found == f"none: hushwatt household sources --write --folder {here.path}"
    (here.path / "sources.toml").write_text("[mqtt]\nhorst = 1\n")
    assert "unknown key horst" in by_name(check_home(here.path))["sources"].found
    (here.path / "sources.toml").write_text("[mqtt]\npassword_file = 'gone'\n[[table]]\npath = 'x.csv'\n")
    checks = by_name(check_home(here.path))
    assert checks["sources"].well
    assert checks["broker"].found == f"{here.path}/gone is not there; it must hold the broker's password"


def test_a_folder_with_sources_alone(tmp_path):
    """It has not joined anything yet."""
    (tmp_path / "sources.toml").write_text("")

    assert by_name(check_home(tmp_path))["plans"].found.startswith("joined nothing yet: hushwatt household join")


def test_a_ledger_that_is_none(here):
    """One line, and the rest goes on."""
    here.ledger.write_bytes(b"not a database, but long enough to be looked at as one" * 100)

    checks = by_name(check_home(here.path))
    assert "cannot be opened as a ledger" in checks["ledger"].found
    assert "sources" in checks


def test_a_broker(tmp_path):
    """There, or away."""
    with broker(tmp_path) as port:
        assert asyncio.run(check_broker(Broker(port=port))).found == f"127.0.0.1:{port} answers"
    gone = asyncio.run(check_broker(Broker(port=port)))
    assert not gone.well
    assert f"127.0.0.1:{port} does not answer (" in gone.found


def test_a_home_assistant_that_is_away(tmp_path):
    """And a token that is."""
    port = free_port()
    away = asyncio.run(check_home_assistant(HomeAssistantLogin(f"http://127.0.0.1:{port}", token="t")))
    missing = HomeAssistantLogin("http://127.0.0.1:8123", token_file=str(tmp_path / "gone"))

    assert not away.well
    assert away.found.startswith(f"Home Assistant at 127.0.0.1:{port}: ")
    assert "it must hold Home Assistant's token" in asyncio.run(check_home_assistant(missing)).found


def test_providers(tmp_path):
    """One that answers, with its clock; one that does not."""
    provider = Provider(tmp_path, plan_text())
    provider.start()
    there, clock = check_provider(provider.address), check_clock_against(provider.address)
    provider.stop()
    gone = check_provider(provider.address)

    assert there.well
    assert clock.well
    assert there.found.startswith(f"{provider.address} answers; this clock is at ")
    assert (gone.well, "does not answer" in gone.found) == (False, True)


def test_troubles_are_lines_too(here, plan_of, monkeypatch):
    """Those that `household status` shows."""
    from hushwatt.plan.times import nanoseconds

    monkeypatch.setattr(time, "time_ns", lambda: nanoseconds(plan_of(3).calendar.start_of(3)))
    found = [each.found for each in check_home(here.path) if each.name == "trouble"]

    assert any("the agent is not running" in each for each in found)
