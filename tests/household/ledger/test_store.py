"""The ledger's file: durable, whole, and nobody else's to read."""

import stat

import apsw
import pytest

from hushwatt.errors import StateError
from hushwatt.household.ledger.store import Store


@pytest.fixture
def store(folder):
    with Store(folder / "ledger.sqlite") as opened:
        yield opened


def test_every_commit_waits_for_the_disk(store):
    """Write-ahead log, and a sync at every commit."""

    assert store.disk.pragma("journal_mode") == "wal"
    assert store.disk.pragma("synchronous") == 2


def test_only_its_owner_reads_it(store):
    """It holds keys, so no other user of the machine may open it."""

    assert stat.S_IMODE(store.path.stat().st_mode) == 0o600


def test_a_home_keeps_its_name(store):
    """The name is drawn once and found again."""
    with Store(store.path) as again:
        assert again.home == store.home
    assert len(store.home) == 32


def test_a_change_is_whole_or_not_at_all(store):
    """What fails half-way leaves nothing behind."""
    with pytest.raises(ZeroDivisionError), store.transaction() as disk:
        disk.execute("INSERT INTO home VALUES ('half', 1)")
        _ = 1 / 0

    assert store.read_value("half") is None


def test_bytes_of_a_slot_cannot_be_replaced(store):
    """A second report of the same slot is refused by the file itself."""
    row = "INSERT INTO reports (place, slot, spent, drawn, payload) VALUES (1, 7, 1, 1, x'00')"
    with store.transaction() as disk:
        disk.execute(row)

    with pytest.raises(StateError, match="cannot be written"), store.transaction() as disk:
        disk.execute(row)


def test_a_full_disk_is_one_line(store):
    """When the disk takes nothing more, the error says so and names the file."""
    store.disk.pragma("max_page_count", store.disk.pragma("page_count"))

    with (
        pytest.raises(StateError, match=r"ledger.sqlite: cannot be written \(full\)"),
        store.transaction() as disk,
    ):
        disk.execute("INSERT INTO home VALUES ('big', zeroblob(100000))")


def test_another_file_is_no_ledger(folder):
    """A file of something else is refused in one line."""
    (folder / "ledger.sqlite").write_text("not a ledger at all, but long enough to be looked at " * 20)

    with pytest.raises(StateError, match="cannot be opened as a ledger"):
        Store(folder / "ledger.sqlite")


def test_another_format_is_refused(store):
    """A ledger of a later hushwatt is not touched."""
    store.disk.pragma("user_version", 99)

    with pytest.raises(StateError, match="format 99"):
        Store(store.path)


def test_two_writers_take_turns(store):
    """A second connection waits for the first to end its change."""
    with Store(store.path) as other:
        other.disk.set_busy_timeout(1)
        with store.transaction(), pytest.raises(StateError, match="busy"), other.transaction():
            pass
        other.write_value("after", 1)

    assert store.read_value("after") == 1
    assert isinstance(store.disk, apsw.Connection)
