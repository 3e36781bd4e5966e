"""No window overspends, whatever is decided.  [claim C2]

Every sequence of decisions is tried by searching the states it leads through, and every turn
and order of the appliances by walking the homes' own rotation.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from functools import cache, partial

from hushwatt.audit.exact.schedules import Schedule, schedules
from hushwatt.audit.finding import Audit, Finding
from hushwatt.audit.miniature import Shape, deciders, range_plan
from hushwatt.audit.spending.histories import history_audits
from hushwatt.audit.spending.home_ledgers import book_audits
from hushwatt.audit.spending.payments import payment_audits, round_audits
from hushwatt.audit.spending.plan_ledgers import ledger_audits
from hushwatt.plan.plan import Plan
from hushwatt.privacy.dearest import dearest, moves
from hushwatt.privacy.promise import promise
from hushwatt.privacy.strategies import STRATEGIES, Strategy

AMOUNTS = (1_000_000, 999_999, 7_777_777, 97)  # millionths of ε, awkward ones among them
WINDOWS = (*range(1, 9), 40)  # the last one longer than all that is decided
SLOTS = 16
CAPS = (None, 300_000)
Start = Callable[[int, int], Strategy]  # from ε and window to the first state


def budget_audits(quick: bool = False) -> Iterator[Audit]:
    """All strategies, all ledgers, many histories, and whether every draw is paid."""
    for kind in dict.fromkeys(map(machine, STRATEGIES.values())):
        names = " ".join(name for name, each in STRATEGIES.items() if machine(each) is kind)
        yield partial(audit_strategy, names, kind.start, slots=12 if quick else SLOTS)
    for method, decision in deciders():
        if decision != "household":
            yield partial(audit_appliances, method, decision, longest=5 if quick else 7)
    yield from ledger_audits(charges=3 if quick else 4)
    yield from book_audits(spends=2 if quick else 3)
    yield from history_audits(quick)
    yield from payment_audits()
    yield from round_audits()


def machine(kind: type[Strategy]) -> type[Strategy]:
    """The class whose offers a strategy makes: sharing homes out takes the same states as sharing ε out."""
    return next(each for each in kind.__mro__ if "offer" in vars(each))


def audit_plan(plan: Plan) -> Finding:
    """The dearest window of one plan against both its promises."""
    told = promise(plan)
    home = Fraction(told.dearest, plan.epsilon)
    appliance = told.appliance_dearest / told.appliance_epsilon
    figure = f"dearest window: home {float(home):.6f} ε, appliance {float(appliance):.6f} of its ε"
    numbers = {"reached": float(max(home, appliance)), "home": float(home), "appliance": float(appliance)}
    return Finding("C2", plan.name, figure, told.kept, numbers=numbers)


def audit_strategy(name: str, start: Start, slots: int = SLOTS) -> Finding:
    """The dearest window of every sequence of decisions, for several ε and all small windows."""
    worst = Fraction(0)
    for epsilon in AMOUNTS:
        for window in WINDOWS:
            first = start(epsilon, window)
            cost = max(dearest_within(first, window, slots), dearest_ever(first, window))
            worst = max(worst, Fraction(cost, epsilon))
    figure = f"dearest window {float(worst):.6f} ε; all decisions to {slots} slots, w ≤ {WINDOWS[-1]}"
    return Finding("C2", f"{name}, home", figure, worst <= 1, numbers={"reached": float(worst)})


def dearest_within(first: Strategy, window: int, slots: int) -> int:
    """The most that any `window` slots in a row cost, over all decisions in the first `slots` slots.

    >>> from hushwatt.privacy.strategies import Distribute
    >>> dearest_within(Distribute.start(80, 2), window=2, slots=16)
    70
    """

    @cache
    def cost(state: Strategy, left: int) -> int:
        return max(now + cost(after, left - 1) for now, after in moves(state)) if left else 0

    span = min(window, slots)
    layer, found = {first}, cost(first, span)
    for _ in range(slots - span):
        layer = {after for state in layer for _, after in moves(state)}
        found = max(found, *(cost(state, span) for state in layer))
    return found


def dearest_ever(first: Strategy, window: int) -> int:
    """The same over any number of slots, where all states can be searched; else nothing is known."""
    ever = dearest(first, window)
    return ever.amount if ever.exact else 0


def audit_appliances(method: str, decision: str | None, longest: int = 7) -> Finding:
    """The dearest window of one appliance, over all turns, orders and decisions, with and without a cap."""
    worst, cases = Fraction(0), 0
    for plan, slots in _partial_plans(method, decision, longest):
        told = promise(plan)
        most = min(told.appliance_dearest, Fraction(told.appliance_epsilon))
        for schedule in schedules(plan, slots):
            worst = max(worst, dearest_appliance(plan, schedule) / most)
            cases += 1
    figure = f"dearest window {float(worst):.6f} of an appliance's ε; {cases:,} schedules"
    by = f" by the {decision}" if decision else ""
    return Finding("C2", f"{method}{by}, one appliance", figure, worst <= 1, numbers={"cases": cases})


def _partial_plans(method: str, decision: str | None, longest: int) -> Iterator[tuple[Plan, int]]:
    for appliances, asked in ((2, 1), (3, 1), (3, 2)):
        for window in (1, 2, 3, 4):
            slots = min(longest, window + appliances + 1) if decision else window + 2 * appliances
            shape = Shape((2,) * appliances, window, slots)
            for cap in CAPS:
                plan = range_plan(method, decision, "oue", shape, 1_000_000, asked)
                yield replace(plan, appliance_epsilon=cap), slots


def dearest_appliance(plan: Plan, schedule: Schedule) -> Fraction:
    """The most that one appliance spends in any window of a schedule; a draw gives each of its s 1/s."""
    sums = []
    for place in range(len(plan.appliances)):
        spent = [sum(draw.amount for draw in slot if place in draw.members) for slot in schedule]
        sums += [sum(spent[start : start + plan.window]) for start in range(len(spent))]
    return Fraction(max(sums), plan.appliances_per_report)
