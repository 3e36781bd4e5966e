"""What the enumeration goes through: every mechanism that a plan can name, and nothing left out."""

from itertools import product

from hushwatt.audit.exact.observers import OBSERVERS
from hushwatt.audit.finding import Finding
from hushwatt.audit.miniature import Mechanism, Shape, mechanisms, small_plan
from hushwatt.errors import PlanError
from hushwatt.plan.amounts import MICRO
from hushwatt.plan.choices import DECISIONS, MAPPINGS, METHODS, ORACLES


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
