"""Reports added up from Parquet: how many a second, beside reading the bytes alone; memory; growth."""

import json
import os
import subprocess
import sys
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.measure import Row, best_of, show
from hushwatt.plan.plan import Plan
from hushwatt.plan.presets import preset
from hushwatt.provider.tally.engines import engine
from hushwatt.wire.payload import Layout
from hushwatt.wire.reports import ReportWriter

HOMES = 1_000_000
MILLION = 1_000_000
PEAK = """
import resource, sys
from hushwatt.plan.plan import Plan
from hushwatt.provider.tally.engines import engine
engine("embedded").tallies(Plan.load(sys.argv[1]), sys.argv[2])
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


class Figures(NamedTuple):
    """What was measured on one file."""

    read: float  # seconds for the payloads alone
    tallied: float  # seconds for everything
    peak: float  # MiB


def uniform_plan() -> Plan:
    """The paper's appliances and levels, 15 × 10 bits, with a draw in every slot."""
    return replace(preset("paper"), method="lbu", decision=None)


def write(plan: Plan, path: Path, reports: int) -> None:
    """A valid file of so many reports: the bytes of a million homes, turned a little for every slot."""
    layout, rng = Layout.of(plan), np.random.default_rng(1)
    homes = min(HOMES, reports)
    households = pa.array([f"{home:09d}" for home in range(homes)])
    payloads = layout.blank(rng.integers(0, 256, (homes, layout.size), dtype=np.uint8))
    drawn = plan.epsilon // plan.window
    with ReportWriter(path, plan, homes) as writer:
        for slot in range(reports // homes):
            writer.write(households, slot, 0, drawn, drawn, np.roll(payloads, 7 * slot, axis=0))


def measured(plan: Plan, path: Path) -> Figures:
    """Seconds to read the payloads alone, seconds to tally, and the peak of its memory in MiB."""
    read = best_of(lambda: read_payloads(path))
    tallied = best_of(lambda: engine("embedded").tallies(plan, str(path)))
    saved = path.with_suffix(".toml")
    saved.write_text(plan.toml())
    peak = subprocess.check_output([sys.executable, "-c", PEAK, str(saved), str(path)], text=True)
    return Figures(read, tallied, int(peak) / 1024)


def read_payloads(path: Path) -> None:
    """What pyarrow needs for the column, row group by row group, so that its memory is flat too."""
    file = pq.ParquetFile(path)
    for group in range(file.num_row_groups):
        file.read_row_group(group, columns=["payload"])


def rows_of(reports: int, found: Figures) -> list[Row]:
    """What one size shows by itself."""
    name = f"{reports // MILLION} M reports"
    speed = f"{reports / found.tallied / MILLION:.1f} M/s"
    return [
        Row(f"{name}: pyarrow reads the payloads", f"{found.read:.2f} s"),
        Row(f"{name}: tallied, against reading them", speed, found.tallied / found.read),
        Row(f"{name}: peak memory", f"{found.peak:.0f} MiB"),
    ]


def growth(found: dict[int, Figures]) -> list[Row]:
    """How the largest compares with the smallest, and with 20 million reports a second."""
    small, large = min(found), max(found)
    first, last = found[small], found[large]
    speed, each = large / last.tallied / MILLION, last.tallied / large
    sizes = f"{large // MILLION} M against {small // MILLION} M"
    return [
        Row("reports a second, against 20 million", f"{speed:.1f} M/s", speed / 20, 1),
        Row("time, against reading them", f"{last.tallied:.2f} s", last.tallied / last.read, 3, lower=True),
        Row(f"memory, {sizes}", f"{last.peak:.0f} MiB", last.peak / first.peak, 1.5, lower=True),
        Row(f"time a report, {sizes}", f"{each * 1e9:.0f} ns", each / (first.tallied / small), 1.5, lower=True),
    ]


def main() -> bool:
    sizes = json.loads(os.environ.get("HUSHWATT_BENCH_REPORTS", "[1000000, 10000000]"))
    plan, found = uniform_plan(), {}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "reports.parquet"
        for reports in sizes:
            write(plan, path, reports)
            found[reports] = measured(plan, path)
    rows = [row for reports, figures in found.items() for row in rows_of(reports, figures)]
    return show("Reports added up on all cores: 15 × 10 bits, OUE, lbu", rows + growth(found))


if __name__ == "__main__":
    raise SystemExit(not main())
