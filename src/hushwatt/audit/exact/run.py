"""Every mechanism that a plan can name, gone through shape by shape.  [claim C7] [claim C8]"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from itertools import product

from hushwatt.audit.exact.observers import OBSERVERS
from hushwatt.audit.exact.scheduled import Losses, open_losses
from hushwatt.audit.exact.search import hidden_losses
from hushwatt.audit.exponent import at_most, loss
from hushwatt.audit.finding import Audit, Finding
from hushwatt.audit.miniature import (
    EPSILONS,
    QUICK_SHAPES,
    SHAPES,
    TURNING,
    Mechanism,
    Shape,
    mechanism_of,
    mechanisms,
    plans,
    shape_like,
    small_plan,
)
from hushwatt.errors import PlanError
from hushwatt.plan.amounts import MICRO
from hushwatt.plan.choices import DECISIONS, MAPPINGS, METHODS, ORACLES
from hushwatt.plan.plan import Plan
from hushwatt.privacy.laws import is_direct
from hushwatt.privacy.promise import promise
from hushwatt.privacy.strategies import STRATEGIES

MOST_BITS = 10  # of an appliance's answer, in a plan that is gone through as it stands
MOST_SLOTS = 50  # of its window


@dataclass
class Record:
    """The worst of all cases so far, as parts of what is promised."""

    home: float = 0.0
    appliance: float = 0.0
    cases: int = 0
    broken: list[str] = field(default_factory=list)

    def add(self, plan: Plan, losses: Losses, case: str) -> None:
        """Weigh one case against both promises, exactly."""
        home, appliance = Fraction(plan.epsilon, MICRO), promise(plan).appliance_dearest / MICRO
        self.cases += 1
        self.home = max(self.home, loss(losses.home) / float(home))
        self.appliance = max(self.appliance, loss(losses.appliance) / float(appliance))
        for ratio, most, what in ((losses.home, home, "home"), (losses.appliance, appliance, "appliance")):
            if ratio is None or not at_most(ratio, most):
                self.broken.append(f"{case}: {what} {loss(ratio):.6f} > {float(most):.6f}")


def exact_audits(quick: bool = False) -> Iterator[Audit]:
    """One audit for each mechanism, over all shapes, budgets and observers.

    When quick, the budgets take turns: each mechanism is tried with one of them.
    """
    shapes = QUICK_SHAPES if quick else SHAPES
    yield partial(audit_coverage, len(shapes), len(EPSILONS))
    for place, mechanism in enumerate(mechanisms()):
        turning = TURNING if mechanism.partial and not quick else ()
        epsilons = (EPSILONS[place % len(EPSILONS)],) if quick else EPSILONS
        yield partial(_audit, mechanism, (*shapes, *turning), epsilons)


def audit_coverage(shapes: int, epsilons: int) -> Finding:
    """Oracles × methods × who decides × mappings × all or some appliances, against what is gone through."""
    gone = list(mechanisms())
    missing = set(nameable()) - set(gone)
    methods = len({(each.method, each.decision) for each in gone})
    figure = (
        f"{len(gone)} mechanisms ({len(ORACLES)} oracles × {methods} methods and who decides × "
        f"{len(MAPPINGS)} mappings × all or some appliances) in {shapes} shapes × {epsilons} ε × "
        f"{len(OBSERVERS)} observers; {len(missing)} left out"
    )
    numbers = {"mechanisms": len(gone), "missing": len(missing)}
    return Finding("C7 C8", "what is enumerated", figure, not missing, numbers=numbers)


def nameable() -> list[Mechanism]:
    """Every product of choices that a plan accepts."""
    choices = product(METHODS, (None, *DECISIONS), ORACLES, MAPPINGS, (False, True))
    return [found for found in (Mechanism(*chosen) for chosen in choices) if _accepted(found)]


def _accepted(mechanism: Mechanism) -> bool:
    try:
        small_plan(mechanism, Shape((2, 2), 2, 2), MICRO, asked=1 if mechanism.partial else 2)
    except PlanError:
        return False
    return True


def exact_audit_of(plan: Plan) -> Audit:
    """A plan as it stands where its answers can be enumerated, else cut down to a shape in which they can."""
    if is_open(plan):
        return partial(audit_as_it_stands, plan)
    return partial(_audit, mechanism_of(plan), (shape_like(plan),), (plan.epsilon,))


def is_open(plan: Plan) -> bool:
    """Whether the clock alone decides, about all appliances, with few enough answers."""
    everyone = plan.appliances_per_report == len(plan.appliances)
    few = is_direct(plan.oracle) or max(plan.widths) <= MOST_BITS
    return plan.decision is None and everyone and few and plan.window <= MOST_SLOTS


def audit_as_it_stands(plan: Plan) -> Finding:
    """Every answer of every appliance in a whole window, at the plan's own ε, levels and window."""
    record = Record()
    record.add(plan, open_losses(plan, 2 * plan.window), plan.name)
    figure = f"home {record.home:.6f} ε, appliance {record.appliance:.6f} of its ε, as it stands"
    numbers = {"reached": max(record.home, record.appliance)}
    return Finding(claims(mechanism_of(plan)), str(mechanism_of(plan)), figure, not record.broken, numbers=numbers)


def _audit(mechanism: Mechanism, shapes: tuple[Shape, ...], epsilons: tuple[int, ...]) -> Finding:
    record = Record()
    for shape in shapes:
        for epsilon in epsilons:
            for plan in plans(mechanism, shape, epsilon):
                _weigh(record, plan, mechanism, shape)
    figure = f"home {record.home:.3f} ε, appliance {record.appliance:.3f} of its ε, {record.cases} cases"
    numbers: dict[str, float | int | str] = {
        "reached": max(record.home, record.appliance),
        "home": record.home,
        "appliance": record.appliance,
        "cases": record.cases,
        "broken": "; ".join(record.broken[:3]),
    }
    return Finding(claims(mechanism), str(mechanism), figure, not record.broken, numbers=numbers)


def claims(mechanism: Mechanism) -> str:
    """Which claims a mechanism puts to the test."""
    decided = ["C6"] * (mechanism.decision == "household")
    rounded = ["C9"] * (mechanism.mapping == "dither")
    turning = ["C10"] * (mechanism.partial or STRATEGIES[mechanism.method].population)
    return " ".join(["C7", "C8", *decided, *rounded, *turning])


def _weigh(record: Record, plan: Plan, mechanism: Mechanism, shape: Shape) -> None:
    """Both observers, where a probe is hidden from them; elsewhere they see the same."""
    case = f"{mechanism}, {shape}, ε={plan.epsilon / MICRO}"
    if mechanism.decision != "household":
        record.add(plan, open_losses(plan, shape.slots), case)
        return
    slots = _slots(mechanism, shape)
    for observer in OBSERVERS:
        record.add(plan, hidden_losses(plan, slots, observer), f"{case}, seeing {observer}")


def _slots(mechanism: Mechanism, shape: Shape) -> int:
    """Streams of mixtures are many, so dithered ones are kept shorter."""
    if mechanism.mapping == "range":
        return shape.slots
    longest = {2: 4, 3: 4, 4: 3}.get(shape.answers, 2)
    return min(shape.slots, max(shape.window, longest))
