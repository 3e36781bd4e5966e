"""Claim C5, at home: what an agent posts follows the declared laws."""

import pytest

from hushwatt.audit.own_draws import audit_own_draws
from hushwatt.household import membership

SLOTS = 300


@pytest.mark.parametrize("oracle", ["oue", "sue", "grr"])
def test_an_agent_follows_the_law(oracle):
    """Hundreds of reports of one agent fit their law, and no two are equal."""
    finding = audit_own_draws(oracle, SLOTS)

    assert finding.passed, finding


@pytest.mark.parametrize("oracle", ["oue", "grr"])
def test_now_and_then_the_truth_is_found(monkeypatch, oracle):
    """An agent that posts the plain truth once in eight slots is found out."""
    report = membership.report

    def slip(homes, slot, levels, source):
        sent = report(homes, slot, levels, source)
        if slot % 8 == 0:
            sent.payloads[:] = homes.layout.pack(levels)
        return sent

    monkeypatch.setattr(membership, "report", slip)

    assert not audit_own_draws(oracle, SLOTS).passed
