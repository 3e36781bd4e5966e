"""What a file on this machine can be, an object in a store can be, with the same numbers and the same words."""

import os
import shutil

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest
from tests.object_store import SECRET, FaultyProxy
from tests.provider.collecting import histories
from tests.provider.delivering import Depot, names, same, write_file

from hushwatt.errors import ReportError, StorageError
from hushwatt.evaluate.simulate import simulate
from hushwatt.fleet.dataframes import estimate
from hushwatt.fleet.randomise import randomise_file
from hushwatt.provider.estimate.export import export
from hushwatt.provider.intake.archive import archive
from hushwatt.provider.tally.engines import tally_reports
from hushwatt.wire.storage import atomic_write_to, location

HOMES, SLOTS = 40, 3


def put(path, bucket, name):
    """Copy a file of this machine into a bucket."""
    place = location(bucket) / name
    with atomic_write_to(place) as temporary:
        shutil.copyfile(path, temporary)
    return place


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_readings_to_reports(plan_of, tmp_path, any_bucket, kind):
    """Readings in a folder of a store, randomised with a seed into a store: the same table as on disk."""
    plan = plan_of(3, 4)
    table, here = simulate("uniform", plan, homes=HOMES, slots=SLOTS, seed=1), tmp_path / f"readings.{kind}"
    (pa.csv.write_csv if kind == "csv" else pq.write_table)(table, here)
    put(here, any_bucket, f"readings/2024/a.{kind}")

    randomise_file(plan, here, tmp_path / "reports.parquet", seed=2)
    randomise_file(plan, f"{any_bucket}/readings", f"{any_bucket}/reports.parquet", seed=2)

    with (location(any_bucket) / "reports.parquet").open("rb") as file:
        assert pq.read_table(file).equals(pq.read_table(tmp_path / "reports.parquet"), check_metadata=True)
    there, local = estimate(plan, f"{any_bucket}/reports.parquet"), estimate(plan, tmp_path / "reports.parquet")
    assert there.json == local.json
    export(there.estimates, f"{any_bucket}/estimates.json")
    assert (location(any_bucket) / "estimates.json").is_file()


def test_into_the_store_and_out(plan_of, tmp_path, any_bucket):
    """Objects are taken in once whatever they are called, and an archive in a store is as good as on disk."""
    plan = plan_of(3, 4, 2)
    path = write_file(tmp_path / "a.parquet", plan, list(histories(plan, HOMES, SLOTS)), names(HOMES))
    put(path, any_bucket, "in/a.parquet")
    put(path, any_bucket, "in/again.parquet")
    depot = Depot(str(tmp_path / "store.sqlite"), plan)
    first = depot.take(f"{any_bucket}/in")
    second = depot.take(path)
    depot.publish()
    done = archive(depot.database, depot.collection, f"{any_bucket}/archive")
    again = archive(depot.database, depot.collection, f"{any_bucket}/archive")

    assert (first.accepted, first.known) == (HOMES * SLOTS, HOMES * SLOTS)
    assert (second.accepted, second.known) == (0, HOMES * SLOTS)
    assert (done.written, again.kept) == (list(range(SLOTS)), list(range(SLOTS)))
    assert same(tally_reports(plan, f"{any_bucket}/archive").groups, depot.tallies())
    depot.close()


def test_foreign_objects_are_bounded(plan_of, tmp_path, bucket):
    """A file that unpacks to too much, or is cut, is refused in a store by the words it is refused by on disk."""
    plan, batch = plan_of(3, 4), {"household": pa.array(["a" * 3_000_000] * 20), "slot": pa.array([0] * 20, pa.int32())}
    large = tmp_path / "large.parquet"
    schema = {"hushwatt.plan": plan.id, "hushwatt.homes": "1"}
    numbers = {name: pa.array([0] * 20, pa.int64()) for name in ("round", "spent", "drawn")}
    table = pa.table(batch | numbers | {"payload": pa.array([b""] * 20)}, metadata=schema)
    pq.write_table(table, large, use_dictionary=False, data_page_size=1 << 27)
    cut = tmp_path / "cut.parquet"
    cut.write_bytes(large.read_bytes()[:-100])

    for path in (large, cut):
        with pytest.raises(ReportError) as here:
            tally_reports(plan, path)
        with pytest.raises(ReportError) as there:
            tally_reports(plan, str(put(path, bucket, path.name)))
        assert str(there.value).replace(bucket, str(tmp_path)) == str(here.value)


@pytest.mark.parametrize("kind", ["503", "cut"])
def test_faults_change_no_number(plan_of, tmp_path, bucket, s3, monkeypatch, kind):
    """When every third answer fails, the numbers are the same; when all fail, nothing is said but why."""
    plan = plan_of(3, 4)
    path = write_file(tmp_path / "a.parquet", plan, list(histories(plan, HOMES, SLOTS)), names(HOMES))
    address, count = str(put(path, bucket, "a.parquet")), iter(range(10_000))
    monkeypatch.setattr("hushwatt.wire.storage.object_file.PAUSE_SECONDS", 0)
    monkeypatch.setattr("hushwatt.wire.storage.filesystems.ATTEMPTS", 2)

    def sometimes(method, where):
        return kind if method == "GET" and next(count) % 3 == 1 else None

    with FaultyProxy(int(s3.rpartition(":")[2]), sometimes) as proxy:
        monkeypatch.setenv("AWS_ENDPOINT_URL", proxy.endpoint)
        tallied = tally_reports(plan, address)
        proxy.fault = lambda method, where: kind if method == "GET" else None
        with pytest.raises(StorageError) as refused:
            tally_reports(plan, address)

    assert same(tallied.groups, tally_reports(plan, path).groups)
    assert str(refused.value).startswith(f"{address}: the store ")


def test_the_command_says_it_in_a_line(plan_of, tmp_path, bucket, s3, hushwatt):
    """A store that is busy, forbids it or is not there: one line, exit status 2, no key, and nothing written."""
    hushwatt("plan", "new", "--preset", "advised", "-o", "plan.toml")
    readings = f"{bucket}/r.parquet"
    made = hushwatt("simulate", "ideal", "-o", readings, "--homes", 20, "--slots", 1, "--plan", "plan.toml")
    with FaultyProxy(int(s3.rpartition(":")[2]), lambda method, path: "403") as proxy:
        run = hushwatt("randomise", "plan.toml", readings, "-o", f"{bucket}/x.parquet", AWS_ENDPOINT_URL=proxy.endpoint)

    assert made.returncode == 0
    assert run.returncode == 2
    assert run.stderr.count("\n") == 1
    assert "access is denied" in run.stderr
    assert SECRET not in run.stderr
    assert os.environ["AWS_ACCESS_KEY_ID"] not in run.stderr
    assert [file.name for file in location(bucket).rglob("*")] == ["r.parquet"]
