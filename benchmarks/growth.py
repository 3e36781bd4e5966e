"""How the cost of a fleet's files grows, for every method that files can carry, and for homes in no order.

The real commands, each in a process of its own, over one slot of 1, 2 and 4 million homes.  The cost is the
processors' time, which what others do on the machine changes less than the clock's.  The exponent is the slope of a
straight line through the logarithms of what is above the same command over a thousand homes: 1 is a straight line,
2 a square.  The line itself is fitted to the seconds as they are.

HUSHWATT_BENCH_HOMES takes it further: homes, or homes and slots, of each size, such as
`[1000000, [2000000, 5], [4000000, 10], [4000000, 25]]`, up to a hundred million answers of a home in a slot, for which
20 GB of disk are enough.  HUSHWATT_BENCH_METHODS has it measure only some: `["lbu", "lba"]`.  HUSHWATT_BENCH_UNORDERED
says how many homes come in no order; the memory of one more is of the last two sizes, where all that has a bound has
reached it.

`python -m benchmarks.growth --keep` writes what was measured into docs/growth.json as well, a method at a time;
`python -m benchmarks.capacity --draw` makes a table of it.
"""

import json
import os
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from subprocess import DEVNULL, Popen
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.growth_table import FIGURES, Line, exponent
from benchmarks.measure import Row, show
from hushwatt.evaluate.generators.invented_homes import household_names
from hushwatt.evaluate.readings_file import SCHEMA
from hushwatt.plan.choices import METHODS
from hushwatt.plan.plan import Plan
from hushwatt.plan.presets import preset


class Size(NamedTuple):
    """How large a fleet is, and for how long it is measured."""

    homes: int
    slots: int

    @property
    def millions(self) -> float:
        """Answers of a home in a slot: with `lpu` not all of them are sent."""
        return self.homes * self.slots / 1e6


class Cost(NamedTuple):
    """What one command took."""

    seconds: float  # of the processors
    memory: float  # bytes at most


def sizes(name: str, default: list[int]) -> list[Size]:
    """The sizes that the environment asks for, or the usual ones."""
    asked = json.loads(os.environ.get(name, "null"))
    return [Size(*each) if isinstance(each, list) else Size(each, 1) for each in (default if asked is None else asked)]


HUSHWATT = [sys.executable, "-c", "from hushwatt.cli.main import run; run()"]
SIZES = sizes("HUSHWATT_BENCH_HOMES", [1_000_000, 2_000_000, 4_000_000])
UNORDERED = sizes("HUSHWATT_BENCH_UNORDERED", [4_000_000, 8_000_000, 16_000_000])
METHODS_OF_FILES = json.loads(os.environ.get("HUSHWATT_BENCH_METHODS", '["lbu", "lsp", "lpu", "lbd", "lba"]'))
FEW = Size(1_000, 1)  # a run that is all starting
STAGES = ("randomise", "estimate", "ingest")
NO_ORDER = "lbu, homes in no order"
GOAL = 1.15  # the exponent; what lies above 1 is a few per cent of chance and caches
STRAIGHT = 0.98  # R² of the line, at least
ROWS = 1 << 17  # written at a time
HOME_BYTES = 64  # memory of one more home, at most, when homes come in no order


def run(*words: object, command: list[str] = HUSHWATT) -> Cost:
    """One command, to its end."""
    process = Popen([*command, *map(str, words)], stdout=DEVNULL, stderr=DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if status:
        raise SystemExit(f"the command failed: {' '.join(map(str, words))}")
    return Cost(used.ru_utime + used.ru_stime, 1024 * used.ru_maxrss)


def plan_of(folder: Path, method: str) -> Path:
    plan = folder / f"{method}.toml"
    plan.write_text(replace(preset("paper"), method=method, decision=METHODS[method].decided_by).toml())
    return plan


def costs(folder: Path, method: str, size: Size) -> dict[str, Cost]:
    """What each stage took for so many homes and slots."""
    plan, reports = plan_of(folder, method), folder / "reports.parquet"
    readings = folder / f"{size.homes}-{size.slots}.parquet"
    if not readings.exists():
        run("simulate", "ideal", "-o", readings, "--homes", size.homes, "--slots", size.slots, "--seed", 1)
    with tempfile.TemporaryDirectory(dir=folder) as data:
        return {
            "randomise": run("randomise", plan, readings, "-o", reports),
            "estimate": run("estimate", plan, reports, "--json"),
            "ingest": run("provider", "ingest", reports, "--plan", plan, "--data", data, "--json"),
        }


def growth_rows(what: str, sizes: list[Size], few: Cost, found: list[Cost]) -> Iterator[Row]:
    """The exponent and the line of one command over several sizes."""
    millions = [size.millions for size in sizes]
    above = [max(each.seconds - few.seconds, 0.01) for each in found]
    slope, shown = exponent(millions, above), ", ".join(f"{each.seconds:.1f}" for each in found)
    line = Line.through(millions, [each.seconds for each in found])
    yield Row(f"{what}: exponent of {shown} s", f"{slope:.2f}", slope, GOAL, lower=True)
    told = f"{line.each:.2f} s a million {line.start:+.1f} s, {100 * line.off:.0f} % off"
    yield Row(f"{what}: line, furthest point, R²", told, line.fit, STRAIGHT)


def measure(folder: Path, method: str) -> tuple[dict[str, Cost], list[dict[str, Cost]]]:
    """What a few homes take, and what fleets of each size do."""
    return costs(folder, method, FEW), [costs(folder, method, size) for size in SIZES]


def keep(name: str, few: dict[str, Cost], sizes: list[Size], found: list[dict[str, Cost]]) -> None:
    """Put the points of a method, or of homes in no order, in place of those that were kept of it."""
    kept: dict[str, Any] = json.loads(FIGURES.read_text(encoding="utf-8")) if FIGURES.exists() else {}
    kept[name] = {
        stage: {
            "few": list(few[stage]),
            "points": [[size.homes, size.slots, *each[stage]] for size, each in zip(sizes, found, strict=True)],
        }
        for stage in few
    }
    FIGURES.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")


def method_rows(few: dict[str, Cost], found: list[dict[str, Cost]], method: str) -> Iterator[Row]:
    more = SIZES[-1].homes - SIZES[0].homes
    for stage in STAGES:
        taken = [each[stage] for each in found]
        yield from growth_rows(f"{method}, {stage}", SIZES, few[stage], taken)
        yield Row(f"{method}, {stage}: memory at most", f"{max(each.memory for each in taken) / 2**20:.0f} MiB")
        if more:
            each = (taken[-1].memory - taken[0].memory) / more
            yield Row(f"{method}, {stage}: memory of one more home", f"{each:.0f} B")


def write_unordered(path: Path, plan: Plan, homes: int) -> None:
    """A reading of each home, homes in no order."""
    names, order = household_names(0, homes), np.random.default_rng(1).permutation(homes)
    moment = pa.array([plan.calendar.start_of(0)], SCHEMA.field("time").type)
    with pq.ParquetWriter(path, SCHEMA) as writer:
        for start in range(0, homes, ROWS):
            some = names.take(pa.array(order[start : start + ROWS]))
            none = pa.array(np.zeros(len(some), dtype=np.int8))
            first = pa.array(plan.names[:1]).take(none)
            watts = pa.array(np.full(len(some), 100.0))
            writer.write_table(pa.table([some, moment.take(none), first, watts], schema=SCHEMA))


def measure_unordered(folder: Path) -> list[Cost]:
    """What `randomise` takes when households come in no order: of a few homes first, then of each size."""
    plan, found = plan_of(folder, "lbu"), []
    for size in (FEW, *UNORDERED):
        readings = folder / "unordered.parquet"
        run(readings, plan, size.homes, command=[sys.executable, "-m", "benchmarks.growth"])  # its memory is its own
        found.append(run("randomise", plan, readings, "-o", folder / "reports.parquet"))
    return found


def unordered_rows(few: Cost, found: list[Cost]) -> Iterator[Row]:
    yield from growth_rows("randomise", UNORDERED, few, found)
    before, last = UNORDERED[-2:]
    each = (found[-1].memory - found[-2].memory) / (last.homes - before.homes)
    shown = f"{each:.0f} B, of {HOME_BYTES}"
    yield Row("randomise: memory of one more home", shown, each / HOME_BYTES, 1.0, lower=True)


def shown(sizes: list[Size]) -> str:
    return ", ".join(f"{size.millions:g}" + (f" ({size.slots} slots)" if size.slots > 1 else "") for size in sizes)


def main(*, kept: bool = False) -> bool:
    with tempfile.TemporaryDirectory() as name:
        folder, reached = Path(name), []
        for method in METHODS_OF_FILES:
            few, found = measure(folder, method)
            if kept:
                keep(method, few, SIZES, found)
            title = f"Growth of {method} over {shown(SIZES)} M homes in a slot"
            reached.append(show(title, list(method_rows(few, found, method))))
        if UNORDERED:
            first, *others = measure_unordered(folder)
            if kept:
                keep(NO_ORDER, {"randomise": first}, UNORDERED, [{"randomise": each} for each in others])
            title = f"Growth over {shown(UNORDERED)} M homes in no order, a reading each, lbu"
            reached.append(show(title, list(unordered_rows(first, others))))
    return all(reached)


if __name__ == "__main__":
    if len(sys.argv) > 2:
        write_unordered(Path(sys.argv[1]), Plan.load(Path(sys.argv[2])), int(sys.argv[3]))
        raise SystemExit
    raise SystemExit(not main(kept=sys.argv[1:] == ["--keep"]))
