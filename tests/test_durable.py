"""A log is made sure of before anything is appended to it."""

import apsw
import pytest

from hushwatt.audit.harness.power_loss_disk import PowerLossDisk, mounted
from hushwatt.durable import rewrite_wal


@pytest.fixture
def database(tmp_path):
    connection = apsw.Connection(str(tmp_path / "some.db"))
    connection.pragma("journal_mode", "wal")
    yield connection
    connection.close()


def test_the_log_is_written_and_synced(tmp_path):
    """All of it goes to the disk once more, byte for byte."""
    steps = []
    with mounted(PowerLossDisk(steps.append)) as disk:
        connection = apsw.Connection(str(tmp_path / "some.db"))
        connection.pragma("journal_mode", "wal")
        connection.execute("CREATE TABLE t (a)")
        for _ in range(20):
            connection.execute("INSERT INTO t VALUES (zeroblob(20000))")
        log = tmp_path / "some.db-wal"
        before = log.read_bytes()
        disk.contents[str(log)].settled[:] = b""  # as if no sync had ever reached the disk
        steps.clear()
        rewrite_wal(connection)
        settled = bytes(disk.contents[str(log)].settled)
        connection.close()

    assert len(before) > 1 << 18
    assert set(steps[: steps.index("sync")]) == {"write"}
    assert log.exists() is False
    assert settled == before


def test_a_database_without_a_log(database, tmp_path):
    """Where nothing was written since the last clean end there is nothing to do."""
    rewrite_wal(database)

    assert not (tmp_path / "some.db-wal").exists() or (tmp_path / "some.db-wal").stat().st_size == 0
