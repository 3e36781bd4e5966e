"""Claims C6 and C17: with blindfolded answers nothing depends on a reading."""

import numpy as np
import pytest

from hushwatt.audit.harness.lives import plan_at_home
from hushwatt.audit.leaks.blind import (
    AT_HOME,
    audit_blind_agent,
    audit_blind_fleet,
    blind_audits,
    lowest_level,
)
from hushwatt.audit.miniature import deciders
from hushwatt.fleet import provider_decisions
from hushwatt.household.membership import Membership
from hushwatt.household.report import report as steps
from hushwatt.household.report.homes import enrol
from hushwatt.privacy.entropy import Simulation
from hushwatt.wire.payload import Layout

SLOTS = 6


@pytest.mark.parametrize("method, decision", deciders())
def test_fleets(method, decision):
    """Whatever the homes hold, the same is paid, decided and sent, in every byte."""

    assert audit_blind_fleet(method, decision, SLOTS).passed


@pytest.mark.parametrize("chosen", AT_HOME, ids=lambda chosen: chosen[0])
def test_agents(chosen):
    """A home that decides for itself leaves the same ledger and the same requests."""

    assert audit_blind_agent(plan_at_home(*chosen), SLOTS).passed


def test_a_household_that_peeks_is_found(monkeypatch):
    """A decision that looks at the levels is seen at once, with a handful of homes."""
    draw = steps.pay_and_draw

    def peek(homes, who, levels, amounts, source, purpose):
        if purpose == "publication":
            who, amounts = who[levels[who, 0] < 1], amounts[levels[who, 0] < 1]
        return draw(homes, who, levels, amounts, source, purpose)

    monkeypatch.setattr(steps, "pay_and_draw", peek)

    assert not audit_blind_fleet("lbu", None, SLOTS).passed


@pytest.mark.parametrize("method", ["lbd", "lpa"])
def test_a_provider_that_peeks_is_found(monkeypatch, method):
    """A provider that decides by the true levels is seen."""
    truth = {}
    probe = provider_decisions.DecisionRounds.probe

    def note(self, homes, start, levels, source):
        truth["mean"] = levels.mean()
        return probe(self, homes, start, levels, source)

    monkeypatch.setattr(provider_decisions.DecisionRounds, "probe", note)
    monkeypatch.setattr(provider_decisions, "should_publish", lambda *told: truth["mean"] > 0.5)

    assert not audit_blind_fleet(method, "provider", SLOTS).passed


def test_an_agent_that_peeks_is_found(monkeypatch):
    """An agent at home that keeps silent while nothing is on is seen, though it decides by itself."""
    close = Membership.report_slot

    def slip(self, watts, due):
        close(self, watts, due) if watts.any() else self.skip_slots(self.slot, "nothing was on")

    monkeypatch.setattr(Membership, "report_slot", slip)

    assert not audit_blind_agent(plan_at_home(*AT_HOME[0]), SLOTS).passed


def test_only_the_audit_is_blindfolded(plan_of):
    """Answers are about the lowest level where the audit says so, and about the truth everywhere else."""
    layout, levels = Layout("grr", (3,), 1), np.full((200, 1), 2, dtype=np.uint16)

    def answers(randomiser):
        return layout.tally(randomiser(layout, levels, None, 9_000_000, Simulation(1, "x").stream()))[1]

    assert answers(lowest_level).argmax() == 0
    assert answers(enrol(plan_of(3), 1, 0, Simulation(1, "x")).randomiser).argmax() == 2


def test_every_mechanism():
    """All methods and whoever decides are gone through."""

    assert len(list(blind_audits())) == len(deciders()) + len(AT_HOME)
