"""The samplers draw from the laws they declare, and a law 2 % off is noticed.  [claim C5]

What is judged are payloads as they leave home, read back by the published format.
"""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hushwatt.audit.finding import Audit, Finding
from hushwatt.audit.laws.counting import DOUBT, fits, noticeable, surprise, tells_apart
from hushwatt.audit.laws.debiasing import tally_audits
from hushwatt.audit.laws.streams import stream_audits
from hushwatt.household.report.levels import dithered
from hushwatt.household.report.randomise import randomise
from hushwatt.plan.amounts import MICRO
from hushwatt.plan.appliance import Appliance
from hushwatt.plan.plan import Plan
from hushwatt.privacy.entropy import Entropy, Simulation
from hushwatt.privacy.laws import LAWS, Law, law_for
from hushwatt.privacy.promise import promise
from hushwatt.wire.payload import Layout, take

BUDGETS = (0.1, 0.5, 1.0, 2.0)  # of one appliance
WIDTHS = (2, 3, 10)
ROWS, QUICK_ROWS = 2_000_000, 800_000
HELD: tuple[Callable[[int], int], ...] = (  # the level that an appliance of so many levels is at
    lambda width: 0,
    lambda width: 1,
    lambda width: width - 1,
    lambda width: width // 2,
)
WAYS = (0.25, 0.5, 0.8)  # of the way from one value to the next
Counts = NDArray[np.int64]
Sampler = Callable[[Layout, NDArray[np.uint16], None, int, Entropy], NDArray[np.uint8]]


def sampler_audits(quick: bool = False) -> Iterator[Audit]:
    """Every oracle at several budgets, rounding by coin, what undoes them, and whole streams."""
    rows = QUICK_ROWS if quick else ROWS
    for oracle in LAWS:
        for budget in BUDGETS[1:3] if quick else BUDGETS:
            yield partial(audit_sampler, randomise, oracle, int(budget * MICRO), rows)
    yield partial(audit_dither, rows)
    yield from tally_audits()
    yield from stream_audits(quick)


def sampler_audit_of(plan: Plan) -> Audit:
    """A plan's oracle at the largest budget that it draws with."""
    budget = promise(plan).drawn // plan.appliances_per_report
    widths = tuple(sorted(set(plan.widths)))[:3]
    return partial(audit_sampler, randomise, plan.oracle, max(1, budget), QUICK_ROWS, widths)


def audit_sampler(sampler: Sampler, oracle: str, budget: int, rows: int, widths: tuple[int, ...] = WIDTHS) -> Finding:
    """Answers about appliances of several widths, each asked with `budget` millionths of ε."""
    layout = Layout(oracle, widths, asked=len(widths))
    cells, worst = [], 0.0
    for seed, held in enumerate(HELD):
        true = [held(width) for width in widths]
        entropy = Simulation(seed, oracle).stream(budget)
        levels = np.tile(np.array(true, dtype=np.uint16), (rows, 1))
        payloads = sampler(layout, levels, None, budget * len(widths), entropy)
        for place, (width, level) in enumerate(zip(widths, true, strict=True)):
            law = law_for(oracle, budget * len(widths), len(widths), width)
            bits = layout.field_bits(width)
            seen = np.bincount(take(payloads, layout.places[place], bits), minlength=1 << bits)
            worst = max(worst, surprise(seen, chances(law, layout, bits, level)))
            cells += [*cell_counts(law, layout, seen, level)]
    return _finding(f"{oracle} at ε={budget / MICRO}", cells, worst)


def chances(law: Law, layout: Layout, bits: int, level: int) -> NDArray[np.float64]:
    """The chance of every number that an answer's field can hold."""
    table = np.zeros(1 << bits)
    for answer in law.answers():
        table[_number(layout, answer)] = float(law.chance(answer, level))
    return table


def _number(layout: Layout, answer: Any) -> int:
    """An answer as its field's number: the level, or its bits with the first one least."""
    return int(answer) if layout.direct else sum(bit << place for place, bit in enumerate(answer))


def cell_counts(law: Law, layout: Layout, seen: Counts, level: int) -> Iterator[tuple[int, int, float]]:
    """Hits, trials and chance for the true level's cell, and for all the others together."""
    numbers, reports = np.arange(len(seen)), int(seen.sum())
    for mine, chance in ((True, law.hold), (False, law.rise)):
        cells = [cell for cell in range(law.levels) if (cell == level) == mine]
        if layout.direct:
            hits = int(seen[cells].sum())
        else:
            hits = sum(int(seen[numbers >> cell & 1 == 1].sum()) for cell in cells)
        trials = reports * len(cells)
        if layout.direct and not mine:  # only one of the other levels can be the answer
            trials, chance = reports, chance * len(cells)
        yield hits, trials, float(chance)


def audit_dither(rows: int) -> Finding:
    """Readings part of the way from one value to the next go up exactly that often.  [claim C9]"""
    kettle = Appliance.of("kettle", values=[0, 100, 300], mapping="dither")
    cells = []
    for place, way in enumerate(WAYS):
        levels = dithered(kettle, np.full(rows, 100 + 200 * way), Simulation(place, "dither").stream("levels"))
        cells.append((int((levels == 2).sum()), rows, way))
        assert set(np.unique(levels)) == {1, 2}
    return _finding("dither", cells, 0.0)


def _finding(subject: str, cells: list[tuple[int, int, float]], worst: float) -> Finding:
    """Passed when every count fits its chance and none that is large enough would fit one 2 % off."""
    good = all(fits(*cell) for cell in cells) and worst < DOUBT
    sharp = all(tells_apart(*cell) for cell in cells if noticeable(*cell))
    trials = sum(trials for _, trials, _ in cells)
    verdict = ("the law fits" if good else "the law does NOT fit") + (", 2 % off is noticed" if sharp else "")
    return Finding("C5", f"sampler of {subject}", f"{verdict}; {trials:,} draws", good and sharp)
