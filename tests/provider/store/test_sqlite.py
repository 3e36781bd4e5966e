"""The embedded store on disks that are full or broken."""

import apsw
import numpy as np
import pytest
from tests.provider.collecting import histories, records

from hushwatt.errors import StateError, UsageError
from hushwatt.provider.store import schema
from hushwatt.provider.store.enrolment import remove_device
from hushwatt.provider.store.enrolment_codes import MAX_GATEWAY_HOMES, add_codes
from hushwatt.provider.store.plans import add_plan, plan_state
from hushwatt.provider.store.schema import MIGRATIONS
from hushwatt.provider.store.session import StoreUnavailable
from hushwatt.provider.store.sqlite import Sqlite


class BrokenFile(apsw.VFSFile):
    """A file whose next syncs or writes may fail."""

    failing: str | None = None  # the call that fails

    def __init__(self, inherit, name, flags):
        super().__init__(inherit, name, flags)

    def xSync(self, flags):
        if BrokenFile.failing == "sync":
            failure = apsw.IOError("no")
            failure.extendedresult = apsw.SQLITE_IOERR_FSYNC  # type: ignore[attr-defined]  # what SQLite says when fsync fails
            raise failure
        super().xSync(flags)

    def xWrite(self, data, offset):
        if BrokenFile.failing == "write":
            raise apsw.IOError("no")
        super().xWrite(data, offset)


class BrokenDisk(apsw.VFS):
    def __init__(self):
        super().__init__("broken", base="")

    def xOpen(self, name, flags):
        return BrokenFile("", name, flags)


@pytest.fixture
def broken_disk():
    """SQLite on a disk that can be told to fail."""
    disk = BrokenDisk()
    BrokenFile.failing = None
    yield "broken"
    BrokenFile.failing = None
    disk.unregister()


def steps(database):
    with database.reading() as session:
        return session.all("SELECT steps FROM hushwatt")


def test_every_commit_is_synced(tmp_path):
    """WAL with synchronous = FULL: anything less loses acknowledged reports with the power."""
    database = Sqlite(tmp_path / "store.sqlite")

    with database.reading() as session:
        assert session.all("PRAGMA journal_mode") == [("wal",)]
    with database.writing() as session:
        assert session.all("PRAGMA synchronous") == [(2,)]
    database.close()


def test_many_homes_are_bound_as_bytes(tmp_path, plan_of):
    """A number in bytes is found at once; in a text SQLite counts every character before it, for each home anew."""
    database, bound = Sqlite(tmp_path / "store.sqlite"), []
    devices, cells = (
        np.arange(16 * 3_000, dtype=np.uint16).view(np.uint8)[: 16 * 3_000].reshape(-1, 16),
        np.arange(3_000),
    )
    database._writer.exec_trace = lambda cursor, statement, values: bound.extend(values or ()) or True
    with database.writing() as session:
        plan = add_plan(session, plan_of(2))
        bound.clear()
        session.add_devices(plan, 0, 0, devices, cells)
        kept = session.find_devices(plan, devices).cells
    database._writer.exec_trace = None
    database.close()

    assert kept.tolist() == cells.tolist()
    assert sorted(len(value) for value in bound if isinstance(value, bytes)) == [6 * 3_000, 16 * 3_000, 16 * 3_000]
    assert not [value for value in bound if isinstance(value, str) and len(value) > 1_000]


def test_a_full_disk_keeps_nothing_and_recovers(collecting, plan_of):
    """Uploads are answered 503 while there is no room; nothing of them is there, and later they pass."""
    talk = collecting(plan_of(*[8] * 20, oracle="oue"), days=0.5)
    key, name, devices = talk.gateway(2000)
    (sent,) = histories(talk.plan, 2000, 1)
    writer = talk.service.database._writer
    ((pages,),) = list(writer.execute("PRAGMA page_count"))
    writer.execute(f"PRAGMA max_page_count = {pages + 5}")

    full = talk.send(key, name, records(devices, sent))
    ready = talk.client.get("/readyz").status_code
    during = talk.service.read.slots(talk.plan)[0].reports
    writer.execute("PRAGMA max_page_count = 1000000")
    later = talk.send(key, name, records(devices, sent))

    assert full.status_code == 503
    assert full.json()["detail"] == "the disk is full"
    assert int(full.headers["Retry-After"]) > 0
    assert ready == 200
    assert during == 0
    assert later.json()["accepted"] == 2000


def test_a_failed_write_is_refused_and_passes_later(tmp_path, broken_disk):
    """A disk that refuses a write costs that transaction, and no other."""
    database = Sqlite(tmp_path / "store.sqlite", vfs=broken_disk)

    BrokenFile.failing = "write"
    with pytest.raises(StoreUnavailable, match="refuses"), database.writing() as session:
        session.run("UPDATE hushwatt SET steps = 99")
    BrokenFile.failing = None

    assert steps(database) == [(len(MIGRATIONS),)]
    with database.writing() as session:
        assert session.run("UPDATE hushwatt SET steps = steps") == 1
    database.close()


def test_after_a_failed_sync_nothing_is_acknowledged(tmp_path, broken_disk):
    """What the disk holds is not known any more, so the store stays shut until the next start."""
    database = Sqlite(tmp_path / "store.sqlite", vfs=broken_disk)

    BrokenFile.failing = "sync"
    with pytest.raises(StoreUnavailable), database.writing() as session:
        session.run("UPDATE hushwatt SET steps = 99")
    BrokenFile.failing = None

    with pytest.raises(StoreUnavailable, match="start again"), database.writing():
        pass
    database.close()
    again = Sqlite(tmp_path / "store.sqlite")
    assert steps(again) == [(len(MIGRATIONS),)]
    again.close()


def test_an_older_store_becomes_a_newer_one(tmp_path, monkeypatch, plan_of):
    """A store of the first version takes the steps since then, and what was in it stays."""
    monkeypatch.setattr(schema, "MIGRATIONS", MIGRATIONS[:1])
    older = Sqlite(tmp_path / "store.sqlite")
    with older.writing() as session:
        plan, name = add_plan(session, plan_of(2)), bytes(range(16))
        session.run("UPDATE plans SET homes = 1, next_home = 1")
        session.run("INSERT INTO signers (plan, name, key, gateway) VALUES (?, ?, ?, 0)", plan, name, bytes(32))
        session.run("INSERT INTO devices (device, plan, home, signer) VALUES (?, ?, 0, 1)", name, plan)
    older.close()
    monkeypatch.undo()

    newer = Sqlite(tmp_path / "store.sqlite")
    with newer.writing() as session:
        before = plan_state(session, plan)
        remove_device(session, plan, name, 0, 1)
        after = plan_state(session, plan)
    newer.close()

    assert (before.homes, before.by_files, before.erased) == (1, 0, 0)
    assert (after.homes, after.by_files, after.erased) == (0, 0, 1)


def test_a_newer_store_is_not_touched(tmp_path):
    """A store that has taken steps unknown here is refused with both numbers."""
    database = Sqlite(tmp_path / "store.sqlite")
    with database.writing() as session:
        session.run("UPDATE hushwatt SET steps = 99")
    database.close()

    with pytest.raises(StateError, match="newer hushwatt"):
        Sqlite(tmp_path / "store.sqlite")


def test_what_is_no_store_is_refused(tmp_path):
    """A file of something else, and a folder that is not there."""
    (tmp_path / "text").write_text("not a database, " * 100)

    with pytest.raises(StateError, match="not a store"):
        Sqlite(tmp_path / "text")
    with pytest.raises(UsageError, match="no folder"):
        Sqlite(tmp_path / "missing" / "store.sqlite")


def test_the_store_is_its_owners_alone(tmp_path):
    """Nobody else on the machine reads the file."""
    Sqlite(tmp_path / "store.sqlite").close()

    assert (tmp_path / "store.sqlite").stat().st_mode & 0o077 == 0


def test_a_store_that_cannot_be_opened(tmp_path):
    """A folder where the store should be is one line."""

    with pytest.raises(UsageError, match="cannot open"):
        Sqlite(tmp_path)


@pytest.mark.parametrize("homes", [0, MAX_GATEWAY_HOMES + 1])
def test_codes_for_none_or_too_many(tmp_path, homes):
    """A code is good for a home at least, and for as many as a gateway speaks for at most."""
    database = Sqlite(tmp_path / "store.sqlite")
    with pytest.raises(UsageError, match="a code is good for 1 to"), database.writing() as session:
        add_codes(session, 1, 1, homes, 0, 1)
    database.close()
