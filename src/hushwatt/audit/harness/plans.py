"""Plans of every kind, drawn by chance, and what homes report under them, whatever they do."""

import random
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import numpy as np

from hushwatt.household.report.homes import enrol
from hushwatt.household.report.report import SlotReports, report
from hushwatt.plan import Appliance, Plan, SlotLength, choices
from hushwatt.plan.amounts import MICRO
from hushwatt.privacy.entropy import Simulation

METHODS = ("lbu", "lsp", "lbd", "lba", "lpu")
START = datetime(2024, 1, 1, tzinfo=UTC)
TURN = 600  # seconds of a slot
LONG = 60_000  # slots of a window that is longer than any collection here


def plan_for(chance: random.Random, method: str | None = None, **fields: Any) -> Plan:
    """Some plan with slots of ten minutes, its name drawn too, so that no two are the same."""
    method = method or chance.choice(METHODS)
    count = chance.randint(1, 4)
    decided = choices.METHODS[method].decided_by
    usual = {
        "name": f"plan {chance.getrandbits(60)}",
        "description": "What is asked.",
        "contact": "someone@example.org",
        "start": START,
        "expires": datetime(2025, 1, 1, tzinfo=UTC),
        "timezone": "UTC",
        "slot": SlotLength(TURN, "s"),
        "epsilon": chance.choice([MICRO, 4 * MICRO, 10 * MICRO]),
        "window": chance.choice([*range(1, 6), LONG]),
        "decision": decided,
        "oracle": chance.choice(["oue", "sue", "grr"]),
        "appliances": tuple(Appliance.of(f"appliance {each}", [100, 200, 300]) for each in range(count)),
        "appliances_per_report": count if decided else chance.randint(1, count),
        "mapping": chance.choice(["range", "dither"]),
        "minimum_homes": 1,
        "unmeasured": chance.choice(list(choices.UNMEASURED)),
    }
    return Plan(method=method, **{**usual, **fields})


def histories(plan: Plan, homes: int, slots: int, seed: int) -> Iterator[SlotReports]:
    """The reports of homes whose levels are anyone's guess, slot by slot."""
    source, chance = Simulation(seed, "homes"), np.random.default_rng(seed)
    fleet, kinds = enrol(plan, homes, 0, source), len(plan.appliances)
    for slot in range(slots):
        levels = chance.integers(0, min(plan.widths), (homes, kinds))
        yield report(fleet, slot, levels.astype(np.uint16), source)
