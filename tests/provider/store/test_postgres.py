"""What only PostgreSQL has: partitions by slot, and its own form for many values."""

import struct
from concurrent.futures import ThreadPoolExecutor, wait

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.provider.collecting import STORES

from hushwatt.errors import StateError, UsageError
from hushwatt.provider.store import open_store, postgres
from hushwatt.provider.store.plans import add_plan
from hushwatt.provider.store.postgres_bytes import BigintArray, BigintArrayDumper, copy_bytes
from hushwatt.provider.store.reports.stored import add_reports, find_reports, reports_of
from hushwatt.provider.store.session import ReportRows

only_postgres = pytest.mark.parametrize("store_address", ["postgres"], indirect=True)
both_stores = pytest.mark.parametrize("store_address", STORES, indirect=True)
PAYLOADS = np.arange(8, dtype=np.uint8).reshape(4, 2)


def rows_of(homes, spent=5, drawn=5, as_of=0):
    """Reports of some homes that all cost the same."""
    one = np.ones(len(homes), dtype=np.int64)
    return ReportRows(homes, spent * one, drawn * one, as_of * one, PAYLOADS)


def partitions(session):
    rows = session.all("SELECT inhrelid::regclass::text FROM pg_inherits WHERE inhparent = 'reports'::regclass")
    return sorted(name for (name,) in rows)


@pytest.fixture
def database(store_address):
    opened = open_store(store_address)
    yield opened
    opened.close()


@only_postgres
def test_reports_are_partitioned_by_slot(database):
    """A table for every 64 slots of a plan, which can be dropped on its own; wider ones of old go on."""
    with database.writing() as session:
        session.run("CREATE TABLE reports_1_1024 PARTITION OF reports FOR VALUES FROM (1, 1024) TO (1, 2048)")
        for slot in (0, 63, 64, 1500, 2048):
            add_reports(session, 1, slot, rows_of(np.arange(4), as_of=slot))
        made = partitions(session)
    with database.writing() as session:
        session.run("DROP TABLE reports_1_0_to_63")
        left = session.all("SELECT DISTINCT slot FROM reports ORDER BY slot")

    assert made == ["reports_1_0_to_63", "reports_1_1024", "reports_1_2048_to_2111", "reports_1_64_to_127"]
    assert left == [(64,), (1500,), (2048,)]


@only_postgres
def test_tables_that_others_read_stay_for_now(database, plan_of, monkeypatch):
    """Nobody fails for it and nobody waits for long: they go the next time."""
    monkeypatch.setattr(postgres, "DROP_MILLISECONDS", 50)
    with database.writing() as session:
        session.run("UPDATE plans SET published = 63 WHERE plan = ?", add_plan(session, plan_of(2)))
        session.make_partition("reports", 1, 0)
    with database.reading() as session:
        session.all("SELECT count(*) FROM reports")
        held = database.drop_empty_partitions(1)

    assert (held, database.drop_empty_partitions(1)) == (0, 1)


@only_postgres
def test_a_table_that_another_drops_needs_no_vacuum(database):
    """Several services pack side by side; one may have dropped what another is about to tidy."""
    with database.writing() as session:
        session.make_partition("reports", 1, 0)
    with ThreadPoolExecutor() as pool:
        with database.writing() as session:
            session.run("DROP TABLE reports_1_0_to_63")
            vacuumed = pool.submit(database.vacuum_slot, 1, 0)
            wait([vacuumed], timeout=0.5)
            waited = not vacuumed.done()
        vacuumed.result()

    assert waited


@only_postgres
def test_a_backup_is_for_the_server_to_make(database, tmp_path):
    """It has tools for that, which the refusal names; nothing is written."""
    with pytest.raises(UsageError, match="backed up by PostgreSQL's own pg_dump"):
        database.backup(tmp_path / "backup")
    assert not (tmp_path / "backup").exists()


@both_stores
@pytest.mark.parametrize("many", [1, 1000])
def test_what_goes_in_comes_out(database, many, monkeypatch):
    """Few rows and many are kept alike, and are found by home."""
    monkeypatch.setattr(postgres, "COPY_ROWS", many)
    homes, asked = np.array([2, 3, 5, 2**40]), np.array([1, 2, 5, 6, 2**40, 2**41])
    devices = np.arange(64, dtype=np.uint8).reshape(4, 16)
    with database.writing() as session:
        for row, home in enumerate(homes.tolist()):
            session.add_devices(1, 0, home, devices[row : row + 1], np.array([10 * row]))
        add_reports(session, 1, 7, rows_of(homes, spent=11, drawn=12, as_of=6))
        session.add_draws(1, 6, homes[:2])
        found = find_reports(session, 1, 7, asked)
        kept = reports_of(session, 1, 7, asked)
        draws = session.last_draws(1, 7, homes)
        none = find_reports(session, 1, 8, asked), session.last_draws(1, 5, homes[:0])

    assert found.tolist() == [False, True, True, False, True, False]
    assert [each[:4] for each in kept] == [(2, 11, 12, 6), (5, 11, 12, 6), (2**40, 11, 12, 6)]
    assert [each.cell for each in kept] == [0, 20, 30]
    assert [bytes(each.payload) for each in kept] == [PAYLOADS[row].tobytes() for row in (0, 2, 3)]
    assert draws.tolist() == [6, 6, -1, -1]
    assert (none[0].any(), len(none[1])) == (False, 0)


@both_stores
def test_the_same_device_twice_is_refused(database):
    """A device that another plan has is no new one: nothing of the transaction is kept."""
    devices = np.arange(32, dtype=np.uint8).reshape(2, 16)
    with database.writing() as session:
        session.add_devices(1, 0, 0, devices, np.array([0, 7]))

    with pytest.raises(StateError, match="nothing of this was kept"), database.writing() as session:
        session.add_devices(2, 0, 0, devices[1:], np.array([0]))

    with database.reading() as session:
        assert session.all("SELECT count(*) FROM devices") == [(2,)]


@given(st.lists(st.integers(-(2**63), 2**63 - 1), max_size=20))
def test_numbers_are_written_as_the_driver_writes_them(numbers):
    """The same bytes as the driver makes of a list of numbers, one by one."""

    dumped = BigintArrayDumper(BigintArray).dump(BigintArray(np.array(numbers, dtype=np.int64)))
    head = struct.pack(">iiiii", 1, 0, 20, len(numbers), 1) if numbers else struct.pack(">iii", 0, 0, 20)

    assert dumped == head + b"".join(struct.pack(">iq", 8, number) for number in numbers)


def test_rows_are_copied_field_by_field():
    """A count of fields, then each field's length and value."""

    rows = copy_bytes(2, {"plan": 7, "payload": PAYLOADS[:2]})

    expected = b"".join(struct.pack(">hiqi", 2, 8, 7, 2) + PAYLOADS[row].tobytes() for row in range(2))
    assert rows == b"PGCOPY\n\xff\r\n\0" + bytes(8) + expected + b"\xff\xff"
