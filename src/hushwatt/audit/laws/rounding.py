"""Probabilities are rounded to whole steps of 2⁻⁶⁴, and never cost more than claimed.  [claim C1]

Thousands of budgets, from a millionth of ε to far beyond what a plan would ask: the worst
likelihood ratio of every law, as an exact fraction, against e^x.
"""

from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import partial

from hushwatt.audit.exponent import at_most, exp_between
from hushwatt.audit.finding import Audit, Finding
from hushwatt.plan.amounts import MICRO
from hushwatt.plan.plan import Plan
from hushwatt.privacy.entropy import Simulation
from hushwatt.privacy.laws import LAWS, RESOLUTION, Budget, Law

BUDGETS, QUICK_BUDGETS = 10_000, 600
LEVELS = (2, 3, 10, 100)
MOST = 40  # the largest budget tried, in whole ε
FEW = 4  # levels up to which every answer is gone through
Make = Callable[[Budget, int], Law]


def rounding_audits(quick: bool = False) -> Iterator[Audit]:
    """Every oracle at ten thousand budgets."""
    for oracle, make in LAWS.items():
        yield partial(audit_rounding, oracle, make, budgets(QUICK_BUDGETS if quick else BUDGETS))


def rounding_audit_of(plan: Plan) -> Audit:
    """A plan's oracle and levels, at budgets up to all of its ε."""
    asked = plan.appliances_per_report
    amounts = [Fraction(plan.epsilon * part, 1000 * MICRO * asked) for part in range(1, 1001)]
    return partial(audit_rounding, plan.oracle, LAWS[plan.oracle], amounts, tuple(set(plan.widths)))


def budgets(count: int) -> list[Fraction]:
    """Different budgets of one appliance from 10⁻⁸ to 40, as many small ones as large ones."""
    words = Simulation(1, "rounding").stream("budgets").words(4 * count)
    sizes, asked = (words[::2] / 2.0**64).tolist(), (words[1::2] % 40 + 1).tolist()
    found = (Fraction(int((MOST * MICRO) ** size), MICRO * some) for size, some in zip(sizes, asked, strict=True))
    return list(dict.fromkeys(found))[:count]


def audit_rounding(oracle: str, make: Make, amounts: list[Fraction], widths: tuple[int, ...] = LEVELS) -> Finding:
    """The worst ratio of every law against e^x, and how much of e^x rounding gave away."""
    wrong, given = 0, 0.0
    for index, budget in enumerate(amounts):
        levels = widths[index % len(widths)]
        law = make(budget, levels)
        ratio = worst_answer(law) if levels <= FEW else law.likelihood_ratio
        wrong += not (at_most(ratio, budget) and ratio <= law.likelihood_ratio and whole_steps(law))
        if budget < 20:
            given = max(given, float(1 - ratio / exp_between(budget, 128)[0]))
    figure = f"{wrong} of {len(amounts):,} budgets cost more than claimed; at most {given:.0e} given away"
    return Finding("C1", f"{oracle}, rounded", figure, wrong == 0, numbers={"wrong": wrong})


def worst_answer(law: Law) -> Fraction:
    """The worst ratio over every answer and every two levels."""
    ratios = []
    for answer in law.answers():
        chances = [law.chance(answer, level) for level in range(law.levels)]
        ratios.append(max(chances) / min(chances))
    return max(ratios)


def whole_steps(law: Law) -> bool:
    """Whether both chances are numbers that a 64-bit draw can hit exactly."""
    return all(RESOLUTION % chance.denominator == 0 for chance in (law.hold, law.rise)) and law.hold > law.rise
