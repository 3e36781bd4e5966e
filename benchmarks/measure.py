"""Timing and tables that every benchmark shares."""

import time
from collections.abc import Callable
from dataclasses import dataclass

from rich import box
from rich.console import Console
from rich.table import Table


@dataclass(frozen=True)
class Row:
    """One figure: what was measured, how much, against what, and whether the goal was reached."""

    what: str
    value: str
    ratio: float | None = None  # to the yardstick of the same run
    goal: float | None = None  # the ratio to reach: at least this, or at most, when `lower` is better
    lower: bool = False

    @property
    def reached(self) -> bool | None:
        if self.ratio is None or self.goal is None:
            return None
        return self.ratio <= self.goal if self.lower else self.ratio >= self.goal


def best_of(work: Callable[[], object], repeats: int = 3) -> float:
    """The shortest of a few runs, in seconds."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)


def show(title: str, rows: list[Row]) -> bool:
    """Print a table; whether every goal was reached."""
    heads = ("measured", "value", "ratio", "goal", "")
    table = Table(*heads, title=title, box=box.SIMPLE_HEAD, title_justify="left")
    for row in rows:
        ratio = "" if row.ratio is None else f"{row.ratio:.3g}×"
        goal = "" if row.goal is None else f"{'≤' if row.lower else '≥'} {row.goal:g}×"
        table.add_row(row.what, row.value, ratio, goal, {True: "ok", False: "MISSED", None: ""}[row.reached])
    Console(width=118, highlight=False).print(table)
    return all(row.reached is not False for row in rows)
