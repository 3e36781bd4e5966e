"""Compaction: what is published lies in segments, by small steps, and no answer is another for it."""

import numpy as np
import pytest
from tests.provider.collecting import KEPT, STORES, histories, records
from tests.provider.delivering import Depot, names, write_file
from tests.provider.store.reports.kept_reports import report_rows_of, where_they_lie

from hushwatt.provider.store import open_store
from hushwatt.provider.store.plans import add_plan
from hushwatt.provider.store.reports import compaction, stored
from hushwatt.provider.store.reports.compaction import Compaction, compact
from hushwatt.provider.store.reports.segments import add_segments

PUBLISHED = "INSERT INTO slots (plan, slot, late, published_at, homes, scrubbed) VALUES (?, ?, 0, 0, 9, 0)"
SIZES = "SELECT sum(pg_total_relation_size(inhrelid)) FROM pg_inherits WHERE inhparent = ?::text::regclass"
TABLES = "SELECT relname::text FROM pg_class WHERE relispartition AND relkind = 'r' ORDER BY relname"
only_postgres = pytest.mark.parametrize("store_address", ["postgres"], indirect=True)
both_stores = pytest.mark.parametrize("store_address", STORES[1:], indirect=True)


@pytest.fixture
def database(store_address, plan_of):
    """A store with one plan."""
    opened = open_store(store_address)
    with opened.writing() as session:
        add_plan(session, plan_of(2))
    yield opened
    opened.close()


def fill(database, slots, homes):
    """Published slots whose reports lie in rows."""
    with database.writing() as session:
        for slot in range(slots):
            session.make_partition("reports", 1, slot)
            session.add_reports(1, slot, report_rows_of(homes))
            session.run(PUBLISHED, 1, slot)


def step(database, work):
    with database.writing() as session:
        return work.step(session)


def payloads_left(database):
    """How many reports have theirs: in rows, and in segments."""
    with database.reading() as session:
        ((rows,),) = session.all("SELECT count(*) FROM reports WHERE length(payload) > 0")
        ((packed,),) = session.all("SELECT coalesce(sum(reports), 0) FROM segments WHERE length(payloads) > 0")
    return rows, int(packed)


def look(database, statement):
    with database.reading() as session:
        return session.all(statement)


@both_stores
def test_it_goes_by_steps(database):
    """However large a slot is, a transaction packs only so many reports, and the next one goes on."""
    fill(database, 2, np.arange(10))
    work, steps = Compaction(1, scrub=False, reports=7), []
    while done := step(database, work):
        steps.append((sorted(done.slots), done.reports, look(database, "SELECT count(*) FROM reports")[0][0]))
    with database.reading() as session:
        kept = [where_they_lie(session, 1, slot) for slot in (0, 1)]

    assert steps == [([0], 7, 13), ([0, 1], 7, 6), ([1], 6, 0)]
    assert kept == [([], [[0, 1, 2, 3, 4, 5, 6], [7, 8, 9]]), ([], [[0, 1, 2, 3], [4, 5, 6, 7, 8, 9]])]
    assert payloads_left(database) == (0, 20)
    assert look(database, "SELECT sum(packed), sum(scrubbed) FROM slots") == [(2, 0)]


def test_it_stops_when_it_is_told_to(database, monkeypatch):
    """Between two transactions; what is left is packed the next time."""
    monkeypatch.setattr(compaction, "STEP_SLOTS", 1)
    fill(database, 3, np.arange(10))
    asked = iter([False, True])
    first = compact(database, 1, scrub=False, stopped=lambda: next(asked))
    rest = compact(database, 1, scrub=False)

    assert (first.slots, rest.slots) == ({0}, {1, 2})


@both_stores
def test_scrubbing_leaves_no_payload(database):
    """Rows are packed without theirs, segments that were there lose theirs, and every home stays known."""
    fill(database, 2, np.arange(0, 60, 2))
    with database.writing() as session:
        add_segments(session, 1, 1, report_rows_of(np.arange(1, 60, 2)))
    work, steps = Compaction(1, scrub=True, reports=25), 0
    while step(database, work):
        steps += 1

    assert steps > 3
    assert payloads_left(database) == (0, 0)
    assert look(database, KEPT) == [(90,)]
    assert look(database, "SELECT sum(packed), sum(scrubbed) FROM slots") == [(2, 2)]


@both_stores
def test_packed_first_and_scrubbed_later(database):
    """A provider who changes the setting has the payloads of packed slots emptied, too."""
    fill(database, 2, np.arange(30))
    compact(database, 1, scrub=False)
    before = payloads_left(database)
    again = compact(database, 1, scrub=True)

    assert before == (0, 60)
    assert again.slots == {0, 1}
    assert payloads_left(database) == (0, 0)
    assert look(database, KEPT) == [(60,)]


@both_stores
def test_open_slots_stay_as_they_are(database):
    """What still takes reports is not packed, whatever was published beside it."""
    fill(database, 1, np.arange(30))
    with database.writing() as session:
        session.make_partition("reports", 1, 5)
        session.add_reports(1, 5, report_rows_of(np.arange(30)))
    done = compact(database, 1, scrub=True)
    with database.reading() as session:
        rows, packed = where_they_lie(session, 1, 5)

    assert done.slots == {0}
    assert (len(rows), packed) == (30, [])


@both_stores
def test_deliveries_stay_known(database):
    """A segment is of one delivery, so that what a file brought can still be told."""
    fill(database, 1, np.arange(10))
    with database.writing() as session:
        session.add_reports(1, 0, report_rows_of(np.arange(10, 20)), delivery=7)
    compact(database, 1, scrub=False)
    brought = look(database, "SELECT delivery, sum(reports) FROM segments GROUP BY delivery ORDER BY delivery")

    assert brought == [(0, 10), (7, 10)]


@both_stores
@pytest.mark.parametrize("method", ["lbd", "lba"])
def test_only_the_last_published_draw_of_a_home_is_remembered(method, store_address, plan_of, tmp_path, monkeypatch):
    """Repeats of open slots refer to it; answers, and what comes later and again, are as without compaction."""
    monkeypatch.setattr(compaction, "STEP_HOMES", 7)
    plan = plan_of(3, 4, 2, method=method, oracle="oue")
    sent = list(histories(plan, 40, 9))
    first = write_file(tmp_path / "first.parquet", plan, sent[:6], names(40))
    rest = write_file(tmp_path / "rest.parquet", plan, sent[6:], names(40))

    def collected(address, compacts):
        store = Depot(address, plan)
        store.take(first)
        store.publish(3)
        forgotten = compact(store.database, store.number, scrub=True).draws if compacts else 0
        draws = store.all("SELECT home, slot FROM draws ORDER BY home, slot")
        taken = vars(store.take(rest, first))
        store.publish()
        told = store.told()
        store.close()
        return forgotten, draws, taken, told

    forgotten, draws, *compacted = collected(store_address, True)
    _, all_draws, *left = collected(str(tmp_path / "left.sqlite"), False)

    last = {home: slot for home, slot in all_draws if slot <= 3}
    assert draws == sorted([*last.items(), *(draw for draw in all_draws if draw[1] > 3)])
    assert forgotten == len(all_draws) - len(draws) > 0
    assert compacted == left


@both_stores
def test_a_service_packs_what_it_has_published(collecting, plan_of, monkeypatch):
    """By itself: what homes send again is still known, and answers stay."""
    monkeypatch.setattr(stored, "TOGETHER", 1_000)
    plan = plan_of(3, 4, 2, oracle="oue")
    talk = collecting(plan, days=0.5)
    key, name, devices = talk.gateway(60)
    (sent,) = histories(plan, 60, 1)
    talk.send(key, name, records(devices, sent))
    talk.clock.forward(days=2)
    before = talk.get("/estimates").json()
    rows = look(talk.service.database, "SELECT count(*) FROM reports")
    talk.client.portal.call(talk.service.tidy)
    again = talk.send(key, name, records(devices, sent)).json()

    assert rows == [(60,)]
    assert look(talk.service.database, "SELECT count(*) FROM reports") == [(0,)]
    assert look(talk.service.database, KEPT) == [(60,)]
    assert again["repeated"] == 60
    assert talk.get("/estimates").json() == before


@only_postgres
def test_a_service_drops_what_is_empty(collecting, plan_of):
    """Also when payloads are scrubbed as a slot is published, which packs small slots at once."""
    talk = collecting(plan_of(3, 4, 2, oracle="oue"), days=0.5, scrub=True)
    key, name, devices = talk.gateway(20)
    (sent,) = histories(talk.plan, 20, 1)
    talk.send(key, name, records(devices, sent))
    talk.clock.forward(days=70)
    talk.get("/estimates")
    talk.client.portal.call(talk.service.tidy)

    assert look(talk.service.database, KEPT) == [(20,)]
    assert look(talk.service.database, TABLES) == [("segments_1_0_to_63",)]


@only_postgres
def test_what_stayed_goes_the_next_time(database, monkeypatch):
    """A table that others read, or that a run left that was killed; even if nothing is to be packed any more."""
    fill(database, 1, np.arange(30))
    with database.writing() as session:
        session.run("UPDATE plans SET published = 63")
    with monkeypatch.context() as killed:
        killed.setattr(compaction, "give_back", lambda *_: None)
        compact(database, 1, scrub=False)
    left = look(database, TABLES)
    compact(database, 1, scrub=False)

    assert left == [("reports_1_0_to_63",), ("segments_1_0_to_63",)]
    assert look(database, TABLES) == [("segments_1_0_to_63",)]


@only_postgres
def test_the_disk_gets_its_space_back(database, monkeypatch):
    """The tables of rows go when all their slots are packed; what is left takes less than a fifth."""
    monkeypatch.undo()  # segments as large as ever
    fill(database, 64, np.arange(4_000))
    with database.writing() as session:
        session.run("UPDATE plans SET published = 63")

    def size(table):
        with database.reading() as session:
            return int(session.all(SIZES, table)[0][0] or 0)

    before = size("reports")
    compact(database, 1, scrub=False)

    assert size("reports") == 0
    assert 0 < size("segments") < 0.2 * before
