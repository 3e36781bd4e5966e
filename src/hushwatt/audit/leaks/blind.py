"""With blindfolded answers nothing may depend on a reading, decisions least of all.  [claim C6] [claim C17]

The one step that may look at a level, the randomiser, is passed in: it answers about the lowest
level, whatever the truth is.  All else is as shipped.  Homes that lead different lives with the same
randomness must then do the very same in every byte: what they pay, decide, send and keep.
"""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from hushwatt.audit.finding import Audit, Finding
from hushwatt.audit.harness.lives import plan_at_home
from hushwatt.audit.leaks.twins import readings_for, traces
from hushwatt.audit.miniature import Shape, deciders, range_plan
from hushwatt.fleet.provider_decisions import DecisionState, report_rounds
from hushwatt.household.report.homes import enrol
from hushwatt.household.report.levels import Levels
from hushwatt.household.report.randomise import randomise
from hushwatt.household.report.report import SlotReports, report
from hushwatt.plan.amounts import MICRO
from hushwatt.plan.plan import Plan
from hushwatt.privacy.entropy import Entropy, Simulation
from hushwatt.privacy.kernels import Rows
from hushwatt.wire.payload import Layout, Members

HOMES, WIDTHS = 40, (2, 3, 4)
SLOTS, QUICK_SLOTS = 60, 8
AT_HOME = (
    ("lbd", "household", "oue", 3, 2, 2 * MICRO),
    ("lba", "household", "grr", 3, 3, 2 * MICRO),
    ("lba", "household", "oue", 3, 2, 2 * MICRO, "answer"),
)


def lowest_level(layout: Layout, levels: Levels, members: Members | None, drawn: int, entropy: Entropy) -> Rows:
    """The shipped randomiser, which is always told the lowest level."""
    return randomise(layout, np.zeros_like(levels), members, drawn, entropy)


def blind_audits(quick: bool = False) -> Iterator[Audit]:
    """Every method and whoever decides, in fleets; and homes that decide, at home."""
    slots = QUICK_SLOTS if quick else SLOTS
    for method, decision in deciders():
        yield partial(audit_blind_fleet, method, decision, slots)
    for chosen in AT_HOME:
        yield partial(audit_blind_agent, plan_at_home(*chosen), slots)


def audit_blind_fleet(method: str, decision: str | None, slots: int) -> Finding:
    """Fleets that lead four different lives."""
    asked = 3 if decision == "household" else 2
    plan = range_plan(method, decision, "oue", Shape(WIDTHS, 3, slots), 2 * MICRO, asked)
    first, *others = [_sent(plan, life, slots) for life in range(4)]
    other = sum(each != first for each in others)
    by = f" by the {decision}" if decision else ""
    figure = f"{other} of {len(others)} other lives differ in a byte or a decision; {slots} slots"
    return Finding("C17 C6" if decision else "C17", f"blindfolded fleet, {method}{by}", figure, other == 0)


def _sent(plan: Plan, life: int, slots: int) -> list[tuple[Any, ...]]:
    """All that a fleet sends, as plain values."""
    source = Simulation(6, plan.id)
    homes = replace(enrol(plan, HOMES, 0, source), randomiser=lowest_level)
    decided = DecisionState.start(plan, HOMES) if plan.decision == "provider" else None
    everything = []
    for slot in range(slots):
        levels = _levels(life, slot)
        rounds = (
            report_rounds(homes, decided, slot, levels, source) if decided else [report(homes, slot, levels, source)]
        )
        everything += [_plain(sent) for sent in rounds]
    return everything


def _levels(life: int, slot: int) -> Levels:
    """Nothing, everything, by turns, or whatever chance says."""
    widths = np.array(WIDTHS)
    words = Simulation(7, "lives").stream("levels", slot).words(HOMES * len(widths))
    chance = words.reshape(HOMES, -1) % widths.astype(np.uint64)
    table = (np.zeros_like(chance), chance * 0 + widths - 1, chance * 0 + slot % 2, chance)[life]
    return table.astype(np.uint16)


def _plain(sent: SlotReports) -> tuple[Any, ...]:
    columns = (sent.homes, sent.spent, sent.drawn, sent.payloads)
    return sent.slot, sent.round, *(column.tobytes() for column in columns)


def audit_blind_agent(plan: Plan, slots: int) -> Finding:
    """One agent at home under different readings: its whole ledger, its requests and its lines."""
    left = [traces(plan, readings, slots, True, lowest_level) for readings in readings_for(plan).values()]
    other = sum(each != left[0] for each in left)
    figure = f"{other} of {len(left)} kinds of readings leave other traces; {slots} slots"
    return Finding("C17 C6", f"blindfolded agent, {plan.method}, {plan.oracle}", figure, other == 0)
