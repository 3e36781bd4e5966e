"""How much of ε a plan can use without giving one appliance more than its cap."""

from hushwatt.errors import PlanError
from hushwatt.plan.amounts import plain
from hushwatt.plan.choices import shares
from hushwatt.plan.plan import Plan


def affordable(plan: Plan) -> int:
    """The ε, in millionths, that the strategy is started with.

    Every drawn report gives each of its s appliances 1/s of its budget, so a window's
    ε can reach one appliance with ε/s at most.  `lbu` spreads ε over w draws, and
    the rotation lets an appliance into at most ⌈w·s/n⌉ of them (docs/proofs/rotation.md).
    """
    cap, asked = plan.appliance_epsilon, plan.appliances_per_report
    if cap is None:
        return plan.epsilon
    most = asked * cap
    if plan.method == "lbu":
        turns = -(-plan.window * asked // len(plan.appliances))
        most = plan.window * (most // turns)
    if most < shares(plan.method, plan.window):
        raise PlanError(
            f"appliance_epsilon is {plain(cap)}, which leaves less than 0.000001 for a slot of {plan.method} "
            f"with window = {plan.window}: raise it, or lower window"
        )
    return min(plan.epsilon, most)
