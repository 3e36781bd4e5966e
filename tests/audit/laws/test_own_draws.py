"""Claim C5, at home: what an agent posts follows the declared laws."""

import pytest

from hushwatt.audit.laws.own_draws import audit_own_draws, audit_whole_answers
from hushwatt.household import membership
from hushwatt.household.report import report as steps
from hushwatt.household.report.randomise import randomise

SLOTS = 300


@pytest.mark.parametrize("oracle", ["oue", "sue", "grr"])
def test_an_agent_follows_the_law(oracle):
    """Hundreds of reports of one agent fit their law, and no two are equal."""
    finding = audit_own_draws(oracle, SLOTS)

    assert finding.passed, finding


@pytest.mark.parametrize("oracle", ["oue", "grr"])
def test_now_and_then_the_truth_is_found(monkeypatch, oracle):
    """An agent that posts the plain truth once in eight slots is found out."""
    report = steps.report

    def slip(homes, slot, levels, source):
        sent = report(homes, slot, levels, source)
        if slot % 8 == 0:
            sent.payloads[:] = homes.layout.pack(levels)
        return sent

    monkeypatch.setattr(membership, "report", slip)

    assert not audit_own_draws(oracle, SLOTS).passed


@pytest.mark.parametrize("oracle", ["oue", "sue", "grr"])
def test_whole_answers_follow_the_law(oracle):
    """Every whole answer about a small appliance comes as often as it should."""
    finding = audit_whole_answers(oracle, SLOTS)

    assert finding.passed, finding


@pytest.mark.parametrize("oracle", ["oue", "sue"])
def test_an_agent_that_draws_again_is_found(monkeypatch, oracle):
    """An agent that is not content with a blank answer, and draws another, is found out."""
    report = steps.report

    def slip(homes, slot, levels, source):
        sent = report(homes, slot, levels, source)
        if not sent.payloads.any():
            sent.payloads[:] = randomise(homes.layout, levels, None, int(sent.drawn[0]), source.stream("again"))
        return sent

    monkeypatch.setattr(membership, "report", slip)

    assert not audit_whole_answers(oracle, 3 * SLOTS).passed
