"""The disk between SQLite and the real one loses what was not synced, and nothing else."""

import random

import apsw
import pytest

from hushwatt.audit.harness.power_loss_disk import FATES, PowerLossDisk, all_lost, in_order, mounted, torn


def rows(folder):
    connection = apsw.Connection(str(folder / "some.db"))
    found = [row for (row,) in connection.execute("SELECT a FROM t")]
    connection.close()
    return found


def lost(folder, synchronous, commits=5):
    """What is left of so many commits when the power goes after them and all that can be lost is."""
    (folder / "before").mkdir()
    with mounted(PowerLossDisk()) as disk:
        connection = apsw.Connection(str(folder / "before" / "some.db"))
        connection.pragma("journal_mode", "wal")
        connection.pragma("synchronous", synchronous)
        connection.execute("CREATE TABLE t (a)")
        connection.wal_checkpoint()
        for each in range(commits):
            connection.execute("INSERT INTO t VALUES (?)", (each,))
        disk.lose_power()
        connection.close()
    for content in disk.contents.values():
        content.waiting = all_lost(content.waiting, random.Random(1))
    disk.leave(folder, random.Random(1))
    return rows(folder)


def test_commits_that_were_synced_are_there(tmp_path):
    """FULL waits for the disk at every commit."""

    assert lost(tmp_path, "full") == [0, 1, 2, 3, 4]


def test_commits_that_were_not_are_not(tmp_path):
    """NORMAL waits only when the log is emptied."""

    assert lost(tmp_path, "normal") == []


def test_a_power_loss_can_be_seen_again(tmp_path):
    """The same chances give the same files, whatever their fate."""
    with mounted(PowerLossDisk()) as disk:
        connection = apsw.Connection(str(tmp_path / "some.db"))
        connection.pragma("journal_mode", "wal")
        connection.pragma("synchronous", "off")
        connection.execute("CREATE TABLE t (a)")
        disk.lose_power()
        connection.close()
    left = []
    for attempt in range(2):
        (tmp_path / str(attempt)).mkdir()
        disk.leave(tmp_path / str(attempt), random.Random(7))
        left.append({file.name: file.read_bytes() for file in (tmp_path / str(attempt)).iterdir()})

    assert left[0] == left[1]


def test_a_new_name_is_safe_once_its_folder_is_synced(tmp_path):
    """A file that no journal's sync has made safe may be gone altogether."""
    with mounted(PowerLossDisk()) as disk:
        connection = apsw.Connection(str(tmp_path / "some.db"))
        connection.execute("PRAGMA synchronous = OFF; CREATE TABLE t (a)")
        names = [(content.named, content.there) for content in disk.contents.values()]
        connection.execute("PRAGMA synchronous = FULL; INSERT INTO t VALUES (1)")
        safe = [content.named for path, content in disk.contents.items() if path.endswith(".db")]
        disk.lose_power()
        connection.close()

    assert names[0] == (False, True)
    assert safe == [True]


@pytest.mark.parametrize("fate", FATES)
def test_fates_only_forget(fate):
    """No fate brings anything that was not written."""
    waiting = [(0, b"a" * 1500), (700, None), (512, b"b")]
    kept = fate(list(waiting), random.Random(3))

    for offset, data in kept:
        assert any(
            (offset, data) == each
            or (data and each[1] and each[1][offset - each[0] : offset - each[0] + len(data)] == data)
            for each in waiting
        )


def test_writes_tear_where_sectors_end():
    """A write over three sectors can be there in any of eight ways."""
    seen = {tuple(torn([(100, bytes(1200))], random.Random(seed))) for seed in range(200)}

    assert len(seen) == 8
    assert {offset for kept in seen for offset, _ in kept} == {100, 512, 1024}


def test_in_order_is_a_beginning():
    """What is kept in order is kept from the start."""
    waiting = [(each, b"x") for each in range(5)]

    assert all(
        in_order(waiting, random.Random(seed)) == waiting[: len(in_order(waiting, random.Random(seed)))]
        for seed in range(20)
    )
