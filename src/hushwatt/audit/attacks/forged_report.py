"""What one forged report can do, and that no honest one is refused for looking forged.  [claim C19]

The inbox refuses a number of ones that chance hardly ever gives.  How often that hits an honest home is
added up here once more, on another road: over the laws of every appliance that is asked, as fractions.
What homes can do that forge for a whole period is tried in `forgers.py`.
"""

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from functools import cache, partial
from itertools import combinations, islice, pairwise

import numpy as np

from hushwatt.audit.finding import Audit, Finding
from hushwatt.audit.miniature import Shape, range_plan
from hushwatt.household.report.randomise import randomise
from hushwatt.plan.amounts import MICRO
from hushwatt.plan.plan import Plan
from hushwatt.plan.presets import preset, presets
from hushwatt.privacy.band import band
from hushwatt.privacy.entropy import Simulation
from hushwatt.privacy.influence import report_influence
from hushwatt.privacy.laws import RESOLUTION, Law, debias, is_direct, law_for
from hushwatt.privacy.strategies import affordable, rules_of, strategy_for
from hushwatt.provider.checks.plausible import payloads_fit
from hushwatt.wire.payload import Layout

WIDTHS = (2, 10, 3, 6)
MOST_STATES, MOST_GROUPS = 2_000, 2_000  # of a plan's strategy and of its appliances that are gone through
PROMISED = Fraction(1, 10**9)  # an honest report is refused less often than this
CLOSE = 1e-9  # floats that were worked out on two roads
REPORTS, QUICK_REPORTS = 1_000_000, 40_000
METHODS = (("lbu", None), ("lsp", None), ("lpu", None), ("lbd", "household"), ("lba", "household"))
Chances = tuple[Fraction, ...]  # of every number of ones, from none on


def forged_audits(quick: bool = False) -> Iterator[Audit]:
    """The band of every method's budgets, the presets' influence, and honest reports by the thousand."""
    for oracle in ("oue", "sue"):
        for asked in (1, 2, 3, 4):
            yield partial(audit_band, oracle, asked)
    for oracle in ("oue", "sue", "grr"):
        for asked in (1, 4):
            yield partial(audit_honest, oracle, asked, QUICK_REPORTS if quick else REPORTS)
    for name in presets():
        yield partial(audit_influence, preset(name))


def audit_band(oracle: str, asked: int) -> Finding:
    """The chance that an honest report is refused, at the worst budget and group of appliances."""
    worst, cases = Fraction(0), 0
    for drawn in budgets(asked):
        for members in combinations(WIDTHS, asked):
            worst = max(worst, refused(oracle, drawn, members))
            cases += 1
    figure = f"an honest report is refused at most {float(worst):.1e} of the time; {cases} cases"
    subject = f"band of {oracle}, {asked} of {len(WIDTHS)}"
    return Finding("C19", subject, figure, worst < PROMISED, numbers={"reached": float(worst / PROMISED)})


def budgets(asked: int) -> list[int]:
    """Everything that homes of any method draw with, in a small and in a large plan."""
    found = set()
    for method, decision in METHODS:
        if decision is None or asked == len(WIDTHS):
            for epsilon in (MICRO, 12 * MICRO):
                found |= drawn_under(_plan(method, decision, "oue", asked, epsilon))
    return sorted(found)


def drawn_under(plan: Plan) -> set[int]:
    """Every budget that a publication of the plan may be drawn with, in its first slots."""
    layer = {strategy_for(plan)}
    found = set[int]()
    for _ in range(2 * plan.window):
        found |= {state.offer() for state in layer}
        layer = {state.after(published) for state in layer for published in (False, True)}
        if len(layer) > MOST_STATES:
            break
    return found - {0}


def refused(oracle: str, drawn: int, widths: tuple[int, ...]) -> Fraction:
    """The chance that the inbox refuses a report about appliances of these widths."""
    low, high = band(oracle, drawn, len(widths), sum(widths))
    chances = ones_of(tuple(law_for(oracle, drawn, len(widths), width) for width in widths))
    return sum((chance for ones, chance in enumerate(chances) if not low <= ones <= high), Fraction(0))


@cache
def ones_of(laws: tuple[Law, ...]) -> Chances:
    """How likely each number of ones is: one bit by `hold` and the others by `rise`, for every appliance."""
    steps, bits = [1], 0  # whole multiples of 2⁻⁶⁴ for every bit so far
    for law in laws:
        for one in [law.hold] + [law.rise] * (law.levels - 1):
            chance = int(one * RESOLUTION)
            steps = [stay * (RESOLUTION - chance) + move * chance for move, stay in pairwise((0, *steps, 0))]
            bits += 1
    return tuple(Fraction(step, RESOLUTION**bits) for step in steps)


def audit_honest(oracle: str, asked: int, reports: int) -> Finding:
    """Reports drawn by the shipped sampler; the inbox takes every one of them."""
    plan = _plan("lpu", None, oracle, asked, 2 * MICRO)
    layout, entropy = Layout.of(plan), Simulation(3, oracle).stream("honest", asked)
    members = None
    if layout.partial:
        members = (np.arange(reports) % len(WIDTHS)).astype(np.uint16)[:, None]
    widths = np.array(WIDTHS, dtype=np.uint64)
    asked_widths = np.tile(widths, (reports, 1)) if members is None else widths[members]
    levels = entropy.words(reports * asked).reshape(reports, asked) % asked_widths
    rows = randomise(layout, levels.astype(np.uint16), members, plan.epsilon, entropy)
    wrong = int((~payloads_fit(layout, np.full(reports, plan.epsilon), rows)).sum())
    figure = f"{wrong} of {reports:,} honest reports refused"
    return Finding("C19", f"honest {oracle}, {asked} of {len(WIDTHS)}", figure, wrong == 0)


def audit_forged(plan: Plan) -> Finding:
    """Both for one plan: its influence, and how often an honest report of its own is refused."""
    found, worst = audit_influence(plan), Fraction(0)
    if not is_direct(plan.oracle):
        groups = islice(combinations(sorted(plan.widths), plan.appliances_per_report), MOST_GROUPS)
        for members in set(groups):
            worst = max([worst, *(refused(plan.oracle, drawn, members) for drawn in budgets_of(plan))])
    often = f"an honest report is refused at most {float(worst):.1e} of the time"
    figure = f"{found.figure}; {often if worst else 'no honest report is ever refused'}"
    return replace(found, figure=figure, passed=found.passed and worst < PROMISED)


def budgets_of(plan: Plan) -> set[int]:
    """Everything that a publication of the plan may be drawn with; of very many, the first ones."""
    return {affordable(plan)} if rules_of(plan).population else drawn_under(plan)


def audit_influence(plan: Plan) -> Finding:
    """What a plan says of one report's influence, against what one more report does to an estimate."""
    said, moved = report_influence(plan), 0.0
    for drawn in budgets_of(plan):
        for number, appliance in enumerate(plan.appliances):
            law = law_for(plan.oracle, drawn, plan.appliances_per_report, plan.widths[number])
            moved = max(moved, float(debias(1, 1, law)))  # one report more, and it says yes
            highest = np.arange(law.levels) == appliance.levels - 1
            shares = debias(highest.astype(float), 1, law)  # and to nothing but the highest level
            for mean in (appliance.values[0], appliance.values[-1]):  # "not measured" counts as the others' mean
                worth = np.array([*appliance.values, *[mean] * plan.answers_unmeasured])
                watts = worth.mean() + shares @ (worth - worth.mean())
                moved = max(moved, float((watts - worth.min()) / np.ptp(worth)))
    figure = f"one report counts as at most {said:.2f} homes; {moved:.2f} reached by one that says one thing"
    return Finding("C19", f"influence, {plan.name}", figure, moved <= said * (1 + CLOSE), numbers={"influence": said})


def _plan(method: str, decision: str | None, oracle: str, asked: int, epsilon: int) -> Plan:
    return range_plan(method, decision, oracle, Shape(WIDTHS, 3, 6), epsilon, asked)
