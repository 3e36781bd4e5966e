"""A folder of reports as it may come: a file a slot, and beside them what is there again and what is damaged.

The good files are of homes that follow the plan, randomised by the code that ships.  Whatever reads the folder has to
find in it what is in the good files alone.
"""

from dataclasses import dataclass, replace
from pathlib import Path
from shutil import copyfile

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from hushwatt.household.report.homes import enrol
from hushwatt.household.report.report import report
from hushwatt.plan.choices import METHODS
from hushwatt.plan.plan import Plan
from hushwatt.plan.presets import preset
from hushwatt.privacy.entropy import Simulation
from hushwatt.wire.reports import ReportWriter

SLOTS = 10
AGAIN = 10  # every tenth report of a slot is there once more


@dataclass(frozen=True)
class Delivery:
    """What was delivered, and how much of it counts."""

    plan: Path
    good: Path  # a folder of the good files alone
    all: Path  # a folder of all files
    reports: int  # in the good files
    repeats: int
    damaged: tuple[str, ...]  # names of files


def deliver(folder: Path, method: str, reports: int) -> Delivery:
    """Write it all into a folder."""
    plan = replace(preset("paper"), method=method, decision=METHODS[method].decided_by)
    (folder / "plan.toml").write_text(plan.toml(), encoding="utf-8")
    good, everything = folder / "good", folder / "all"
    good.mkdir()
    everything.mkdir()
    count = sum(pq.read_metadata(file).num_rows for file in good_files(plan, good, reports // SLOTS))
    for file in good.iterdir():
        (everything / file.name).hardlink_to(file)
    repeats, damaged = spoil(everything)
    return Delivery(folder / "plan.toml", good, everything, count, repeats, damaged)


def good_files(plan: Plan, folder: Path, homes: int) -> list[Path]:
    """What homes report in every slot, a file each."""
    names = pa.array([f"home-{home:08d}" for home in range(homes)])
    fleet, source, chance = (
        enrol(plan, homes, 0, Simulation(1, "homes")),
        Simulation(2, "noise"),
        np.random.default_rng(3),
    )
    files = [folder / f"slot-{slot:02}.parquet" for slot in range(SLOTS)]
    for slot, file in enumerate(files):
        levels = chance.integers(0, min(plan.widths), (homes, len(plan.widths)), dtype=np.uint16)
        sent = report(fleet, slot, levels, source)
        with ReportWriter(file, plan, homes) as writer:
            writer.write(names.take(pa.array(sent.homes)), slot, 0, sent.spent, sent.drawn, sent.payloads)
    return files


def spoil(folder: Path) -> tuple[int, tuple[str, ...]]:
    """Add files that repeat others, and damaged ones; how many reports are repeated, and which are damaged."""
    copyfile(folder / "slot-03.parquet", folder / "slot-03 again.parquet")
    some = pq.read_table(folder / "slot-05.parquet")
    some = some.take(np.arange(0, len(some), AGAIN))
    pq.write_table(some, folder / "a-few-of-slot-05.parquet")
    whole = (folder / "slot-07.parquet").read_bytes()
    flipped = bytearray(whole)
    flipped[len(whole) * 2 // 3] ^= 8
    noise = np.random.default_rng(4).bytes(min(len(whole), 1 << 20))
    damaged = {"cut.parquet": whole[: len(whole) // 2], "flipped.parquet": bytes(flipped), "noise.parquet": noise}
    for name, content in damaged.items():
        (folder / name).write_bytes(content)
    return pq.read_metadata(folder / "slot-03.parquet").num_rows + len(some), tuple(damaged)
