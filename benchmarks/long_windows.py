"""What a window of a year costs: time and memory a home beside a window of three slots, and a tally of turns."""

import pickle
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from benchmarks.measure import Row, best_of, show
from benchmarks.tally import read_payloads
from hushwatt.household.report.homes import enrol
from hushwatt.household.report.report import report
from hushwatt.plan.choices import METHODS
from hushwatt.plan.plan import Plan
from hushwatt.plan.presets import preset
from hushwatt.plan.slot import SlotLength
from hushwatt.privacy.entropy import Simulation
from hushwatt.provider.tally.engines import engine
from hushwatt.wire.payload import Layout
from hushwatt.wire.reports import ReportWriter

SHORT, YEAR = 3, 35_040  # slots of a quarter of an hour
HOMES, SLOTS, MILLION = 20_000, 96, 1_000_000
SCHEDULED = [(method, asked) for method in ("lbu", "lsp", "lpu") for asked in (15, 1)]
DECIDED = [("lbd", 15), ("lba", 15)]


class Cost(NamedTuple):
    """What one home costs."""

    time: float  # microseconds of the processors, a slot
    memory: float  # bytes that it remembers


def quarter_hours(method: str, asked: int, window: int) -> Plan:
    """The paper's appliances every quarter of an hour; where few are asked, each has a cap."""
    cap = None if asked == 15 else 2_000_000
    return replace(
        preset("paper"), method=method, decision=METHODS[method].decided_by, oracle="grr", slot=SlotLength(15, "m"),
        window=window, epsilon=10_000_000, appliances_per_report=asked, appliance_epsilon=cap,
    )  # fmt: skip


def cost(plan: Plan) -> Cost:
    """A day of many homes, whose levels change now and then."""
    source, chance = Simulation(1, "long windows"), np.random.default_rng(1)
    homes = enrol(plan, HOMES, 0, source)
    levels = chance.integers(0, 2, (4, HOMES, len(plan.appliances))).astype(np.uint16)
    begun = time.process_time()
    for slot in range(SLOTS):
        report(homes, slot, levels[slot // 8 % 4], source)
    spent = time.process_time() - begun
    return Cost(1e6 * spent / HOMES / SLOTS, len(pickle.dumps((homes.strategies, homes.ledger))) / HOMES)


def homes_rows(method: str, asked: int, goal: bool) -> list[Row]:
    """The year's window against the short one."""
    short, long = (cost(quarter_hours(method, asked, window)) for window in (SHORT, YEAR))
    name = f"{method}, {asked} of 15"
    return [
        Row(
            f"{name}: time a home and slot", f"{long.time:.2f} µs", long.time / short.time, 1.5 if goal else None, True
        ),
        Row(f"{name}: memory a home", f"{long.memory:.0f} B", long.memory / short.memory, 1.5 if goal else None, True),
    ]


def write_turns(plan: Plan, path: Path) -> None:
    """A million homes, each of which reports once, in a turn of the window."""
    layout, names = Layout.of(plan), pa.array([f"{home:09d}" for home in range(MILLION)])
    ends = np.linspace(0, MILLION, plan.window + 1).astype(int)
    payloads = np.zeros((MILLION, layout.size), dtype=np.uint8)
    with ReportWriter(path, plan, MILLION) as writer:
        for slot in range(plan.window):
            here = slice(ends[slot], ends[slot + 1])
            writer.write(names[here], slot, 0, plan.epsilon, plan.epsilon, payloads[here])


def turns_rows(folder: Path, window: int) -> list[Row]:
    """Reports of a million homes in turns, added up and checked, against reading their bytes alone."""
    plan, path = quarter_hours("lpu", 15, window), folder / f"{window}.parquet"
    write_turns(plan, path)
    read = best_of(lambda: read_payloads(path))
    tallied = best_of(lambda: engine("embedded").tallies(plan, str(path)))
    name = f"1 M homes in {window:,} turns"
    return [
        Row(f"{name}: pyarrow reads the payloads", f"{read * 1e3:.0f} ms"),
        Row(f"{name}: turns checked and added up", f"{tallied * 1e3:.0f} ms", tallied / read),
    ]


def main() -> bool:
    rows = [row for method, asked in SCHEDULED for row in homes_rows(method, asked, goal=True)]
    rows += [row for method, asked in DECIDED for row in homes_rows(method, asked, goal=False)]
    with tempfile.TemporaryDirectory() as folder:
        rows += [row for window in (SHORT, YEAR) for row in turns_rows(Path(folder), window)]
    return show("A window of a year beside one of three slots, every quarter of an hour", rows)


if __name__ == "__main__":
    raise SystemExit(not main())
