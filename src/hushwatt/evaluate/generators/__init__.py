"""Invented homes, for trying things out: seeded, and labelled synthetic wherever they go.

`generate` gives arrays to experiments, `simulate` writes the readings table.
Both draw the same numbers.  A new kind is one class and one line in KINDS.
"""

from collections.abc import Callable, Iterator
from pathlib import Path

from hushwatt.errors import UsageError
from hushwatt.evaluate.generators.flat import LeftSkewed, Normal, RightSkewed, Uniform
from hushwatt.evaluate.generators.ideal import Ideal
from hushwatt.evaluate.generators.invented import Fleet
from hushwatt.evaluate.generators.kind import Kind, Watts
from hushwatt.evaluate.generators.streams import Streams
from hushwatt.evaluate.table import SYNTHETIC, write
from hushwatt.plan.plan import Plan

__all__ = ["KINDS", "fleet", "generate", "simulate"]

KINDS: dict[str, type[Kind]] = {kind.name: kind for kind in (Ideal, Normal, Uniform, LeftSkewed, RightSkewed)}


def fleet(kind: str, plan: Plan, homes: int, slots: int, seed: int | None = None) -> Fleet:
    """Homes of one kind, ready to be asked."""
    if kind not in KINDS:
        raise UsageError(f"there is no kind of homes called {kind}; there are {', '.join(KINDS)}")
    block = KINDS[kind](plan, Streams.seeded(seed)).watts
    return Fleet(plan, homes, slots, block, label={"kind": kind, "seed": seed})


def generate(
    kind: str, plan: Plan, homes: int, slots: int, seed: int | None = None
) -> Iterator[tuple[int, Watts]]:
    """Give each slot with the mean watts of every home (row) and appliance of the plan (column)."""
    return fleet(kind, plan, homes, slots, seed).arrays()


def simulate(
    kind: str,
    plan: Plan,
    homes: int,
    slots: int,
    seed: int | None,
    path: Path,
    advance: Callable[[int], None] = lambda rows: None,
) -> None:
    """Write the readings of invented homes to `path`: Parquet, or CSV by its suffix."""
    invented = fleet(kind, plan, homes, slots, seed)
    write(invented.pages(), path, {SYNTHETIC: invented.label}, advance)
