"""Claim C11: every draw is paid before it is made."""

import pytest

from hushwatt.audit.planted import look_for_free
from hushwatt.audit.spending.payments import as_shipped, audit_payments, audit_payments_on_disk, audit_rounds
from hushwatt.household.ledger.home_ledger import HomeLedger
from hushwatt.household.report import report as steps


@pytest.mark.parametrize("method", ["lbu", "lsp", "lpu", "lbd", "lba"])
def test_every_draw_is_paid(method):
    """Draws, charges and what is said are the same number in every slot."""

    assert audit_payments(method, as_shipped).passed


@pytest.mark.parametrize("method", ["lbu", "lsp", "lpu", "lbd", "lba"])
def test_every_draw_is_paid_on_disk(method):
    """When an agent draws, whoever else reads its ledger finds the payment there."""

    assert audit_payments_on_disk(method).passed


def test_paying_in_memory_alone_is_found(monkeypatch):
    """A home whose book writes nothing down is noticed."""
    monkeypatch.setattr(HomeLedger, "charge", lambda book, entry: None)

    assert not audit_payments_on_disk("lbu").passed


@pytest.mark.parametrize("method", ["lbd", "lba", "lpd", "lpa"])
def test_both_rounds_are_paid(method):
    """Where the provider decides, homes are charged what they say in both rounds."""

    assert audit_rounds(method).passed


@pytest.mark.parametrize("method", ["lbd", "lba"])
def test_a_free_look_is_found(method):
    """A probe that does not stay in the ledger is noticed in every slot."""
    finding = audit_payments(method, look_for_free)

    assert finding.numbers["wrong"] == 120


def test_paying_afterwards_is_found(monkeypatch):
    """A draw that is charged only after it was made is noticed."""
    charge, later = steps._charge, []

    def postpone(*charged):
        for waiting in later:
            charge(*waiting)
        later[:] = [charged]

    monkeypatch.setattr(steps, "_charge", postpone)

    assert not audit_payments("lbu", as_shipped).passed
