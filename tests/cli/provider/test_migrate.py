"""`hushwatt provider migrate`: an older store waits for an operator where that is set."""

import pytest
from tests.provider.collecting import STORES, postgres_server, store_address  # noqa: F401  fixtures

from hushwatt.provider.store import open_store, schema

STEPS = len(schema.MIGRATIONS)
both_stores = pytest.mark.parametrize("store_address", STORES, indirect=True)


@pytest.fixture
def older(store_address, tmp_path, monkeypatch):  # noqa: F811
    """A store that an earlier version made, and how commands are told of it."""
    with monkeypatch.context() as earlier:
        earlier.setattr(schema, "MIGRATIONS", schema.MIGRATIONS[:-1])
        open_store(store_address).close()
    return ("--store", store_address) if "://" in store_address else ("--data", tmp_path)


@both_stores
def test_an_older_store_waits(hushwatt, older):
    """It is refused in one line that says what to run; a check changes nothing; migrated once, it is used."""
    by_hand = {"HUSHWATT_MIGRATION": "by-hand"}

    refused = hushwatt("provider", "retention", *older, **by_hand)
    checked = hushwatt("provider", "migrate", "--check", *older)
    checked_again = hushwatt("provider", "migrate", "--check", *older)
    migrated = hushwatt("provider", "migrate", *older, **by_hand)
    again = hushwatt("provider", "migrate", "--check", *older)
    used = hushwatt("provider", "retention", *older, **by_hand)

    assert refused.returncode == 2
    assert refused.stderr.count("\n") == 1
    assert f"at step {STEPS - 1} of {STEPS}: first run `hushwatt provider migrate`" in refused.stderr
    assert (checked.returncode, checked_again.stdout) == (1, checked.stdout)
    assert migrated.stdout == f"the store went from step {STEPS - 1} to step {STEPS}\n"
    assert (again.returncode, again.stdout) == (0, f"the store is up to date, at step {STEPS}\n")
    assert used.returncode == 0


def test_an_empty_place_gets_a_store(hushwatt, tmp_path):
    """Where nothing is, the tables are made, and a service that migrates by hand starts on them."""
    made = hushwatt("provider", "migrate", "--data", tmp_path / "new")

    assert made.stdout == f"the store went from step 0 to step {STEPS}\n"
    assert hushwatt("provider", "migrate", "--check", "--data", tmp_path / "new").returncode == 0


def test_another_word_is_refused(hushwatt, tmp_path):
    """The setting has two values."""
    refused = hushwatt("provider", "migrate", "--data", tmp_path, HUSHWATT_MIGRATION="sometimes")

    assert refused.returncode == 2
    assert "choose one of auto, by-hand" in refused.stderr
