"""One agent per home."""

import shutil

import pytest

from hushwatt.errors import StateError
from hushwatt.household.ledger.lock import agent_lock
from hushwatt.household.ledger.store import Store


def test_a_second_agent_is_refused(folder):
    """Two agents on one ledger would spend twice."""
    with Store(folder / "ledger.sqlite") as store, agent_lock(store.path, store.home):
        second = agent_lock(store.path, store.home)

        with pytest.raises(StateError, match="another agent is running on this ledger"), second:
            pass


def test_an_agent_on_a_copy_is_refused(folder):
    """A copied ledger is the same home's, wherever it lies."""
    with Store(folder / "ledger.sqlite") as store:
        shutil.copytree(folder, folder / "copy", ignore=lambda *_: ["copy"])
        with agent_lock(store.path, store.home), Store(folder / "copy" / "ledger.sqlite") as copy:
            second = agent_lock(copy.path, copy.home)

            with pytest.raises(StateError, match="copy of this ledger"), second:
                pass


def test_the_next_agent_may_run(folder):
    """The lock goes with the agent that held it."""
    with Store(folder / "ledger.sqlite") as store:
        for _ in range(2):
            with agent_lock(store.path, store.home):
                held = store.home

        assert held == store.home
