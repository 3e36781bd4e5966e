"""A home in a thread of another program: it starts, is handed things, stops, and says why it could not."""

import signal
import threading
import time
from types import SimpleNamespace

import pytest
from tests.household.living import join

from hushwatt.errors import StateError
from hushwatt.household.clock import SystemHomeClock
from hushwatt.household.home_folder import HomeFolder
from hushwatt.household.home_thread import HomeThread
from hushwatt.household.ledger import high_water_mark
from hushwatt.household.run import Runner
from hushwatt.household.sources.hub import Hub
from hushwatt.household.sources.sources_file import SourcesFile


@pytest.fixture
def home(tmp_path, plan_of, monkeypatch):
    """Makes threads for one home that takes part in a plan."""
    monkeypatch.setattr(high_water_mark, "SHARED_MEMORY", tmp_path)
    folder = HomeFolder(tmp_path / "home")
    with folder.store(make=True) as store:
        join(store, plan_of(3, 3, name="kettles"))
    said, ended = [], threading.Event()

    def make() -> HomeThread:
        hub = Hub.of(SourcesFile(), said.append)
        return HomeThread(Runner(folder, SourcesFile(), hub, SystemHomeClock(), said.append), ended.set)

    return SimpleNamespace(make=make, folder=folder, said=said, ended=ended)


def ours():
    return [each for each in threading.enumerate() if each.name.startswith("hushwatt")]


def test_it_lives_is_handed_things_and_leaves_nothing_running(home):
    """The agent runs in a thread of its own, which does what is handed in; signals stay as they were."""
    before = signal.getsignal(signal.SIGTERM)
    thread, done = home.make(), []
    agent = thread.start()
    during = signal.getsignal(signal.SIGTERM)
    alive = thread.alive
    for _ in range(100):
        thread.call(lambda: done.append(threading.current_thread().name))
        if done:
            break
        time.sleep(0.05)
    began = time.monotonic()
    thread.stop()
    took = time.monotonic() - began
    thread.call(done.clear)  # nobody is there any more
    time.sleep(0.1)

    assert [each.member.plan.name for each in agent.trackers.values()] == ["kettles"]
    assert alive
    assert not thread.alive
    assert set(done) == {"hushwatt-home"}
    assert before is during
    assert took < 5
    assert home.ended.is_set()
    assert ours() == []
    assert thread.failure is None


def test_a_second_one_on_the_ledger_is_refused(home):
    """The lock holds between threads of one process as between processes; a start afterwards works."""
    first, second = home.make(), home.make()
    first.start()
    with pytest.raises(StateError, match="another agent is running on this ledger"):
        second.start()
    first.stop()
    third = home.make()
    third.start()
    third.stop()

    assert not second.alive
    assert ours() == []


def test_one_that_is_told_to_stop_before_it_begins_stops(home):
    """A stop that comes first is not forgotten."""
    thread = home.make()
    thread.runner.stop()
    thread.start()
    thread._thread.join(10)

    assert not thread.alive


def test_one_that_ends_by_itself_says_why(home, monkeypatch):
    """A failure that nobody foresaw is said without its words, and whoever waits is told."""

    async def broken(self, *_):
        raise RuntimeError("1234.5678 W")

    monkeypatch.setattr(Runner, "_note", broken)
    thread = home.make()
    thread.start()

    assert home.ended.wait(20)
    assert "RuntimeError" in thread.failure
    assert "1234.5678" not in thread.failure
    assert any(line.startswith("the home stopped: RuntimeError") for line in home.said)


def test_a_home_that_joined_nothing_does_not_start(home):
    """There is no ledger, and none is made."""
    home.folder.ledger.unlink()
    with pytest.raises(StateError, match="joined nothing yet"):
        home.make().start()

    assert not home.folder.ledger.exists()
