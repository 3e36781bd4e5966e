"""A ledger that is copied while the agent writes is whole."""

import shutil

import pytest

from hushwatt.household.ledger.held import HeldLedger
from hushwatt.household.ledger.store import Store


def write(store, first, last):
    for number in range(first, last):
        store.write_value(f"number {number}", bytes(3_000))


def fold(store):
    """What SQLite does by itself when its log has grown; whether someone was in the way."""
    return bool(store.disk.execute("PRAGMA wal_checkpoint(restart)").fetchone()[0])


@pytest.mark.parametrize("log_first", [False, True])
def test_a_copy_made_while_the_agent_writes_is_whole(tmp_path, log_first):
    """Whichever file is copied first, the copy holds all that was written before, and opens without a fault."""
    with Store(tmp_path / "ledger.sqlite") as store:
        write(store, 0, 50)
        held = HeldLedger(tmp_path / "ledger.sqlite")
        store.disk.set_busy_timeout(50)
        in_the_way, copy = [], tmp_path / "copy"
        copy.mkdir()
        names = ["ledger.sqlite", "ledger.sqlite-wal"]
        for name in reversed(names) if log_first else names:
            shutil.copy(tmp_path / name, copy / name)
            write(store, 50, 100)
            in_the_way.append(fold(store))
            write(store, 100, 150)
        held.release()
        store.disk.set_busy_timeout(10_000)
        in_the_way.append(fold(store))
    with Store(copy / "ledger.sqlite") as restored:
        kept = restored.value("SELECT count(*) FROM home WHERE name LIKE 'number %'")
        sound = restored.value("PRAGMA integrity_check")

    assert in_the_way == [True, True, False]
    assert kept >= 50
    assert sound == "ok"
