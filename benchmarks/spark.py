"""Spark beside the engine on one machine: the same file, the same tallies, and what a core spends on them.

Both are warm: the second run of each counts, in one session of Spark, whose Java is given the runs it needs to
compile itself.  What is compared is the time of all processors, of every process: of Java and of Spark's workers.
The same again from an object store, a real S3 interface on this machine, whose own time is left out.
"""

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
from tests.object_store import environment, request, s3_process

from benchmarks.measure import Row, show
from benchmarks.tally import MILLION, uniform_plan, write
from hushwatt.plan.plan import Plan
from hushwatt.plan.presets import preset
from hushwatt.privacy.strategies import strategy_for
from hushwatt.provider.tally.engines import engine
from hushwatt.provider.tally.engines.spark import tally_with
from hushwatt.provider.tally.engines.spark_session import spark_session
from hushwatt.provider.tally.tally import Tallies
from hushwatt.wire.payload import Layout
from hushwatt.wire.reports import ReportWriter

REPORTS = int(os.environ.get("HUSHWATT_BENCH_SPARK", 20 * MILLION))
SLOTS, RUNS, WARM_RUNS, GOAL = 4, 3, 6, 1.5
TICKS = os.sysconf("SC_CLK_TCK")
OBJECTS = 10  # that the reports of one folder are in, in the object store
LEFT_OUT: set[int] = set()  # processes that do not count: the object store's


def processor_seconds() -> float:
    """What this process and all that it started have used of the processors so far."""
    used: dict[int, tuple[int, int]] = {}  # by process: its parent, and its ticks and those of children that ended
    for file in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = file.read_text().rpartition(")")[2].split()
        except OSError:  # it ended meanwhile
            continue
        used[int(file.parent.name)] = int(fields[1]), sum(map(int, fields[11:15]))
    ours = (ticks for process, (_, ticks) in used.items() if process not in LEFT_OUT and _is_ours(used, process))
    return sum(ours) / TICKS


def _is_ours(used: dict[int, tuple[int, int]], process: int) -> bool:
    while process in used and process != os.getpid():
        process = used[process][0]
    return process == os.getpid()


def least_seconds(work: Callable[[], Tallies], runs: int) -> tuple[float, Tallies]:
    """The least that a run took of the processors, the first left out, and its tallies."""
    tallies, seconds = work(), []
    for _ in range(runs):
        begun = processor_seconds()
        tallies = work()
        seconds.append(processor_seconds() - begun)
    return min(seconds), tallies


def write_deciding(plan: Plan, path: Path, reports: int) -> None:
    """Homes that decide for themselves: all publish in the first slot, and three in ten in any other."""
    layout, rng, homes, strategy = Layout.of(plan), np.random.default_rng(1), reports // SLOTS, strategy_for(plan)
    names = pa.array([f"{home:09d}" for home in range(homes)])
    payloads = layout.blank(rng.integers(0, 256, (homes, layout.size), dtype=np.uint8))
    offer = strategy.offer()
    with ReportWriter(path, plan, homes) as writer:
        for slot in range(SLOTS):
            fresh = (rng.random(homes) < 0.3) | (slot == 0)
            writer.write(names, slot, 0, strategy.probe + offer * fresh, offer, payloads)


def plainly(tallies: Tallies) -> object:
    groups = {key: (tally.rows, tally.counts.tolist()) for key, tally in tallies.groups.items()}
    return groups, tallies.homes, tallies.repeats, tallies.refused


@contextmanager
def object_store() -> Iterator[int]:
    """The port of a server with the S3 interface, which pyarrow of this process and of its workers will find."""
    with s3_process() as (process, port):
        LEFT_OUT.add(process)
        os.environ.update(environment(f"http://127.0.0.1:{port}"))
        yield port


def put_objects(port: int, plan: Plan, folder: Path) -> str:
    """Reports in a few objects of one folder; its address."""
    layout, rng, homes = Layout.of(plan), np.random.default_rng(1), REPORTS // 2 // OBJECTS
    names = pa.array([f"{home:09d}" for home in range(homes)])
    for slot in range(OBJECTS):
        payloads = layout.blank(rng.integers(0, 256, (homes, layout.size), dtype=np.uint8))
        with ReportWriter(folder / "part.parquet", plan, homes) as writer:
            writer.write(names, slot, 0, plan.epsilon // plan.window, plan.epsilon // plan.window, payloads)
        request(port, "PUT", f"/meters/reports/{slot:02}.parquet", (folder / "part.parquet").read_bytes())
    return "s3://meters/reports"


def compared(spark: object, name: str, plan: Plan, path: Path | str) -> Iterator[Row]:
    """Both engines over one file or folder."""
    here, expected = least_seconds(lambda: engine("embedded").tallies(plan, str(path)), RUNS)
    there, found = least_seconds(lambda: tally_with(spark, plan, str(path)), WARM_RUNS)
    if plainly(found) != plainly(expected):
        raise SystemExit(f"{name}: Spark's tallies are others")
    yield Row(f"{name}: embedded", f"{here:.2f} s of a core")
    yield Row(f"{name}: Spark, warm", f"{there:.2f} s of a core", there / here, GOAL, lower=True)


def main() -> bool:
    if not shutil.which("java"):
        return show("Spark beside one machine", [Row("Spark", "there is no Java: NOT measured")])
    rows: list[Row] = []
    with tempfile.TemporaryDirectory() as name, object_store() as port, spark_session("local[*]", {}) as spark:
        lbu, lba, lpu = uniform_plan(), preset("paper"), replace(uniform_plan(), method="lpu")
        for method, plan, fill in (("lbu", lbu, write), ("lba", lba, write_deciding), ("lpu", lpu, write_turns)):
            path = Path(name) / f"{method}.parquet"
            fill(plan, path, REPORTS)
            rows += compared(spark, method, plan, path)
            path.unlink()
        address = put_objects(port, lbu, Path(name))
        rows += compared(spark, f"lbu, {REPORTS // 2 / MILLION:g} M in {OBJECTS} objects of an S3 store", lbu, address)
    return show(f"Spark beside one machine: {REPORTS / MILLION:g} M reports, 15 × 10 bits", rows)


def write_turns(plan: Plan, path: Path, reports: int) -> None:
    """Homes that take turns over a window, as often as there are slots for it."""
    layout, rng, homes = Layout.of(plan), np.random.default_rng(1), reports // SLOTS
    ends = np.linspace(0, homes, plan.window + 1).astype(int)
    names = pa.array([f"{home:09d}" for home in range(homes)])
    payloads = layout.blank(rng.integers(0, 256, (homes, layout.size), dtype=np.uint8))
    with ReportWriter(path, plan, homes) as writer:
        for slot in range(SLOTS * plan.window):
            here = slice(ends[slot % plan.window], ends[slot % plan.window + 1])
            writer.write(names[here], slot, 0, plan.epsilon, plan.epsilon, payloads[here])


if __name__ == "__main__":
    raise SystemExit(not main())
