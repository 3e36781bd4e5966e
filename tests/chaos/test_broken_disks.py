"""Homes and providers that take a broken disk lightly are found out."""

from contextlib import contextmanager, suppress

from hushwatt.errors import StateError
from hushwatt.household.ledger.store import Store
from hushwatt.provider.store import sqlite


def test_a_home_that_believes_its_memory(monkeypatch, found_out):
    """A change that was not kept and says it was leaves draws that nobody wrote down."""
    transaction = Store.transaction

    @contextmanager
    def pretend(self):
        with suppress(StateError), transaction(self) as disk:
            yield disk

    monkeypatch.setattr(Store, "transaction", pretend)

    assert found_out("broken-disk-home") != "nothing"


def test_a_provider_that_trusts_a_log_it_did_not_sync(monkeypatch, found_out):
    """A log that a failed sync left in memory alone must be written again before it is added to."""
    monkeypatch.setattr(sqlite, "rewrite_wal", lambda connection: None)

    assert "acknowledged reports are lost" in found_out("broken-disk-provider")


def test_a_provider_that_goes_on_after_a_failed_sync(monkeypatch, found_out):
    """Whoever does not know what the disk holds acknowledges nothing."""
    monkeypatch.setattr(sqlite, "FSYNC_ERRORS", ())

    assert "once mended, uploads were answered {200}" in found_out("broken-disk-provider")


def test_a_home_that_trusts_a_log_it_did_not_sync(monkeypatch, found_out):
    """The same at home: what is sent after such a start would be forgotten with the power."""
    monkeypatch.setattr(Store, "recover_wal", lambda self: None)

    assert found_out("broken-disk-home") != "nothing"
