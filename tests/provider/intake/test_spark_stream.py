"""Spark finds what is new, and the store counts it once, also when everything is killed on the way."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pyspark
import pytest
from tests.provider.collecting import KEPT, histories
from tests.provider.delivering import Depot, names, same, write_file

from hushwatt.provider.tally.engines import tally_reports

HOMES, SLOTS = 120, 6
DOCS = Path(__file__).parents[3] / "docs" / "howto"
CONNECTOR = f"org.apache.spark:spark-sql-kafka-0-10_2.13:{pyspark.__version__}"
HASTY = {"JAVA_TOOL_OPTIONS": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"}
STREAM = """
from hushwatt.provider.intake import delivery, ingest
from hushwatt.cli.main import run
delivery.BATCH_ROWS, ingest.PAUSE_SECONDS = 15, {pause}
words = ["stream", "in", "--checkpoint", "checkpoint", "--data", ".", "--master", "local[1]"]
words += ["--spark-conf", "spark.sql.sources.binaryFile.maxLength=10"]  # Spark refuses to open a file that is larger
"""
FIRST = STREAM + "run(words)"
SECOND = (
    STREAM
    + """
import json
from pathlib import Path
from hushwatt.errors import UsageError
from hushwatt.plan.plan import Plan
from hushwatt.provider.clock import SystemUtcClock
from hushwatt.provider.intake.ingest import Ingest
from hushwatt.provider.intake.spark_stream import StreamIntake, kafka_messages, listed_files, run_stream
from hushwatt.provider.tally.engines.spark_session import spark_session
from hushwatt.cli.provider.import_export import open_collection
from hushwatt.cli.provider.store_options import StoreOptions
try:
    run([*words, "--once"])
except SystemExit as left:
    told = {{"status": left.code}}
database, collection, schedule = open_collection(StoreOptions(Path(".")).settings(), None)
taken, aside = [], []
with spark_session("local[1]", {{}}) as spark:
    ingest = Ingest(database, collection, schedule, SystemUtcClock())
    add = lambda name, result: taken.append([name, result.accepted, result.known])
    intake = StreamIntake(collection.plan, ingest, add, aside.append, lambda: False)
    values = [Path("in/0 +%.parquet").read_bytes(), Path("message").read_bytes(), b"no table", None]
    rows = [("meters", 0, offset, value) for offset, value in enumerate(values)]
    intake.take_messages(spark.createDataFrame(rows, "topic string, partition int, offset long, value binary"), 0)
    try:
        kafka_messages(spark, "127.0.0.1:9", "meters")
    except UsageError as refused:
        told["kafka"] = str(refused)
    for name, address, checkpoint in [("address", "s3a://b/x", "c"), ("checkpoint", "in", "s3a://b/c")]:
        try:
            run_stream(listed_files(spark, address), intake.take_files, checkpoint, lambda: False, True)
        except UsageError as refused:
            told[name] = str(refused)
print(json.dumps(told | {{"taken": taken, "aside": aside}}))
"""
)


def stored(store):
    return store.all(KEPT)[0][0]


def test_killed_on_the_way(plan_of, tmp_path):
    """Killed inside a file and started again, it ends with the numbers of the files; so do messages of Kafka's."""
    plan, folder = plan_of(3, 4, 2), tmp_path / "in"
    folder.mkdir()
    sent = list(histories(plan, HOMES, SLOTS))
    for slot, name in enumerate(["0 +%.parquet", "1.parquet", "2.pq", "deep/3.parquet"]):
        (folder / name).parent.mkdir(exist_ok=True)
        write_file(folder / name, plan, [sent[slot]], names(HOMES))
    write_file(folder / "_4.parquet", plan, [sent[4]], names(HOMES))
    write_file(tmp_path / "message", plan, [sent[5]], names(HOMES))
    (folder / "bad.parquet").write_bytes(b"no table")
    store = Depot(str(tmp_path / "store.sqlite"), plan)
    environment = os.environ | HASTY
    command = [sys.executable, "-c", FIRST.format(pause=0.1)]
    first = subprocess.Popen(
        command, cwd=tmp_path, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    until = time.monotonic() + 200
    while first.poll() is None and stored(store) <= HOMES and time.monotonic() < until:
        time.sleep(0.01)
    first.send_signal(signal.SIGKILL)
    first.wait(60)
    halfway = stored(store)
    command = [sys.executable, "-c", SECOND.format(pause=0)]
    second = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=400)
    lines = second.stdout.splitlines()
    told = json.loads(lines[-1])
    tallies = store.tallies()
    (folder / "_4.parquet").unlink()
    (folder / "bad.parquet").unlink()
    (tmp_path / "message").rename(folder / "5.parquet")

    assert HOMES < halfway < 4 * HOMES
    assert told["status"] == 0
    assert "bad.parquet: not a Parquet file, or not a complete one; set aside" in second.stderr
    assert len(lines) - 1 == 4
    assert told["taken"] == [["meters-0-0.parquet", 0, HOMES], ["meters-0-1.parquet", HOMES, 0]]
    assert [line.partition(": not a Parquet file")[0] for line in told["aside"]] == [
        "meters-0-2.parquet",
        "meters-0-3.parquet",
    ]
    assert told["kafka"] == f"Spark has no Kafka connector: give --spark-conf spark.jars.packages={CONNECTOR}"
    assert told["address"] == "s3a://b/x: Class org.apache.hadoop.fs.s3a.S3AFileSystem not found"
    assert told["checkpoint"].startswith("the checkpoint s3a://b/c: ")
    assert same(tallies, tally_reports(plan, folder).groups)
    store.close()


@pytest.mark.parametrize(
    "words, said",
    [
        ([], "give REPORTS, or --kafka with --topic"),
        (["in", "--kafka", "head:9092"], "give REPORTS, or --kafka with --topic"),
        (["nowhere"], "nowhere: there is no such folder"),
    ],
)
def test_refusals(hushwatt, words, said):
    """What cannot be streamed is told in a line, before Java starts."""
    run = hushwatt("stream", *words, "--checkpoint", "checkpoint")

    assert (run.returncode, run.stderr.count("\n")) == (2, 1)
    assert said in run.stderr


def test_packages_of_the_docs_are_those_of_this_spark():
    """A connector of another Spark, or of another Hadoop, does not load."""
    (jar,) = Path(pyspark.__file__).parent.glob("jars/hadoop-client-api-*.jar")
    hadoop = jar.stem.removeprefix("hadoop-client-api-")
    pages = {name: (DOCS / name).read_text() for name in ("watch-and-stream.md", "tally-with-spark.md")}

    assert CONNECTOR in pages["watch-and-stream.md"]
    assert all(f"org.apache.hadoop:hadoop-aws:{hadoop}" in page for page in pages.values())
