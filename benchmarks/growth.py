"""How the cost of a fleet's files grows with its homes, for every method that files can carry.

The real commands, each in a process of its own, over one slot of 1, 2 and 4 million homes.  The cost is the
processors' time, less that of the same command over a thousand homes: what others do on the machine tells less
than in seconds by the clock.  The exponent is the slope of a straight line through the logarithms: 1 is a
straight line, 2 a square.
"""

import json
import os
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from subprocess import DEVNULL, Popen
from typing import NamedTuple

import numpy as np

from benchmarks.measure import Row, show
from hushwatt.plan.choices import METHODS
from hushwatt.plan.presets import preset

HUSHWATT = [sys.executable, "-c", "from hushwatt.cli.main import run; run()"]
SIZES = json.loads(os.environ.get("HUSHWATT_BENCH_HOMES", "[1000000, 2000000, 4000000]"))
METHODS_OF_FILES = ("lbu", "lsp", "lpu", "lbd", "lba")
FEW = 1_000  # homes of a run that is all starting
STAGES = ("randomise", "estimate", "ingest")
GOAL = 1.15  # the exponent; what lies above 1 is a few per cent of chance and caches


class Cost(NamedTuple):
    """What one command took."""

    seconds: float  # of the processors
    memory: float  # bytes at most


def run(*words: object) -> Cost:
    """One command, to its end."""
    process = Popen([*HUSHWATT, *map(str, words)], stdout=DEVNULL, stderr=DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if status:
        raise SystemExit(f"the command failed: {' '.join(map(str, words))}")
    return Cost(used.ru_utime + used.ru_stime, 1024 * used.ru_maxrss)


def costs(folder: Path, method: str, homes: int) -> dict[str, Cost]:
    """What each stage took for one slot of so many homes."""
    plan, readings, reports = folder / f"{method}.toml", folder / f"{homes}.parquet", folder / "reports.parquet"
    plan.write_text(replace(preset("paper"), method=method, decision=METHODS[method].decided_by).toml())
    if not readings.exists():
        run("simulate", "ideal", "-o", readings, "--homes", homes, "--slots", 1, "--seed", 1)
    with tempfile.TemporaryDirectory(dir=folder) as data:
        return {
            "randomise": run("randomise", plan, readings, "-o", reports),
            "estimate": run("estimate", plan, reports, "--json"),
            "ingest": run("provider", "ingest", reports, "--plan", plan, "--data", data, "--json"),
        }


def exponent(sizes: list[int], amounts: list[float]) -> float:
    """The slope of the logarithms.

    >>> round(exponent([1, 2, 4], [3.0, 12.0, 48.0]), 6)
    2.0
    """
    return float(np.polyfit(np.log(sizes), np.log(amounts), 1)[0])


def method_rows(folder: Path, method: str) -> Iterator[Row]:
    few, found = costs(folder, method, FEW), [costs(folder, method, homes) for homes in SIZES]
    for stage in STAGES:
        seconds = [max(each[stage].seconds - few[stage].seconds, 0.01) for each in found]
        slope, shown = exponent(SIZES, seconds), ", ".join(f"{each:.1f}" for each in seconds)
        more = (found[-1][stage].memory - found[0][stage].memory) / (SIZES[-1] - SIZES[0])
        yield Row(f"{method}, {stage}: exponent of {shown} s", f"{slope:.2f}", slope, GOAL, lower=True)
        yield Row(f"{method}, {stage}: memory of one more home", f"{more:.0f} B")


def main() -> bool:
    sizes = ", ".join(f"{size / 1e6:g}" for size in SIZES)
    with tempfile.TemporaryDirectory() as folder:
        reached = [
            show(f"Growth of {method} over {sizes} M homes, one slot", list(method_rows(Path(folder), method)))
            for method in METHODS_OF_FILES
        ]
    return all(reached)


if __name__ == "__main__":
    raise SystemExit(not main())
