"""Claim C17: when a home retires does not depend on its readings."""

import pytest

from hushwatt.audit.harness.lives import plan_at_home
from hushwatt.audit.leaks.retiring import DECIDING, PLANS, audit_retiring, retiring_audits
from hushwatt.household.ledger.lifetime import LifetimeTotals
from hushwatt.household.membership import Membership


@pytest.mark.parametrize("chosen", PLANS, ids=lambda chosen: f"{chosen[0]} {chosen[2]} {chosen[3]}")
def test_they_retire_alike(chosen):
    """Homes with other readings retire in the same slot, with the same words."""
    finding = audit_retiring(plan_at_home(*chosen))

    assert finding.passed, finding


@pytest.mark.parametrize("chosen", DECIDING, ids=lambda chosen: chosen[0])
def test_counting_what_was_spent_is_found(monkeypatch, chosen):
    """Where homes decide, a lifetime that counts real spends tells by its end what they decided."""
    monkeypatch.setattr(LifetimeTotals, "cost", lambda self, plan_key, slot, amount: amount)

    assert not audit_retiring(plan_at_home(*chosen)).passed


def test_homes_that_never_retire_are_found(monkeypatch):
    """What is to be compared has to happen."""
    monkeypatch.setattr(Membership, "lifetime_refusal", lambda self: None)

    assert not audit_retiring(plan_at_home(*PLANS[0])).passed


def test_every_method_is_tried():
    """Those that the clock decides, and those that homes decide."""
    assert {chosen[0] for chosen in PLANS} == {"lbu", "lsp", "lpu", "lbd", "lba"}
    assert len(list(retiring_audits())) == len(PLANS)
