"""When a home retires from a plan never depends on its readings.  [claim C17]

Homes with the same randomness and different readings use up a short lifetime, also where they decide by their
probes what to publish.  What counts of their lifetime, when they fall silent and what they say must be alike.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

from hushwatt.audit.finding import Audit, Finding
from hushwatt.audit.harness.home_under_test import NO_CAPS
from hushwatt.audit.harness.lives import plan_at_home
from hushwatt.audit.harness.plan_home import home_in_plan
from hushwatt.audit.leaks.twins import PLANS as CLOCKED
from hushwatt.audit.leaks.twins import readings_for
from hushwatt.household.report.levels import Watts
from hushwatt.household.retirement import RETIRED
from hushwatt.plan.amounts import MICRO
from hushwatt.plan.plan import Plan
from hushwatt.privacy.entropy import Simulation

DECIDING = (
    ("lbd", "household", "oue", 3, 2, 8 * MICRO),
    ("lba", "household", "grr", 3, 3, 8 * MICRO),
)
PLANS = (*CLOCKED, *DECIDING)
WINDOWS = 3  # of ε in a lifetime
SLOTS = 20  # by which it is used up


def retiring_audits() -> Iterator[Audit]:
    """Every method that homes speak by."""
    for chosen in PLANS:
        yield partial(audit_retiring, plan_at_home(*chosen))


def audit_retiring(plan: Plan) -> Finding:
    """Homes of every kind of readings, compared with the one that reads nothing."""
    seen = {name: retirement(plan, readings) for name, readings in readings_for(plan).items()}
    first = seen["nothing"]
    other = [f"{name}: {part}" for name, those in seen.items() for part in first if those[part] != first[part]]
    retired = bool(first["silences"])
    figure = (
        f"{len(other)} differences between {len(seen)} kinds of readings, all retired: {'yes' if retired else 'no'}"
    )
    subject = f"retiring, {plan.method}, {plan.oracle}, {plan.appliances_per_report} of {len(plan.appliances)}"
    return Finding("C17", subject, figure, retired and not other, numbers={"differ": "; ".join(other[:3])})


def retirement(plan: Plan, readings: Callable[[int, int], Watts]) -> dict[str, list[Any]]:
    """How a home with these readings and a short lifetime ends its membership."""

    def watts(slot: int) -> Watts:
        return readings(slot, len(plan.appliances))

    caps = replace(NO_CAPS, epsilon_lifetime=WINDOWS * plan.epsilon)
    with home_in_plan(plan, watts, caps=caps, source=Simulation(9, plan.id)) as home:
        for slot in range(SLOTS):
            home.begin(slot)
            home.end(slot)
        return {
            "totals": home.store.rows("SELECT * FROM totals"),
            "silences": home.store.rows("SELECT * FROM silences WHERE reason = ?", (RETIRED,)),
            "retired": home.store.rows("SELECT retired FROM plans"),
            "lines": home.said,
        }
