"""Killed, rewound, cloned and lied to: no window ever costs more than was promised.

Sums are over everything that ever left the home, not over what a ledger says.
"""

import os

import pytest
from chaos import chaos, clocks, hostile, restored

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
    from hushwatt.household.membership import Membership

    lost = Membership.lost

    def believe(self, last, reason, everything=False):
        if reason == "the agent was not running":
            self.silent(last, reason)
        else:
            lost(self, last, reason, everything)

    monkeypatch.setattr(Membership, "lost", believe)


def test_restored_ledgers_are_a_danger(folder, forgetful):
    """Without the rule for slots nobody knows about, the same cases do overspend."""

    assert restored(folder, cases=40) != []


def test_wild_clocks_are_a_danger(folder, monkeypatch):
    """Without the machine's own clock, the same cases refresh windows early."""
    from hushwatt.household.agent import Watch

    monkeypatch.setattr(Watch, "slack", 1 << 60)

    assert clocks(folder, cases=40) != []


def test_unpaid_draws_are_seen(folder, monkeypatch):
    """An agent that draws and does not pay is found out."""
    from hushwatt.household.book import Book

    monkeypatch.setattr(Book, "charge", lambda self, entry: None)

    assert chaos(folder, kills=10) != []
