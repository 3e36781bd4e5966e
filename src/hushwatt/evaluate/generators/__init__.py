"""Invented homes, for trying things out: seeded, and labelled synthetic wherever they go.

`generate` gives arrays to experiments, `simulate_file` writes the readings table.
Both draw the same numbers.  A new kind is one class and one line in GENERATORS.
"""

from collections.abc import Callable, Iterator
from pathlib import Path

from hushwatt.errors import UsageError
from hushwatt.evaluate.generators.distributions import (
    LeftSkewedReadings,
    NormalReadings,
    RightSkewedReadings,
    UniformReadings,
)
from hushwatt.evaluate.generators.home_generator import HomeGenerator, Watts
from hushwatt.evaluate.generators.ideal import IdealHomes
from hushwatt.evaluate.generators.invented_homes import InventedHomes
from hushwatt.evaluate.generators.partly_measured import PartlyMeasured
from hushwatt.evaluate.generators.streams import Streams
from hushwatt.evaluate.readings_file import SYNTHETIC, write_readings
from hushwatt.plan.plan import Plan

__all__ = ["GENERATORS", "generate", "invent_homes", "simulate_file"]

GENERATORS: dict[str, type[HomeGenerator]] = {
    kind.name: kind for kind in (IdealHomes, NormalReadings, UniformReadings, LeftSkewedReadings, RightSkewedReadings)
}


def invent_homes(
    kind: str, plan: Plan, homes: int, slots: int, seed: int | None = None, measured: float = 1.0
) -> InventedHomes:
    """Homes of one kind, ready to be asked; each measures this share of what it has, if the plan asks for it."""
    if kind not in GENERATORS:
        raise UsageError(f"there is no kind of homes called {kind}; there are {', '.join(GENERATORS)}")
    streams, label = Streams.seeded(seed), dict[str, object](kind=kind, seed=seed)
    homes_of_kind = GENERATORS[kind](plan, streams)
    if measured == 1:
        return InventedHomes(plan, homes, slots, homes_of_kind.watts, label)
    partly = PartlyMeasured(plan, homes_of_kind, streams, measured)
    return InventedHomes(plan, homes, slots, partly.watts, {**label, "measured": measured})


def generate(kind: str, plan: Plan, homes: int, slots: int, seed: int | None = None) -> Iterator[tuple[int, Watts]]:
    """Give each slot with the mean watts of every home (row) and appliance of the plan (column)."""
    return invent_homes(kind, plan, homes, slots, seed).arrays()


def simulate_file(
    kind: str,
    plan: Plan,
    homes: int,
    slots: int,
    seed: int | None,
    path: Path,
    advance: Callable[[int], None] = lambda rows: None,
    measured: float = 1.0,
) -> None:
    """Write the readings of invented homes to `path`: Parquet, or CSV by its suffix."""
    invented = invent_homes(kind, plan, homes, slots, seed, measured)
    write_readings(invented.pages(), path, {SYNTHETIC: invented.label}, advance)
