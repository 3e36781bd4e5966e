"""Whole files, by every method: from Parquet to Parquet to JSON, beside what pyarrow needs to copy them."""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from benchmarks.measure import Row, show
from hushwatt.plan.choices import METHODS
from hushwatt.plan.presets import preset

HUSHWATT = [sys.executable, "-c", "from hushwatt.cli.main import run; run()"]
SIZES = json.loads(os.environ.get("HUSHWATT_BENCH_HOMES", "[1000000, 4000000, 10000000]"))
METHODS_OF_FILES = ("lbu", "lsp", "lpu", "lbd", "lba")
FEW = 1_000  # homes of a run that is all starting
PEAK = """
import resource, subprocess, sys
done = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
sys.exit(done.returncode)
"""
COPY = """
import sys, time, pyarrow.parquet as pq
def copy():
    start = time.perf_counter()
    for batch in pq.ParquetFile(sys.argv[1]).iter_batches(1 << 17): pass
    reports = pq.ParquetFile(sys.argv[2])
    with pq.ParquetWriter(sys.argv[3], reports.schema_arrow) as writer:
        for batch in reports.iter_batches(1 << 17): writer.write_batch(batch)
    return time.perf_counter() - start
print(min(copy() for _ in range(3)))
"""  # as a stream, in little memory, and the best of three


def run(*words: object) -> tuple[float, float]:
    """Seconds and peak MiB of one command."""
    start = time.perf_counter()
    command = [sys.executable, "-c", PEAK, *HUSHWATT, *map(str, words)]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    return time.perf_counter() - start, int(done.stdout) / 1024


def write_plan(folder: Path, method: str) -> Path:
    plan = folder / f"{method}.toml"
    plan.write_text(replace(preset("paper"), method=method, decision=METHODS[method].decided_by).toml())
    return plan


def both(plan: Path, readings: Path, reports: Path) -> tuple[float, float, float]:
    """Seconds of `randomise` and of `estimate`, and the peak MiB of either."""
    randomised, memory = run("randomise", plan, readings, "-o", reports)
    estimated, memory_too = run("estimate", plan, reports, "--json")
    return randomised, estimated, max(memory, memory_too)


def measure(folder: Path, homes: int) -> Iterator[Row]:
    """Rows for so many homes and one day; what starting takes is measured with a few homes, and left out."""
    few, readings, reports = folder / "few.parquet", folder / "readings.parquet", folder / "reports.parquet"
    run("simulate", "ideal", "-o", few, "--homes", FEW, "--slots", 1, "--seed", 1)
    run("simulate", "ideal", "-o", readings, "--homes", homes, "--slots", 1, "--seed", 1)
    size, limit = f"{homes // 1_000_000} M homes", 1.5 if homes <= 1_000_000 else 2.5
    for method in METHODS_OF_FILES:
        plan = write_plan(folder, method)
        starting = sum(both(plan, few, reports)[:2])
        randomised, estimated, memory = both(plan, readings, reports)
        copied = float(subprocess.check_output([sys.executable, "-c", COPY, readings, reports, folder / "copy"]))
        spent = randomised + estimated - starting
        yield Row(f"{size}, {method}: pyarrow reads the readings, writes the reports", f"{copied:.2f} s")
        yield Row(f"{size}, {method}: randomise and estimate", f"{randomised:.2f} s, {estimated:.2f} s")
        name = f"{size}, {method}: both, less {starting:.1f} s of starting"
        yield Row(name, f"{spent:.2f} s", spent / copied, 4, lower=True)
        name = f"{size}, {method}: peak memory against {limit} GiB"
        yield Row(name, f"{memory:.0f} MiB", memory / 1024 / limit, 1, lower=True)


def main() -> bool:
    with tempfile.TemporaryDirectory() as folder:
        rows = [row for homes in SIZES for row in measure(Path(folder), homes)]
    return show("Files of a whole fleet, 15 appliances, one day, the paper's plan by every method", rows)


if __name__ == "__main__":
    raise SystemExit(not main())
