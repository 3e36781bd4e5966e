"""Whole files: a million homes from Parquet to Parquet to JSON, beside what pyarrow needs to copy them."""

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.measure import Row, show

HUSHWATT = [sys.executable, "-c", "from hushwatt.cli.main import run; run()"]
PEAK = """
import resource, subprocess, sys
done = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
sys.exit(done.returncode)
"""
COPY = """
import sys, time, pyarrow.parquet as pq
start = time.perf_counter(); pq.read_table(sys.argv[1]); read = time.perf_counter() - start
reports = pq.read_table(sys.argv[2])
start = time.perf_counter(); pq.write_table(reports, sys.argv[3]); print(read + time.perf_counter() - start)
"""


def run(*words: object) -> tuple[float, float]:
    """Seconds and peak MiB of one command."""
    start = time.perf_counter()
    command = [sys.executable, "-c", PEAK, *HUSHWATT, *map(str, words)]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    return time.perf_counter() - start, int(done.stdout) / 1024


def measure(folder: Path, homes: int) -> list[Row]:
    """Rows for so many homes and one day."""
    plan, readings, reports = folder / "plan.toml", folder / f"{homes}.parquet", folder / "reports.parquet"
    if not plan.exists():
        run("plan", "new", "--preset", "paper", "-o", plan)
    run("simulate", "ideal", "-o", readings, "--homes", homes, "--slots", 1, "--seed", 1)
    randomised, memory = run("randomise", plan, readings, "-o", reports)
    estimated, memory_too = run("estimate", plan, reports, "--json")
    copied = float(subprocess.check_output([sys.executable, "-c", COPY, readings, reports, folder / "copy.parquet"]))
    readings.unlink()
    name = f"{homes // 1_000_000} M homes × 15 appliances"
    spent = randomised + estimated
    limit = 1.5 if homes <= 1_000_000 else 2.5
    return [
        Row(f"{name}: pyarrow reads the readings, writes the reports", f"{copied:.2f} s"),
        Row(f"{name}: randomise", f"{randomised:.2f} s"),
        Row(f"{name}: estimate", f"{estimated:.2f} s"),
        Row(f"{name}: both, less 1.5 s of starting", f"{spent:.2f} s", (spent - 1.5) / copied, 4, lower=True),
        Row(
            f"{name}: peak memory against {limit} GiB",
            f"{max(memory, memory_too):.0f} MiB",
            max(memory, memory_too) / 1024 / limit,
            1,
            lower=True,
        ),
    ]


def main() -> bool:
    sizes = json.loads(os.environ.get("HUSHWATT_BENCH_HOMES", "[1000000, 4000000]"))
    with tempfile.TemporaryDirectory() as folder:
        rows = [row for homes in sizes for row in measure(Path(folder), homes)]
    return show("Files of a whole fleet, one day, the paper's plan (lba, oue)", rows)


if __name__ == "__main__":
    raise SystemExit(not main())
