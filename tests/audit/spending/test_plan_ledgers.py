"""Claim C12: the ledger refuses what would overspend, and nothing else."""

import pytest

from hushwatt.audit.planted import ForgetfulLedger, GenerousLedger, kept_a_slot_short
from hushwatt.audit.spending.plan_ledgers import added_up, answers, audit_kept_ledger, audit_ledger
from hushwatt.household.ledger.plan_ledger import PlanLedger
from hushwatt.privacy.ledger import Ledger


@pytest.mark.parametrize("window", [1, 2, 3])
def test_ledger_is_right(window):
    """Every short sequence of charges is judged as plain addition judges it."""

    assert audit_ledger(Ledger, window, charges=3).passed


@pytest.mark.parametrize("make, window", [(ForgetfulLedger, 2), (GenerousLedger, 1)])
def test_wrong_ledgers_are_found(make, window):
    """A ledger that forgets a slot, or the first charge of one, is found out."""

    assert not audit_ledger(make, window, charges=3).passed


class Strict(Ledger):
    """A ledger that refuses one millionth too early."""

    def check(self, charge):
        self.epsilon -= 1
        try:
            super().check(charge)
        finally:
            self.epsilon += 1


def test_too_strict_is_wrong_too():
    """A ledger that refuses what fits is found out as well."""

    assert not audit_ledger(Strict, 1, charges=3).passed


def test_by_hand():
    """ε = 4 and an appliance's 3: what does not fit is left out, what follows may fit again."""
    entries = [(0, 2, 0), (0, 2, 0), (0, 2, 1), (2, 2, 0)]

    assert added_up(2, entries) == [True, False, True, True]
    assert answers(Ledger, 2, entries) == [True, False, True, True]


@pytest.mark.parametrize("window", [1, 2, 3])
def test_a_home_s_ledger_is_right(window):
    """The ledger that homes run, read from disk before every charge, judges as plain addition does."""

    assert audit_kept_ledger(PlanLedger.load, window, charges=2).passed


def test_a_ledger_that_reads_too_little_is_found():
    """One slot fewer read at a restart is found out."""

    assert not audit_kept_ledger(kept_a_slot_short, 2, charges=2).passed
