"""Files of reports in the store: the same answers as from the files, each report once."""

import json
import subprocess
import sys
import time
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest
from tests.provider.collecting import KEPT, STORES, histories, records
from tests.provider.delivering import Depot, names, same, write_file
from tests.provider.intake.test_collect import KINDS

from hushwatt.errors import ReportError, UsageError
from hushwatt.provider.estimate.document import document
from hushwatt.provider.estimate.estimate import estimate
from hushwatt.provider.intake import delivery, ingest
from hushwatt.provider.intake.device_names import device_of
from hushwatt.provider.store.session import StoreUnavailable
from hushwatt.provider.tally.engines import tally_reports
from hushwatt.wire.reports import report_file

HOMES, SLOTS, KILLS = 60, 7, 3
both_stores = pytest.mark.parametrize("store_address", STORES, indirect=True)


@pytest.fixture(autouse=True)
def small_steps(monkeypatch):
    """Transactions of a few rows, so that small files have many of them."""
    monkeypatch.setattr(delivery, "BATCH_ROWS", 50)
    monkeypatch.setattr(ingest, "PAUSE_SECONDS", 0)


@pytest.fixture
def depot(store_address):
    """Open a store for a plan; it is closed after the test."""
    opened = []

    def open_depot(plan, address=store_address, **more):
        opened.append(Depot(address, plan, **more))
        return opened[-1]

    yield open_depot
    for each in opened:
        each.close()


@pytest.fixture
def delivered(plan_of, tmp_path):
    """A plan, and a file of what homes sent under it."""

    def deliver(kind="lbu", homes=HOMES, slots=SLOTS, seed=1, told=None, name="reports.parquet"):
        plan = plan_of(3, 4, 2, **KINDS[kind])
        sent = list(histories(plan, homes, slots, seed))
        return plan, write_file(tmp_path / name, plan, sent, names(homes), told)

    return deliver


def answer(plan, path):
    """What `hushwatt estimate --json` says of a file."""
    return document(estimate(plan, tally_reports(plan, path)))


@both_stores
@pytest.mark.parametrize("kind", KINDS)
def test_the_answers_are_those_of_the_file(kind, depot, delivered):
    """The store answers as `estimate` does from the file, for every method, in both databases."""
    plan, path = delivered(kind)
    store = depot(plan)

    ingested = store.take(path)
    store.publish()

    assert ingested.accepted == pq.read_metadata(path).num_rows
    assert ingested.rows == ingested.accepted
    assert store.told() == answer(plan, path)


@both_stores
@pytest.mark.parametrize("kind", ["lpu", "lba"])
def test_again_is_nothing_new(kind, depot, delivered, tmp_path):
    """The same file is skipped, and the same reports in another file are repeated."""
    plan, path = delivered(kind)
    store = depot(plan)
    rows = store.take(path).accepted
    before = store.tallies()
    other = tmp_path / "other.parquet"
    pq.write_table(pq.read_table(path), other, row_group_size=33)

    again, copied = store.take(path), store.take(other)

    assert (again.known, again.rows) == (rows, 0)
    assert (copied.known, copied.repeated, copied.rows) == (0, rows, rows)
    assert same(store.tallies(), before)
    assert store.all("SELECT homes FROM plans") == [(HOMES,)]


@pytest.mark.parametrize("kind", ["lbu", "lbd", "lba"])
@pytest.mark.parametrize("order", ["by home", "shuffled"])
def test_any_order_will_do(kind, order, depot, delivered, tmp_path):
    """A file that is sorted by home, or not at all, gives the same tallies."""
    plan, path = delivered(kind)
    table, chance = pq.read_table(path), np.random.default_rng(2)
    rows = chance.permutation(len(table))
    if order == "by home":
        rows = np.lexsort((table["slot"].to_numpy(), table["household"].to_pylist()))
    pq.write_table(table.take(pa.array(rows)), tmp_path / "other.parquet")
    store = depot(plan)

    store.take(tmp_path / "other.parquet")

    assert same(store.tallies(), tally_reports(plan, path).groups)


@both_stores
def test_a_report_that_is_there_twice_counts_once(depot, delivered, tmp_path):
    """Within a file the first of several stands whatever the others say, in the store as in `estimate`."""
    plan, path = delivered("lba")
    table = pq.read_table(path)
    again = np.arange(0, len(table) - HOMES, 3)
    order = np.argsort(np.concatenate([np.arange(len(table)), again]), kind="stable")
    payloads = table["payload"].to_pylist()
    others = table.take(pa.array(again)).set_column(
        5, table.schema.field("payload"), [[payloads[row + HOMES] for row in again.tolist()]]
    )
    twice = pa.concat_tables([table, others]).take(pa.array(order))
    pq.write_table(twice, tmp_path / "twice.parquet")
    store = depot(plan)

    ingested = store.take(tmp_path / "twice.parquet")

    assert (ingested.accepted, ingested.repeated) == (len(table), len(again))
    assert same(store.tallies(), tally_reports(plan, path).groups)
    assert same(store.tallies(), tally_reports(plan, tmp_path / "twice.parquet").groups)


@pytest.mark.parametrize("kind", ["lbu", "lba"])
def test_files_that_contradict_each_other(kind, depot, delivered, tmp_path):
    """In a folder the first file by name stands, in the store as in `estimate`."""
    plan, _ = delivered(kind)
    delivered(kind, homes=HOMES + 30, seed=2, name="second.parquet")
    store = depot(plan)

    ingested = store.take(tmp_path)

    assert (ingested.accepted, ingested.repeated) == ((HOMES + 30) * SLOTS, HOMES * SLOTS)
    assert same(store.tallies(), tally_reports(plan, tmp_path).groups)


def test_homes_that_kept_silent_count(depot, delivered):
    """Homes that take part by the file's word count though their turn has not come; no home counts twice."""
    plan, path = delivered("lpu", slots=1, told=HOMES)
    _, more = delivered("lpu", slots=3, told=HOMES, name="more.parquet")
    store = depot(plan)

    first = store.take(path).homes
    homes = [store.all("SELECT homes FROM plans")]
    store.take(more)
    homes.append(store.all("SELECT homes FROM plans"))

    assert first < HOMES
    assert homes == [[(HOMES,)]] * 2
    store.publish()
    assert store.told() == answer(plan, more)


@both_stores
def test_homes_that_upload_and_homes_in_files(collecting, store_address, depot, delivered, plan_of, tmp_path):
    """A file may name homes that enrolled over HTTP: their reports count once, and so do they."""
    plan = plan_of(3, 4, 2, oracle="oue")
    talk = collecting(plan, days=1.5, grace="30d")
    key, name, devices = talk.gateway(20)
    sent = list(histories(plan, HOMES, 2))
    called = [f"device-{device.hex()}" for device in devices] + names(HOMES - 20)
    few = replace(
        sent[0],
        **{part: getattr(sent[0], part)[:20] for part in ("homes", "spent", "drawn", "payloads")},
    )
    uploaded = talk.send(key, name, records(devices, few)).json()
    write_file(tmp_path / "reports.parquet", plan, sent, called)

    ingested = depot(plan).take(tmp_path / "reports.parquet")
    talk.clock.forward(days=60)

    assert uploaded["accepted"] == ingested.repeated == 20
    assert ingested.homes == HOMES - 20
    assert talk.get("/estimates").json() == answer(plan, tmp_path / "reports.parquet")
    assert talk.service.read.state(plan).homes == HOMES


@both_stores
def test_published_slots_never_change(depot, delivered):
    """Reports of a slot that was published are counted as late and refused; later slots take theirs."""
    plan, path = delivered("lbu", slots=2)
    _, more = delivered("lbu", homes=HOMES + 9, slots=4, name="more.parquet")
    _, other = delivered("lbu", homes=HOMES + 9, slots=2, name="other.parquet")
    store = depot(plan)
    store.take(path)
    store.publish(until=1)
    before = store.told()["slots"]

    ingested, later = store.take(more), store.take(other)
    store.publish()

    assert (later.repeated, later.late, later.accepted) == (2 * HOMES, 2 * 9, 0)
    assert (ingested.repeated, ingested.late) == (2 * HOMES, 2 * 9)
    assert (ingested.accepted, ingested.homes) == (2 * (HOMES + 9), 9)
    assert [(slot["reports"], slot["appliances"]) for slot in store.told()["slots"][:2]] == [
        (slot["reports"], slot["appliances"]) for slot in before
    ]
    assert store.all("SELECT slot, late FROM slots WHERE late > 0 ORDER BY slot") == [(0, 18), (1, 18)]


def test_implausible_reports_are_refused_one_by_one(depot, delivered, tmp_path):
    """Amounts, payloads and rounds that no home sends are counted by reason; the rest goes in."""
    plan, path = delivered("lbu", slots=1)
    table = pq.read_table(path).to_pydict()
    table["spent"][0] += 1
    table["payload"][1] = b"\xff\xff"
    table["round"][2] = 1
    schema = pq.read_schema(path)
    pq.write_table(pa.table(table, schema=schema), tmp_path / "wrong.parquet")
    store = depot(plan)

    ingested = store.take(tmp_path / "wrong.parquet")

    assert ingested.rejected == {"wrong_amount": 1, "wrong_payload": 1, "wrong_round": 1}
    assert (ingested.accepted, ingested.homes) == (HOMES - 3, HOMES - 3)
    assert store.all(KEPT) == [(HOMES - 3,)]


@both_stores
def test_an_erased_home_stays_erased(depot, delivered, tmp_path):
    """Neither the same file nor another brings a home back; its rows are refused."""
    from hushwatt.provider.intake.erase import erase_device

    plan, path = delivered("lba")
    _, more = delivered("lba", slots=SLOTS + 1, name="more.parquet")
    store, device = depot(plan), device_of(plan, names(8)[7])
    store.take(path)
    ((home,),) = store.all("SELECT home FROM devices WHERE device = ?", device)
    with store.database.writing() as session:
        erased = erase_device(session, store.collection, device, home, 0)

    again, ingested = store.take(path), store.take(more)

    assert erased == SLOTS
    assert again.rows == 0
    assert ingested.rejected == {"erased": SLOTS + 1}
    assert (ingested.accepted, ingested.homes) == (HOMES - 1, 0)
    assert store.all(KEPT) == [((HOMES - 1) * (SLOTS + 1),)]
    assert store.all("SELECT homes, filed FROM plans") == [(HOMES, HOMES - 1)]  # the file tells of all


def test_a_home_erased_while_files_go_in(depot, delivered):
    """A run that has seen a home does not write for it any more once it is erased beside."""
    from hushwatt.provider.intake.erase import erase_device

    plan, path = delivered("lbu")
    store, device = depot(plan), device_of(plan, names(8)[7])
    run = ingest.Ingest(store.database, store.collection, store.schedule, store.clock)
    rows = []

    def erase_once(more):
        rows.append(more)
        if len(rows) == 4:
            ((home,),) = store.all("SELECT home FROM devices WHERE device = ?", device)
            with store.database.writing() as session:
                erase_device(session, store.collection, device, home, 0)

    run.take(delivery.open_deliveries(plan, [path]), erase_once)

    assert store.all("SELECT count(*) FROM devices WHERE device = ?", device) == [(0,)]
    assert store.all("SELECT count(*) FROM reports r LEFT JOIN devices USING (plan, home) WHERE device IS NULL") == [
        (0,)
    ]


@both_stores
@pytest.mark.parametrize("step", ["collect", "set_rows_taken"])
def test_a_run_that_stops_anywhere_goes_on(step, depot, delivered, monkeypatch):
    """After a failure before or after the rows of any transaction the next run takes what is left, once."""
    monkeypatch.setattr(report_file, "MIN_GROUP_ROWS", 100)
    plan, path = delivered("lbd")
    rows, store = pq.read_metadata(path).num_rows, depot(plan)
    taken, whole = [], getattr(ingest, step)
    for stop in range(1, 5):
        calls = []

        def fail(*words, calls=calls, stop=stop):
            calls.append(whole(*words))
            if len(calls) == stop:
                raise StoreUnavailable("the power is gone")
            return calls[-1]

        monkeypatch.setattr(ingest, step, fail)
        with pytest.raises(StoreUnavailable):
            store.take(path)
        taken.append(store.all("SELECT coalesce(sum(taken), 0) FROM deliveries")[0][0])
        assert store.all(KEPT) == [(taken[-1],)]
    monkeypatch.setattr(ingest, step, whole)
    last = store.take(path)

    assert taken == [0, 50, 150, 300]
    assert (last.known, last.accepted, last.repeated) == (300, rows - 300, 0)
    assert same(store.tallies(), tally_reports(plan, path).groups)


@both_stores
def test_killed_again_and_again(depot, delivered, store_address, tmp_path):
    """A real process, killed at random points: the rows in the store are those it has noted, each time."""
    plan, path = delivered("lba", homes=400, slots=10)
    rows, chance, store = pq.read_metadata(path).num_rows, np.random.default_rng(7), depot(plan)
    script = (
        "from hushwatt.provider.intake import delivery; delivery.BATCH_ROWS = 40; "
        "from hushwatt.cli.main import run; run(['provider', 'ingest', "
        f"{str(path)!r}, *{words(store_address)!r}])"
    )
    seen = []
    for target in np.sort(chance.integers(1, rows, KILLS)).tolist():
        process = subprocess.Popen([sys.executable, "-c", script], cwd=tmp_path, stdout=subprocess.DEVNULL)
        while process.poll() is None and noted(store) < target:
            time.sleep(0.002)
        time.sleep(0.01 * chance.random())
        process.kill()
        process.wait(30)
        seen.append(noted(store))
        assert store.all(KEPT) == [(seen[-1],)]
        assert sum(tally.rows for tally in store.tallies().values()) == seen[-1]
    last = store.take(path)

    assert len({*seen, 0, rows}) > 2  # in the middle, several times
    assert (last.known, last.accepted, last.repeated) == (seen[-1], rows - seen[-1], 0)
    assert same(store.tallies(), tally_reports(plan, path).groups)


def words(address):
    """How the command is told of a store."""
    if address.startswith("postgresql"):
        return ["--store", address]
    return ["--data", str(Path(address).parent)]


def noted(store):
    """Rows that are in the store by its own word."""
    return store.all("SELECT coalesce(sum(taken), 0) FROM deliveries")[0][0]


def test_two_runs_at_once_share_the_work(depot, delivered):
    """A second run at the same file skips what the first has taken in."""
    plan, path = delivered("lba")
    rows, store = pq.read_metadata(path).num_rows, depot(plan)
    first, second = (ingest.Ingest(store.database, store.collection, store.schedule, store.clock) for _ in "ab")
    others = []

    def other_run(more):
        if more and not others:
            others.append(second.take(delivery.open_deliveries(plan, [path])))

    ingested = first.take(delivery.open_deliveries(plan, [path]), other_run)

    assert ingested.accepted + others[0].accepted == rows
    assert ingested.repeated + others[0].repeated == 0
    assert ingested.known == others[0].accepted
    assert same(store.tallies(), tally_reports(plan, path).groups)


def damaged(path, place=0.5):
    """The same file with bytes of a page lost."""
    raw = bytearray(path.read_bytes())
    middle = int(place * len(raw))
    raw[middle : middle + 200] = bytes(200)
    path.write_bytes(raw)


def test_a_damaged_file_counts_whole_or_not_at_all(depot, delivered, tmp_path, monkeypatch):
    """Nothing before the damage counts, and neither does a home of it; the mended file brings all."""
    monkeypatch.setattr(report_file, "MIN_GROUP_ROWS", 500)
    plan, path = delivered("lbu", homes=400)
    whole = tmp_path / "whole.parquet"
    pq.write_table(pq.read_table(path), whole, row_group_size=500, compression="gzip", use_dictionary=False)
    broken = tmp_path / "broken.parquet"
    broken.write_bytes(whole.read_bytes())
    damaged(broken)
    store = depot(plan)

    with pytest.raises(ReportError, match=r"broken\.parquet, row group [345] of 6: column .* is damaged"):
        store.take(broken)
    ((kept,),) = store.all(KEPT)
    mended = store.take(whole)

    assert kept == 0
    assert (mended.repeated, mended.accepted) == (0, 400 * SLOTS)
    assert same(store.tallies(), tally_reports(plan, path).groups)


def test_files_of_other_plans_are_refused_before_anything_goes_in(depot, delivered, tmp_path):
    """One wrong file among several: a clear line, and none of them is taken in."""
    plan, _ = delivered("lbu")
    delivered("lsp", name="z-other.parquet")
    store = depot(plan)

    with pytest.raises(ReportError, match=r"z-other\.parquet: reports of the plan .*, not of "):
        store.take(tmp_path)

    assert store.all(KEPT) == [(0,)]


@pytest.mark.parametrize(
    "wrong, line",
    [
        ("half", "not a Parquet file, or not a complete one"),
        ("column", "column drawn: not there"),
        ("metadata", "does not say whose plan"),
    ],
)
def test_unfit_files_are_one_clear_line(wrong, line, depot, delivered):
    """A file still being written, one of an older form, one of unknown origin: nothing goes in."""
    plan, path = delivered("lbu")
    if wrong == "half":
        path.write_bytes(path.read_bytes()[:-100])
    elif wrong == "column":
        pq.write_table(pq.read_table(path).drop_columns("drawn"), path)
    else:
        pq.write_table(pq.read_table(path).replace_schema_metadata(None), path)
    store = depot(plan)

    with pytest.raises(ReportError, match=line):
        store.take(path)

    assert store.all(KEPT) == [(0,)]


def test_a_file_that_changes_meanwhile_is_noticed(depot, delivered):
    """Rows of a file that somebody rewrites are not taken for those of the old one."""
    plan, path = delivered("lbu")
    store = depot(plan)
    run = ingest.Ingest(store.database, store.collection, store.schedule, store.clock)
    before = path.read_bytes()

    with pytest.raises(ReportError, match="changed while it was read"):
        run.take(delivery.open_deliveries(plan, [path]), lambda rows: path.write_bytes(before) if rows else None)

    assert store.all(KEPT) == [(50,)]


def test_slots_to_come_wait(depot, delivered):
    """Reports of slots that have not begun stop the file; it goes on from there when they have."""
    plan, path = delivered("lbu")
    store = depot(plan, days=4.5)

    with pytest.raises(ReportError, match=r"row 301: its slot has not begun; it begins at 2024-01-06"):
        store.take(path)
    ((before,),) = store.all(KEPT)
    store.clock.forward(days=9)
    after = store.take(path)

    assert before == 300
    assert after.accepted == HOMES * SLOTS - before


def test_no_files_is_wrong_use(plan_of):
    """The command needs something to take in."""
    with pytest.raises(UsageError, match="no file"):
        delivery.open_deliveries(plan_of(2), [])


def test_a_service_beside_goes_on(collecting, depot, delivered, plan_of, tmp_path, store_address):
    """Uploads are answered while files go into the same store, and both count once."""
    import threading

    plan = plan_of(3, 4, 2, oracle="oue")
    talk = collecting(plan, days=SLOTS - 0.5, grace="30d")
    key, name, devices = talk.gateway(HOMES)
    sent = list(histories(plan, HOMES, SLOTS, seed=3))
    path = write_file(tmp_path / "reports.parquet", plan, list(histories(plan, 300, SLOTS)), names(300))
    store, found = depot(plan), []
    thread = threading.Thread(target=lambda: found.append(store.take(path)))
    thread.start()

    answers = [talk.send(key, name, records(devices, each)) for each in sent]
    thread.join()

    assert [answer.json()["accepted"] for answer in answers] == [HOMES] * SLOTS
    assert found[0].accepted == 300 * SLOTS
    assert {key.slot: tally.rows for key, tally in store.tallies().items()} == dict.fromkeys(range(SLOTS), 300 + HOMES)


def test_what_is_refused_is_kept(tmp_path, hushwatt, plan_of):
    """--rejected keeps refused and late rows with file, row and reason; mended, they are taken in like any file."""
    plan = plan_of(3, 4, 2)
    path = write_file(tmp_path / "a.parquet", plan, list(histories(plan, 30, 2)), names(30))
    table = pq.read_table(path)
    drawn = table["drawn"].to_numpy().copy()
    drawn[[3, 40]] += 1
    place = table.schema.get_field_index("drawn")
    pq.write_table(table.set_column(place, table.schema.field("drawn"), pa.array(drawn)), path)
    (tmp_path / "plan.toml").write_text(plan.toml())

    first = hushwatt("provider", "ingest", "a.parquet", "--plan", "plan.toml", "--rejected", "no.parquet")
    kept = pq.read_table(tmp_path / "no.parquet")
    again = hushwatt("provider", "ingest", "a.parquet", "--rejected", "no.parquet")
    mended = kept.set_column(place, kept.schema.field("drawn"), pa.array(kept["drawn"].to_numpy() - 1))
    pq.write_table(mended, tmp_path / "mended.parquet")
    back = hushwatt("provider", "ingest", "mended.parquet", "--homes", 30, "--json")

    assert first.returncode == 0
    assert "wrote 2 refused or late reports to no.parquet" in first.stderr
    assert kept.select(["file", "row", "reason"]).to_pylist() == [
        {"file": "a.parquet", "row": 4, "reason": "wrong_amount"},
        {"file": "a.parquet", "row": 41, "reason": "wrong_amount"},
    ]
    assert (again.returncode, again.stderr.count("\n")) == (2, 1)
    assert "no.parquet is there already" in again.stderr
    assert json.loads(back.stdout)["accepted"] == 2


def write_refused(path, plan, sent):
    """A file whose reports are all refused, for their amounts."""
    table = pq.read_table(write_file(path, plan, sent, names(30), 60))
    place = table.schema.get_field_index("drawn")
    numbers = pa.array(table["drawn"].to_numpy() + 1)
    pq.write_table(table.set_column(place, table.schema.field("drawn"), numbers), path)


def test_damaged_files_are_kept_by_their_names(tmp_path, hushwatt, plan_of):
    """With --rejected they are left out, and told; the others go in, also the one after them."""
    plan = plan_of(3, 4, 2)
    sent = list(histories(plan, 30, 2))
    write_refused(tmp_path / "a.parquet", plan, sent)
    content = bytearray(write_file(tmp_path / "b.parquet", plan, sent, names(30, 50), 60).read_bytes())
    content[4:60] = bytes(56)
    (tmp_path / "b.parquet").write_bytes(content)
    (tmp_path / "cut.parquet").write_bytes(content[:300])
    write_file(tmp_path / "d.parquet", plan, sent, names(30, 90), 60)
    (tmp_path / "plan.toml").write_text(plan.toml())
    files = ("a.parquet", "b.parquet", "cut.parquet", "d.parquet")
    without = hushwatt("provider", "ingest", *files, "--plan", "plan.toml")
    run = hushwatt("provider", "ingest", *files, "--plan", "plan.toml", "--rejected", "no.csv", "--json")
    told, kept = json.loads(run.stdout), pyarrow.csv.read_csv(tmp_path / "no.csv").to_pylist()

    assert (without.returncode, without.stderr.count("\n")) == (2, 1)
    assert "cut.parquet: not a Parquet file" in without.stderr
    assert run.returncode == 0, run.stderr
    assert (told["files"], told["accepted"], told["rejected"]) == (2, 60, {"wrong_amount": 60})
    assert set(told["refused_files"]) == {"b.parquet", "cut.parquet"}
    assert [(row["file"], row["row"]) for row in kept if not row["household"]] == [
        ("cut.parquet", None),
        ("b.parquet", None),
    ]
    assert "b.parquet is left out: row group 1 of 1: column household is damaged" in run.stderr
    assert "wrote 60 refused or late reports and 2 damaged files to no.csv" in run.stderr


def test_what_is_refused_is_kept_though_the_run_ends_early(tmp_path, hushwatt, plan_of):
    """A file of a slot to come ends the run; what was refused before it is kept all the same."""
    today = datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    plan = replace(plan_of(3, 4, 2), start=today, expires=today + timedelta(days=9))
    first, second = histories(plan, 30, 2)
    write_refused(tmp_path / "a.parquet", plan, [first])
    write_file(tmp_path / "b.parquet", plan, [second], names(30, 50), 60)
    (tmp_path / "plan.toml").write_text(plan.toml())
    run = hushwatt("provider", "ingest", "a.parquet", "b.parquet", "--plan", "plan.toml", "--rejected", "no.csv")

    assert run.returncode == 2
    assert "b.parquet, row 1: its slot has not begun" in run.stderr
    assert len((tmp_path / "no.csv").read_text().splitlines()) == 1 + 30
