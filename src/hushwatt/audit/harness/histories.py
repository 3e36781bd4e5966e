"""What homes report, whatever they do."""

from collections.abc import Iterator

import numpy as np

from hushwatt.household.report.homes import enrol
from hushwatt.household.report.report import SlotReports, report
from hushwatt.plan.plan import Plan
from hushwatt.privacy.entropy import Simulation


def histories(plan: Plan, homes: int, slots: int, seed: int) -> Iterator[SlotReports]:
    """The reports of homes whose levels are anyone's guess, slot by slot."""
    source, chance = Simulation(seed, "homes"), np.random.default_rng(seed)
    fleet, kinds = enrol(plan, homes, 0, source), len(plan.appliances)
    for slot in range(slots):
        levels = chance.integers(0, min(plan.widths), (homes, kinds))
        yield report(fleet, slot, levels.astype(np.uint16), source)
