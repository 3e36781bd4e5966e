"""Random histories never overspend, and would be noticed if they did."""

import numpy as np
import pytest

from hushwatt.audit.planted import AbsorbOneMore
from hushwatt.audit.spending.histories import Windows, audit_decisions, audit_reports
from hushwatt.privacy.strategies import STRATEGIES


@pytest.mark.parametrize("method", ["lbu", "lsp", "lbd", "lba"])
def test_random_decisions(method):
    """Homes that publish by the toss of a coin stay within ε."""

    assert audit_decisions(method, homes=200).passed


@pytest.mark.parametrize("method", ["lbu", "lsp", "lpu", "lbd", "lba"])
def test_real_fleets(method):
    """Fleets that go through the shipped steps stay within ε."""

    assert audit_reports(method, homes=200).passed


def test_one_share_too_many_is_refused(monkeypatch):
    """The ledger stops a strategy that takes too much, and the history says so."""
    monkeypatch.setitem(STRATEGIES, "lba", AbsorbOneMore)

    finding = audit_decisions("lba", homes=50)

    assert not finding.passed
    assert "refused" in finding.figure


def test_windows_add_up():
    """The dearest window is the largest sum of the last w slots over homes."""
    windows = Windows(window=2)

    sums = [windows.dearest(np.array(costs)) for costs in ([1, 5], [2, 0], [4, 1])]

    assert sums == [5, 5, 6]
