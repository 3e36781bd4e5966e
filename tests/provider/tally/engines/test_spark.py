"""Spark gives the answers of this machine's engine: on a real cluster, with a worker lost, and for bad files.

One test holds one cluster, so that tests that run beside each other do not start two.
"""

import gc
import os
import signal
import subprocess
import sys
import warnings
from collections import Counter

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.object_store import environment
from tests.provider.reported import damaged_files, part, plainly, reported, saved, twice
from tests.provider.spark_cluster import Watch, cluster, free_port, needed, until
from tests.provider.tally.test_file_plausible import those_of, with_amounts

from hushwatt.cli.estimate import keep_refused
from hushwatt.errors import HushwattError
from hushwatt.provider.tally.engines import engine, spark_pieces, spark_rows
from hushwatt.provider.tally.engines.arrow_refused import rows_of_suspects
from hushwatt.provider.tally.engines.pieces import suspects_in_piece
from hushwatt.provider.tally.engines.spark import tally_with
from hushwatt.provider.tally.engines.spark_session import spark_session
from hushwatt.provider.tally.label_table import LabelTable
from hushwatt.wire.reports.schema import ReportBatch
from hushwatt.wire.storage import atomic_write_to, location

HUSHWATT = [sys.executable, "-c", "from hushwatt.cli.main import run; run()"]
EMBEDDED = engine("embedded")
TARIFFS = LabelTable.of(
    pa.table({"household": [f"home {home:02}" for home in range(12)], "tariff": ["A", "B", "B"] * 4})
)
FILES, PARTS = 12, 101  # files, and buckets in which homes are brought together
SMALL = {
    "spark.executor.memory": "512m",
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.shuffle.partitions": "3",
}
KINDS = [("lbu", None, 8, "oue"), ("lpu", None, 3, "grr")]
DECIDING = ("lba", "household", 8)


@pytest.fixture(scope="module", autouse=True)
def java_goes_too():
    """The Java that serves these tests ends with them, and leaves no socket open."""
    yield
    spark = sys.modules.get("pyspark")
    gateway = spark.SparkContext._gateway if spark else None
    if gateway is not None:
        spark.SparkContext._gateway = spark.SparkContext._jvm = None
        with warnings.catch_warnings(action="ignore"):
            gateway.shutdown()
            gateway.proc.stdin.close()
            gateway.proc.wait(timeout=600)
            del gateway
            gc.collect()


@pytest.fixture(autouse=True)
def hasty(monkeypatch):
    """Java that starts sooner, as nothing here runs long enough to be worth more."""
    monkeypatch.setenv("JAVA_TOOL_OPTIONS", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC")


def spread(plan, batch, folder, files=FILES):
    """The reports of a batch twice, the second time with other bytes, over a folder of files."""
    (folder / "second").mkdir(parents=True)
    both, count = twice(batch), len(batch)
    again = count + np.random.default_rng(5).permutation(count)
    for number, rows in enumerate(np.array_split(np.arange(count), files - 2)):
        saved(plan, folder / f"{number:02} of many.parquet", both, rows)
    saved(plan, folder / "second" / "a.parquet", both, again[::2])
    saved(plan, folder / "second" / "b+c.parquet", both, again[1::2])
    return folder


def forged(batch):
    """The same reports, and those of the first homes once more, a slot too late."""
    first = part(batch, np.arange(8))
    columns = {name: getattr(first, name) for name in ("round", "spent", "drawn", "payloads")}
    late = ReportBatch(first.households, first.slot + 1, **columns)
    names = ("slot", "round", "spent", "drawn", "payloads")
    return ReportBatch(
        pa.concat_arrays([batch.households, late.households]),
        *(np.concatenate([getattr(batch, name), getattr(late, name)]) for name in names),
    )


def keeping(plan, file):
    """Keeps what is refused in a file."""
    return lambda homes, refused: keep_refused(file, plan, homes, refused)


def as_told(tallies):
    return plainly(tallies.groups), tallies.homes, tallies.repeats, tallies.refused


def test_a_real_cluster(plan_of, tmp_path, bucket, s3):
    """Two workers give the same tallies to the last digit, also from a store, and the same JSON when one is killed."""
    with cluster(tmp_path) as running:
        for method, decision, asked, oracle in KINDS:
            plan, batch = reported(plan_of, method, decision, asked, oracle=oracle)
            batch = forged(batch) if method == "lpu" else batch
            folder = spread(plan, batch, tmp_path / method)
            spark = engine("spark", master=running.address, settings=SMALL)
            found = spark.tallies(plan, str(folder), keep=keeping(plan, tmp_path / "there.csv"))
            EMBEDDED.tallies(plan, folder, keep=keeping(plan, tmp_path / "here.csv"))

            assert (tmp_path / "there.csv").read_bytes() == (tmp_path / "here.csv").read_bytes()
            assert as_told(found) == as_told(EMBEDDED.tallies(plan, folder))
            assert found.repeats == len(batch)
            assert bool(found.refused) == (method == "lpu")
        read_from_a_store(running, plan, folder, bucket, s3)
        plan, batch = reported(plan_of, *DECIDING)
        wrong = with_amounts(batch, those_of(batch, "home 03"), 1)
        lose_a_worker(running, plan, spread(plan, wrong, tmp_path / "lba"), tmp_path)


def read_from_a_store(running, plan, folder, bucket, s3):
    """The workers read s3:// themselves, with keys from their own environment."""
    for path in folder.rglob("*.parquet"):
        with atomic_write_to(location(bucket) / path.relative_to(folder)) as temporary:
            temporary.write_bytes(path.read_bytes())
    keys = {f"spark.executorEnv.{name}": value for name, value in environment(s3).items()}

    there, here = f"{bucket}-there.parquet", f"{bucket}-here.parquet"
    spark = engine("spark", master=running.address, settings=SMALL | keys)
    found = spark.tallies(plan, bucket, keep=keeping(plan, there))

    assert as_told(found) == as_told(EMBEDDED.tallies(plan, folder))
    EMBEDDED.tallies(plan, bucket, keep=keeping(plan, here))
    with location(there).open("rb") as one, location(here).open("rb") as other:
        assert one.read() == other.read()


def lose_a_worker(running, plan, folder, home):
    """Freeze a job that has done some of its work, kill a worker and its executor, let the rest go on."""
    (home / "plan.toml").write_text(plan.toml())
    command = [*HUSHWATT, "estimate", str(home / "plan.toml"), str(folder), "--json", "--rejected", "no.parquet"]
    places = [home / "on the cluster", home / "on this machine"]
    for place in places:
        place.mkdir()
    port = free_port()
    settings = {**SMALL, "spark.ui.enabled": "true", "spark.ui.port": str(port)}
    settings["spark.default.parallelism"] = str(PARTS)
    options = [word for pair in settings.items() for word in ("--spark-conf", "=".join(pair))]
    job = subprocess.Popen(
        [*command, "--engine", "spark", "--master", running.address, *options],
        cwd=places[0],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    watch = Watch(port)

    def half_way():
        return len(watch.busy()) == 2 and 2 <= (watch.underway(PARTS) or 0) <= PARTS - 10

    until(half_way, "the job was half-way", going=lambda: job.poll() is None)
    running.signal_workers(signal.SIGSTOP, 1, 2)
    done = watch.underway(PARTS)
    running.signal_workers(signal.SIGKILL, 1)
    running.signal_workers(signal.SIGCONT, 2)
    said, remarks = job.communicate(timeout=600)
    expected = subprocess.run(command, cwd=places[1], capture_output=True, text=True, timeout=600)

    assert done is not None
    assert done < PARTS
    assert job.returncode == 0, remarks
    assert said == expected.stdout
    assert remarks == expected.stderr
    assert "9 reports are refused" in remarks
    assert (places[0] / "no.parquet").read_bytes() == (places[1] / "no.parquet").read_bytes()
    assert len(running.alive()) < 2


def suspicious(plan, batch, folder):
    """A folder with reports of wrong amounts, out of turn, and again: some only where they are there again."""
    wrong = with_amounts(forged(batch), those_of(batch, "home 03"), 1)
    folder = spread(plan, wrong, folder)
    again = those_of(batch, "home 05")
    saved(plan, folder / "z.parquet", with_amounts(part(batch, again), np.arange(len(again)), 1))
    return folder


def dying(function, folder):
    """The same function, in a process that kills itself in the midst of it, once; the file tells that it did."""

    def dies(*words):
        found = list(function(*words))
        try:
            (folder / "died").touch(exist_ok=False)
        except FileExistsError:
            return found
        os.kill(os.getpid(), signal.SIGKILL)
        return None

    return dies


def test_turns_alone_meet(plan_of, tmp_path, monkeypatch):
    """While homes keep to their turns only these travel, also with repeats; one that does not brings all together."""
    needed()
    plan, batch = reported(plan_of, "lpu", None, 8)
    sound, mixed = spread(plan, batch, tmp_path / "sound"), spread(plan, forged(batch), tmp_path / "mixed")
    shipped, asked = spark_pieces._judged_in_order, []
    monkeypatch.setattr(spark_pieces, "_judged_in_order", lambda *words: asked.append(1) or shipped(*words))
    found = {}
    with spark_session("local[2]", SMALL) as spark:
        for folder in (sound, mixed):
            found[folder] = as_told(tally_with(spark, plan, str(folder))), len(asked)

    assert found[sound] == (as_told(EMBEDDED.tallies(plan, sound)), 0)
    assert found[mixed] == (as_told(EMBEDDED.tallies(plan, mixed)), 1)


@pytest.mark.parametrize("method", ["lbu", "lpu"])
def test_what_is_refused(plan_of, tmp_path, monkeypatch, method):
    """The file of refused reports has the bytes that this machine's engine writes, also when a worker dies."""
    needed()
    plan, batch = reported(plan_of, method, None, 8)
    folder = suspicious(plan, batch, tmp_path / "odd [1] {names}")
    here, there = tmp_path / "here.parquet", tmp_path / "there.parquet"

    expected = EMBEDDED.tallies(plan, folder, keep=keeping(plan, here))
    monkeypatch.setattr(spark_pieces, "suspects_in_piece", dying(suspects_in_piece, tmp_path))
    monkeypatch.setattr(spark_rows, "rows_of_suspects", dying(rows_of_suspects, tmp_path))
    with spark_session("local[2, 4]", SMALL) as spark:
        found = tally_with(spark, plan, str(folder), keep=keeping(plan, there))

        assert (tmp_path / "died").exists()
        assert as_told(found) == as_told(expected)
        assert there.read_bytes() == here.read_bytes()
        (tmp_path / "died").unlink()
        found = tally_with(spark, plan, f"file:{folder}", keep=keeping(plan, there))

        assert (tmp_path / "died").exists()
        assert as_told(found) == as_told(expected)

        def spoiling(homes, refused):
            (folder / "z.parquet").write_bytes(bytes((folder / "z.parquet").stat().st_size))
            keep_refused(tmp_path / "none.parquet", plan, homes, refused)

        with pytest.raises(HushwattError, match=r"z\.parquet: not a Parquet file"):
            tally_with(spark, plan, str(folder), keep=spoiling)
    table = pq.read_table(there)
    names = pa.array([name.removeprefix("file:") for name in table["file"].to_pylist()])

    assert table.set_column(6, table.schema.field(6), names).equals(pq.read_table(here), check_metadata=True)
    assert Counter(table["reason"].to_pylist()) == expected.refused
    assert set(expected.refused) == {"wrong_amount"} | ({"out_of_turn"} if method == "lpu" else set())
    assert not list(tmp_path.glob("*none*"))


def test_damaged_files_are_kept_by_their_names(plan_of, tmp_path):
    """They are left out and told as by this machine's engine, also where only Spark's own file systems reach."""
    needed()
    plan, batch = reported(plan_of, "lbu", None, 8)
    folder = spread(plan, batch, tmp_path / "all")
    for name, (path, _) in damaged_files(plan, batch, tmp_path).items():
        if path.is_file():
            path.rename(folder / f"{name}.parquet")
    here, there, rows = tmp_path / "here.csv", tmp_path / "there.csv", tmp_path / "rows.csv"

    expected = EMBEDDED.tallies(plan, folder, keep=keeping(plan, here))
    with spark_session("local[2]", SMALL) as spark:
        found = tally_with(spark, plan, str(folder), keep=keeping(plan, there))
        by_rows = tally_with(spark, plan, f"file:{folder}", keep=keeping(plan, rows))

    assert as_told(found) == as_told(by_rows) == as_told(expected)
    assert there.read_text() == here.read_text()
    assert rows.read_text().replace("file:", "") == here.read_text()
    assert len(here.read_text().splitlines()) >= 1 + 7


def test_bad_files(plan_of, tmp_path):
    """Both engines refuse with the same words, also a file that only Spark's own file systems reach."""
    needed()
    plan, batch = reported(plan_of, "lbu", None, 8)
    spark = engine("spark", master="local[1]", settings=SMALL)
    for name, (path, said) in damaged_files(plan, batch, tmp_path).items():
        with pytest.raises(HushwattError) as here:
            EMBEDDED.tallies(plan, path)
        with pytest.raises(HushwattError) as there:
            spark.tallies(plan, str(path))

        assert said in str(there.value), name
        assert str(there.value) == str(here.value), name
    good = spread(plan, batch, tmp_path / "odd [1] {names}")

    assert as_told(spark.tallies(plan, f"file:{good}", TARIFFS)) == as_told(EMBEDDED.tallies(plan, good, TARIFFS))
    for address, said in [
        (f"file:{tmp_path}/rotten.parquet", "row group 3 of 5: column payload is damaged"),
        (f"file:{tmp_path}/negative.parquet", f"file:{tmp_path}/negative.parquet, row 18: spent and drawn cannot be"),
        (f"file:{tmp_path}/empty", "no Parquet file in this folder"),
        (f"file:{tmp_path}/none", "there is no such file or folder"),
        ("s9://bucket/reports", 's9://bucket/reports: No FileSystem for scheme "s9"'),
    ]:
        with pytest.raises(HushwattError, match=said.replace("(", r"\(")):
            spark.tallies(plan, address)


def test_homes_that_decide(plan_of, tmp_path):
    """The reports of homes that decide for themselves add up to the same tallies, whoever reads the files."""
    needed()
    plan, batch = reported(plan_of, *DECIDING)
    folder = spread(plan, batch, tmp_path / "lba")
    spark = engine("spark", master="local[1]", settings=SMALL)
    for address in (folder, f"file:{folder}"):
        found = spark.tallies(plan, str(address), TARIFFS)

        assert as_told(found) == as_told(EMBEDDED.tallies(plan, folder, TARIFFS))
        assert {key.cell for key in found.groups} == {0, 1, 2}
        assert found.repeats == len(batch)
        assert not found.refused


def test_no_numpy(plan_of, tmp_path, monkeypatch, capfd):
    """Workers whose Python lacks what they need: what it is, which setting chooses the Python, and nothing else."""
    needed()
    plan, batch = reported(plan_of, "lbu", None, 8)
    bare = tmp_path / "bare"
    bare.write_text(f'#!/bin/sh\nunset PYTHONPATH\nexec {sys.executable} -S "$@"\n')
    bare.chmod(0o755)
    monkeypatch.setenv("PYSPARK_PYTHON", str(bare))
    with pytest.raises(HushwattError) as said:
        engine("spark", master="local[1]", settings=SMALL).tallies(
            plan, str(saved(plan, tmp_path / "r.parquet", batch))
        )

    assert str(said.value).startswith("the Python of Spark's workers has no ")
    assert "PYSPARK_PYTHON" in str(said.value)
    assert "\n" not in str(said.value)
    assert capfd.readouterr() == ("", "")


def test_other_types_in_other_files(plan_of, tmp_path):
    """Files whose columns have other widths are read beside each other."""
    needed()
    plan, batch = reported(plan_of, "lbu", None, 8)
    saved(plan, tmp_path / "a.parquet", part(batch, slice(0, 50)))
    saved(plan, tmp_path / "b.parquet", part(batch, slice(50, None)))
    table = pq.read_table(tmp_path / "b.parquet")
    place = table.schema.get_field_index("slot")
    pq.write_table(table.set_column(place, "slot", table["slot"].cast("int64")), tmp_path / "b.parquet")
    found = engine("spark", master="local[1]", settings=SMALL).tallies(plan, str(tmp_path))

    assert as_told(found) == as_told(EMBEDDED.tallies(plan, tmp_path))


class TestNoSpark:
    """What is missing is said in one line, before anything waits."""

    def refusal(self, plan_of, tmp_path, *words, **environment):
        plan, batch = reported(plan_of, "lbu", None, 8)
        (tmp_path / "plan.toml").write_text(plan.toml())
        saved(plan, tmp_path / "r.parquet", batch)
        command = [*HUSHWATT, "estimate", "plan.toml", "r.parquet", "--engine", "spark", *words]
        done = subprocess.run(
            command,
            cwd=tmp_path,
            env={**os.environ, **environment},
            capture_output=True,
            text=True,
            timeout=600,
        )

        assert done.returncode == 2
        assert done.stdout == ""
        assert done.stderr.count("\n") == 1
        return done.stderr

    def test_no_java(self, plan_of, tmp_path):
        """Without Java, which package brings it."""
        pytest.importorskip("pyspark")
        said = self.refusal(plan_of, tmp_path, PATH=str(tmp_path), JAVA_HOME="")

        assert said.startswith("hushwatt: Spark needs Java 17 or newer, and there is none: apt install")

    def test_no_pyspark(self, plan_of, tmp_path):
        """Without pyspark, which extra brings it."""
        (tmp_path / "pyspark.py").write_text("raise ModuleNotFoundError('gone', name='pyspark')")
        said = self.refusal(plan_of, tmp_path, PYTHONPATH=str(tmp_path))

        assert said == "hushwatt: this needs pyspark, which is not installed: pip install 'hushwatt[spark]'\n"

    def test_no_master(self, plan_of, tmp_path):
        """A master that does not answer is not waited for."""
        needed()
        address = f"spark://127.0.0.1:{free_port()}"
        said = self.refusal(plan_of, tmp_path, "--master", address)

        assert said == f"hushwatt: no Spark master answers at {address}\n"
