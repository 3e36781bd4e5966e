"""Killed, rewound, cloned and lied to: no window ever costs more than was promised.

Sums are over everything that ever left the home, not over what a ledger says.
"""

import os
import random
import shutil

import pytest
from chaos import TURN, chaos, clocks, early, faults_of, hostile, plan_for, restored
from living import Home, join

from hushwatt.household.agent import Watch
from hushwatt.household.book import Book
from hushwatt.household.membership import Membership

LONGER = int(os.environ.get("HUSHWATT_CHAOS", "1"))  # a long run multiplies every figure


def test_kill_nine(folder):
    """A killed agent has paid for every draw, overspends nothing, and sends a slot's bytes as they were."""

    assert chaos(folder, kills=40 * LONGER) == []


def test_restored_ledgers(folder):
    """A ledger put back from a copy never spends again what its future self has spent."""

    assert restored(folder, cases=40 * LONGER) == []


def test_wild_clocks(folder):
    """Whatever the clock shows, no window of slots and none of real time is overspent."""

    assert clocks(folder, cases=40 * LONGER) == []


def test_hostile_plans(folder):
    """Plans that ask for everything, many at once, get no more than the owner's caps give."""

    assert hostile(folder, plans=80 * LONGER) == []


@pytest.fixture
def forgetful(monkeypatch):
    """An agent that believes every ledger it is given."""
    lost = Membership.lost

    def believe(self, last, reason, everything=False):
        if reason == "the agent was not running":
            self.silent(last, reason)
        else:
            lost(self, last, reason, everything)

    monkeypatch.setattr(Membership, "lost", believe)


def rewound(folder):
    """A home whose ledger is put back after every report to where its first slot must publish."""
    plan = plan_for(random.Random(1), "lbd", window=8)
    home = Home(folder / "rewound.db")
    join(home.store, plan)
    home.switch_off()
    shutil.copy(home.path, folder / "copy.db")
    for _ in range(4):
        shutil.copy(folder / "copy.db", home.path)
        home.switch_on()
        home.tick()
        home.live(2 * TURN, TURN / 2)
        home.switch_off()
    return faults_of(home, plan, 1, "rewound")


def test_a_rewound_ledger_spends_nothing_again(folder):
    """Put back again and again, a ledger never speaks as if for the first time."""

    assert rewound(folder) == []


def test_rewound_ledgers_are_a_danger(folder, forgetful):
    """Without the rule for slots nobody knows about, the same home overspends."""

    assert rewound(folder) != []


def hurried(folder):
    """A home whose clock is moved on to the next turn as soon as it has spoken."""
    plan = plan_for(random.Random(1), "lsp", window=3)
    home, drawn_at = Home(folder / "hurried.db"), {}
    join(home.store, plan)
    home.tick()
    home.live(3 * TURN, TURN / 2)
    for _ in range(4):
        before = set(home.left)
        home.live(TURN, TURN / 2)
        drawn_at |= dict.fromkeys(set(home.left) - before, home.hands.alive)
        home.hands.jump(2 * TURN)
        home.tick()
    home.switch_off()
    return early(home, plan, drawn_at, "hurried")


def test_a_hurried_clock_refreshes_nothing(folder):
    """Moving the clock on does not bring the next turn any sooner."""

    assert hurried(folder) == []


def test_hurried_clocks_are_a_danger(folder, monkeypatch):
    """Without the machine's own clock, the same home speaks in every slot."""
    monkeypatch.setattr(Watch, "slack", 1 << 60)

    assert hurried(folder) != []


def test_unpaid_draws_are_seen(folder, monkeypatch):
    """An agent that draws and does not pay is found out."""
    monkeypatch.setattr(Book, "charge", lambda self, entry: None)

    assert chaos(folder, kills=10) != []
