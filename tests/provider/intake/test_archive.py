"""Archives of published slots: complete files that every reader takes, and stores take back."""

import os

import polars as pl
import pyarrow.parquet as pq
import pytest
from tests.provider.collecting import KEPT, STORES, histories, records
from tests.provider.delivering import Depot, names, same, write_file
from tests.provider.intake.test_collect import KINDS

from hushwatt.errors import ReportError, UsageError
from hushwatt.provider.estimate.document import document
from hushwatt.provider.estimate.estimate import estimate
from hushwatt.provider.intake.archive import archive
from hushwatt.provider.intake.device_names import device_of
from hushwatt.provider.intake.erase import erase_device
from hushwatt.provider.intake.take_back import take_back
from hushwatt.provider.store.reports import by_device
from hushwatt.provider.store.reports.compaction import compact
from hushwatt.provider.store.reports.stored import count_reports, drop_reports, stored_slots
from hushwatt.provider.tally.engines import tally_reports

HOMES, SLOTS = 60, 5
both_stores = pytest.mark.parametrize("store_address", STORES, indirect=True)


@pytest.fixture
def depot(store_address, tmp_path):
    """Open stores for a plan: the first where the test says, any other in a file of its own."""
    opened = []

    def open_depot(plan):
        address = store_address if not opened else str(tmp_path / f"other-{len(opened)}.sqlite")
        opened.append(Depot(address, plan))
        return opened[-1]

    yield open_depot
    for each in opened:
        each.close()


@pytest.fixture
def filled(depot, plan_of, tmp_path, monkeypatch):
    """A store with all slots of a plan published."""
    monkeypatch.setattr(by_device, "HELD_REPORTS", 25)

    def fill(kind="lbu"):
        plan = plan_of(3, 4, 2, **KINDS[kind])
        path = tmp_path / "reports.parquet"
        write_file(path, plan, list(histories(plan, HOMES, SLOTS)), names(HOMES))
        store = depot(plan)
        store.take(path)
        store.publish()
        return store

    return fill


def erase(store, household):
    device = device_of(store.plan, household)
    ((home,),) = store.all("SELECT home FROM devices WHERE device = ?", device)
    with store.database.writing() as session:
        erase_device(session, store.collection, device, home, 0)
    return f"device-{device.hex()}"


def households(folder):
    return set(pq.read_table(folder)["household"].to_pylist())


@both_stores
@pytest.mark.parametrize("kind", KINDS)
def test_an_archive_gives_the_same_answers(kind, filled, depot, tmp_path):
    """`estimate` reads the folder as it is, and a new store that takes it in answers as the old one."""
    store = filled(kind)

    done = archive(store.database, store.collection, tmp_path / "archive")
    other = depot(store.plan)
    ingested = other.take(tmp_path / "archive")
    other.publish()

    assert done.written == list(range(SLOTS))
    assert sorted(path.name for path in (tmp_path / "archive").iterdir()) == [
        f"slot-{slot:06d}.parquet" for slot in range(SLOTS)
    ]
    told = document(estimate(store.plan, tally_reports(store.plan, tmp_path / "archive")))
    assert told == store.told() == other.told()
    assert ingested.rows == ingested.accepted


def test_other_readers_take_the_folder(filled, tmp_path):
    """pyarrow and polars read the whole folder, each slot in its column, sorted, and the plan beside it."""
    store = filled("lba")
    archive(store.database, store.collection, tmp_path / "archive")

    table = pq.read_table(tmp_path / "archive")
    frame = pl.read_parquet(tmp_path / "archive")

    assert table.num_rows == len(frame) == HOMES * SLOTS
    assert table.schema.metadata[b"hushwatt.plan"] == store.plan.id.encode()
    assert table.schema.metadata[b"hushwatt.homes"] == str(HOMES).encode()
    assert frame.equals(frame.sort("slot", "household"))
    assert frame["slot"].unique().sort().to_list() == list(range(SLOTS))


@both_stores
def test_a_store_knows_its_own_archive(filled, tmp_path):
    """Taken back into the store it came from, everything is repeated and no home is new."""
    store = filled("lbd")
    archive(store.database, store.collection, tmp_path / "archive")
    before = store.told()

    again = store.take(tmp_path / "archive")

    assert (again.repeated, again.rows, again.homes) == (HOMES * SLOTS, HOMES * SLOTS, 0)
    assert store.told() == before


def test_homes_that_uploaded_are_archived_too(collecting, plan_of, depot, store_address, tmp_path):
    """What came over HTTP is in the archive; a new store answers the same."""
    plan = plan_of(3, 4, 2, oracle="oue")
    talk = collecting(plan, days=0.5)
    key, name, devices = talk.gateway(HOMES)
    for each in histories(plan, HOMES, 2):
        talk.at_slot(each.slot)
        talk.send(key, name, records(devices, each))
    talk.clock.forward(days=9)
    told = talk.get("/estimates").json()
    store = depot(plan)

    archive(store.database, store.collection, tmp_path / "archive")
    other = depot(plan)
    other.take(tmp_path / "archive")
    other.publish()

    assert households(tmp_path / "archive") == {f"device-{device.hex()}" for device in devices}
    assert other.told() == told


def test_only_published_slots_are_archived(depot, plan_of, tmp_path):
    """Open slots are not written, nor published ones outside of what was asked for."""
    plan = plan_of(3, 4, 2, **KINDS["lbu"])
    store = depot(plan)
    store.take(write_file(tmp_path / "reports.parquet", plan, histories(plan, HOMES, SLOTS), names(HOMES)))
    store.publish(until=3)

    some = archive(store.database, store.collection, tmp_path / "archive", first=1, last=2)
    rest = archive(store.database, store.collection, tmp_path / "archive")

    assert some.written == [1, 2]
    assert (rest.kept, rest.written) == ([1, 2], [0, 3])


@both_stores
def test_a_run_that_was_killed_goes_on(filled, tmp_path, monkeypatch):
    """Nothing half-written is ever there under its name; the next run writes what is missing."""
    store, folder, calls = filled("lbu"), tmp_path / "archive", []

    class Killed(BaseException):
        pass

    def replaced(*words):
        calls.append(words)
        if len(calls) == 3:
            raise Killed
        return whole(*words)

    whole = os.fsync
    monkeypatch.setattr(os, "fsync", replaced)
    monkeypatch.setattr("pathlib.Path.unlink", lambda *words, **more: None)  # a killed process cleans nothing
    with pytest.raises(Killed):
        archive(store.database, store.collection, folder)
    monkeypatch.undo()
    there = sorted(path.name for path in folder.iterdir())
    done = archive(store.database, store.collection, folder)

    assert there[0].startswith(".")
    assert there[1:] == ["slot-000000.parquet"]
    assert (done.kept, done.written) == ([0], list(range(1, SLOTS)))
    assert all(path.name.startswith("slot-") for path in folder.iterdir())
    assert tally_reports(store.plan, folder).homes == HOMES


@both_stores
def test_an_erased_home_is_in_no_archive_written_later(filled, tmp_path):
    """New archives do not have it, and older ones lose it when they are written again."""
    store = filled("lbu")
    archive(store.database, store.collection, tmp_path / "older", last=2)
    gone = erase(store, names(8)[7])
    before = households(tmp_path / "older")

    archive(store.database, store.collection, tmp_path / "newer")
    archive(store.database, store.collection, tmp_path / "older")

    assert gone in before
    assert households(tmp_path / "newer") == households(tmp_path / "older") == before - {gone}
    assert pq.read_table(tmp_path / "older").num_rows == (HOMES - 1) * SLOTS


def test_scrubbed_slots_stay_in_the_archive_without_erased_homes(filled, tmp_path):
    """When the store has no payloads any more, what is archived stays, but for erased homes."""
    store = filled("lbu")
    archive(store.database, store.collection, tmp_path / "archive", last=2)
    compact(store.database, store.number, scrub=True)
    kept = archive(store.database, store.collection, tmp_path / "archive")
    rows = pq.read_table(tmp_path / "archive").num_rows

    for household in names(HOMES):
        erase(store, household)
    archive(store.database, store.collection, tmp_path / "archive")

    assert (kept.kept, kept.gone) == ([0, 1, 2], [3, 4])
    assert rows == 3 * HOMES
    assert list((tmp_path / "archive").iterdir()) == []


def test_dropped_reports_do_not_empty_an_archive(filled, tmp_path):
    """Reports that were dropped from the store to save room stay in the archive."""
    store = filled("lbu")
    archive(store.database, store.collection, tmp_path / "archive")
    with store.database.writing() as session:
        for slot in (0, 1):
            drop_reports(session, store.number, slot)

    done = archive(store.database, store.collection, tmp_path / "archive")

    assert done.kept == list(range(SLOTS))
    assert pq.read_table(tmp_path / "archive").num_rows == HOMES * SLOTS


@both_stores
def test_what_is_archived_is_dropped(filled, tmp_path):
    """The store keeps no report and PostgreSQL no table of it; answers, lateness and archive are as before."""
    store = filled("lpu")
    before, tallies = store.told(), store.tallies()

    done = archive(store.database, store.collection, tmp_path / "archive", drop=True)
    again = archive(store.database, store.collection, tmp_path / "archive", drop=True)
    repeated = store.take(tmp_path / "reports.parquet", tmp_path / "archive")
    tables = [] if store.database.is_local else store.all("SELECT inhrelid FROM pg_inherits")

    rows = pq.read_table(tmp_path / "archive").num_rows
    assert done.dropped == rows == sum(tally.rows for tally in tallies.values()) > HOMES
    assert (again.dropped, again.kept) == (0, done.written)
    assert (repeated.accepted, repeated.late) == (0, rows)
    assert store.all(KEPT) == [(0,)]
    assert len(tables) == 0
    assert same(store.tallies(), tallies)
    assert store.told() == before


@both_stores
def test_open_slots_and_other_files_are_not_dropped(filled, tmp_path):
    """A file that lacks a report keeps its slot in the store, and a slot that was scrubbed before stays known."""
    store = filled("lbu")
    archive(store.database, store.collection, tmp_path / "archive", first=0, last=1)
    table = pq.read_table(tmp_path / "archive" / "slot-000000.parquet")
    pq.write_table(table.slice(0, HOMES - 1), tmp_path / "archive" / "slot-000000.parquet")
    compact(store.database, store.number, scrub=True)

    done = archive(store.database, store.collection, tmp_path / "archive", drop=True)

    assert (done.dropped, done.gone) == (HOMES, [2, 3, 4])
    with store.database.reading() as session:
        left = {slot: count_reports(session, store.number, slot) for slot in stored_slots(session, store.number)}
    assert left == dict.fromkeys((0, 2, 3, 4), HOMES)


@both_stores
def test_an_erased_home_leaves_the_archive_of_dropped_slots(filled, tmp_path):
    """A home that goes after its reports were dropped is taken out of the files, as ever."""
    store = filled("lbu")
    archive(store.database, store.collection, tmp_path / "archive", drop=True)
    erase(store, names(1)[0])

    archive(store.database, store.collection, tmp_path / "archive", drop=True)

    assert pq.read_table(tmp_path / "archive").num_rows == (HOMES - 1) * SLOTS


def test_a_delivery_is_not_taken_back_half(filled, tmp_path, plan_of):
    """Where reports of published slots were dropped, nobody knows whose homes a delivery has named: one clear line."""
    store = filled("lbu")
    sent = list(histories(store.plan, HOMES, SLOTS + 1))[SLOTS:]
    store.take(write_file(tmp_path / "later.parquet", store.plan, sent, names(HOMES)))
    archive(store.database, store.collection, tmp_path / "archive", drop=True)

    with pytest.raises(UsageError, match="were dropped from the store"), store.database.writing() as session:
        take_back(session, store.collection, 2)


def test_a_folder_that_is_none_is_refused(filled, tmp_path):
    """A file in the place of the folder, or another plan's archive in it: a clear line."""
    store = filled("lbu")
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match="is a file, not a folder"):
        archive(store.database, store.collection, tmp_path / "file")
    archive(store.database, store.collection, tmp_path / "archive")
    table = pq.read_table(tmp_path / "archive" / "slot-000000.parquet")
    told = {**table.schema.metadata, b"hushwatt.plan": b"0" * 64}
    pq.write_table(table.replace_schema_metadata(told), tmp_path / "archive" / "slot-000000.parquet")

    with pytest.raises(ReportError, match="reports of the plan 000000000000…"):
        archive(store.database, store.collection, tmp_path / "archive")
