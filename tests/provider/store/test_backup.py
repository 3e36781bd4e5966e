"""Backups are whole, answer as the store does, and replace nothing."""

import apsw
import numpy as np
import pytest
from tests.provider.collecting import histories, records

from hushwatt.errors import StateError, UsageError
from hushwatt.provider.store import open_store
from hushwatt.provider.store.backup import restore
from hushwatt.provider.store.sqlite import Sqlite


def test_a_backup_answers_as_the_store_does(collecting, plan_of, tmp_path, store_address):
    """A copy made while the service runs gives the same estimates, and has every report."""
    plan = plan_of(3, 4, 2, oracle="oue")
    talk = collecting(plan, days=0.5)
    key, name, devices = talk.gateway(30)
    sent = [records(devices, each) for each in histories(plan, 30, 3)]
    for slot, body in enumerate(sent):
        talk.at_slot(slot)
        talk.send(key, name, body)

    talk.service.database.backup(tmp_path / "backup.sqlite")
    restore(tmp_path / "backup.sqlite", tmp_path / "restored.sqlite")
    copy = collecting(plan, address=str(tmp_path / "restored.sqlite"))
    for each in (talk, copy):
        each.at_slot(9)

    assert copy.get("/estimates").json() == talk.get("/estimates").json()
    assert copy.get("/estimates").json()["slots"][2]["reports"] == 30
    assert copy.send(key, name, sent[2]).json()["repeated"] == 30


def test_a_restore_takes_only_whole_backups_and_replaces_nothing(tmp_path):
    """A file that is none, a damaged one, another database, a store in the way: refused in one line."""
    open_store(tmp_path / "store.sqlite").close()
    store = Sqlite(tmp_path / "store.sqlite")
    store.backup(tmp_path / "good.sqlite")
    store.close()
    other = apsw.Connection(str(tmp_path / "other.sqlite"))
    other.execute("CREATE TABLE t (a)")
    other.close()
    (tmp_path / "text").write_text("not a database, " * 100)
    damaged = bytearray((tmp_path / "good.sqlite").read_bytes())
    damaged[4096 * 3 : 4096 * 4] = np.random.default_rng(1).bytes(4096)
    (tmp_path / "damaged").write_bytes(damaged)

    with pytest.raises(UsageError, match="already there"):
        restore(tmp_path / "good.sqlite", tmp_path / "store.sqlite")
    with pytest.raises(UsageError, match="no such file"):
        restore(tmp_path / "missing", tmp_path / "new.sqlite")
    for name in ("other.sqlite", "text", "damaged"):
        with pytest.raises(StateError, match=r"not a backup|damaged"):
            restore(tmp_path / name, tmp_path / "new.sqlite")
    assert not (tmp_path / "new.sqlite").exists()
