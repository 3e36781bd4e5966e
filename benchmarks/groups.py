"""Twenty kinds of homes answered by themselves, beside adding their tallies up with NumPy."""

import numpy as np

from benchmarks.measure import Row, best_of, show
from hushwatt.plan.plan import Plan
from hushwatt.provider.estimate.estimate import estimate
from hushwatt.provider.tally.labels import Cells
from hushwatt.provider.tally.tally import Tallies, Tally, TallyKey

SLOTS, GROUPS, APPLIANCES, LEVELS = 1_000, 20, 15, 10
GOAL = 0.2  # seconds
PLAN = """
name = "groups"
description = "A thousand slots of twenty tariffs."
contact = "homes@example.org"
start = 2024-01-01
expires = 2124-01-01
slot = "1h"
epsilon = 10
window = {window}
method = "lpu"
oracle = "grr"
"""


def plan_of(window: int) -> Plan:
    levels = [float(100 * level) for level in range(LEVELS)]
    appliances = (f'[[appliance]]\nname = "{number}"\nvalues = {levels}\n' for number in range(APPLIANCES))
    return Plan.parse(PLAN.format(window=window) + "".join(appliances))


def tallies_of(plan: Plan, homes: int) -> Tallies:
    """So many homes of each tariff in every slot, at levels that chance picks."""
    rng, groups = np.random.default_rng(1), {}
    for slot in range(SLOTS):
        for cell, spoke in enumerate(rng.poisson(homes, GROUPS).tolist(), start=1):
            counts = rng.multinomial(spoke, np.full(LEVELS, 1 / LEVELS), size=APPLIANCES).ravel()
            groups[TallyKey(slot, 0, slot, plan.epsilon, cell)] = Tally(spoke, np.full(APPLIANCES, spoke), counts)
    cells = Cells(("tariff",), tuple((f"t{number:02}",) for number in range(GROUPS)))
    each = homes * plan.window
    return Tallies(GROUPS * each, groups, cells=cells, cell_homes=dict.fromkeys(range(1, GROUPS + 1), each))


def added(tallies: Tallies) -> np.ndarray:
    """The floor: all counts in one array, and their sums by cell."""
    cells = np.array([key.cell for key in tallies.groups])
    counts = np.array([tally.counts for tally in tallies.groups.values()])
    sums = np.zeros((GROUPS + 1, counts.shape[1]))
    np.add.at(sums, cells, counts)
    return sums


def rows_of(name: str, plan: Plan, tallies: Tallies) -> list[Row]:
    floor = best_of(lambda: added(tallies))
    whole = best_of(lambda: estimate(plan, tallies))
    groups = best_of(lambda: estimate(plan, tallies, by=("tariff",)))
    return [
        Row(f"{name}: all homes together, against adding up", f"{1000 * whole:.0f} ms", whole / floor),
        Row(f"{name}: every group too, against adding up", f"{1000 * groups:.0f} ms", groups / floor),
        Row(f"{name}: every group too, against 200 ms", f"{1000 * groups:.0f} ms", groups / GOAL, 1, lower=True),
    ]


def main() -> bool:
    rows = []
    for name, window, homes in (("slots by themselves", 1, 400), ("slots joined by twos", 7, 60)):
        plan = plan_of(window)
        rows += rows_of(name, plan, tallies_of(plan, homes))
    return show(f"{GROUPS} groups, {SLOTS:,} slots, {APPLIANCES} × {LEVELS} levels, from tallies in memory", rows)


if __name__ == "__main__":
    raise SystemExit(not main())
