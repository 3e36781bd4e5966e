"""How much of ε a plan can use without giving one appliance more than its cap."""

from hushwatt.errors import PlanError
from hushwatt.plan.amounts import plain
from hushwatt.plan.choices import METHODS
from hushwatt.plan.plan import Plan
from hushwatt.privacy.strategies.strategy import Strategy
from hushwatt.privacy.strategies.table import rules_of

MAX_TURNS = 1 << 22  # homes are counted by their turns; a year of ten-second slots has fewer


def strategy_for(plan: Plan) -> Strategy:
    """The state in which every home begins, with the ε that the plan can afford.

    >>> from hushwatt.plan.presets import preset
    >>> strategy_for(preset("paper")).probe
    1666666
    """
    rules = rules_of(plan)
    if rules.population and plan.window > MAX_TURNS:
        raise PlanError(
            f"window is {plan.window:,}; with {plan.method}, in which homes take turns, it must be at most "
            f"{MAX_TURNS:,}: lengthen slot"
        )
    return rules.start(affordable(plan), plan.window)


def affordable(plan: Plan) -> int:
    """The ε, in millionths, that the strategy is started with.

    Every drawn report gives each of its s appliances 1/s of its budget, so a window's
    ε can reach one appliance with ε/s at most.  Where the clock spreads ε over D draws of a
    window, the rotation lets an appliance into at most ⌈D·s/n⌉ of them (docs/proofs/rotation.md).
    """
    cap, asked = plan.appliance_epsilon, plan.appliances_per_report
    if cap is None:
        return plan.epsilon
    draws = -(-plan.window // rules_of(plan).stride(plan.window))
    most = draws * (asked * cap // -(-draws * asked // len(plan.appliances)))
    if most < METHODS[plan.method].shares(plan.window):
        raise PlanError(
            f"appliance_epsilon is {plain(cap)}, which leaves less than 0.000001 for a slot of {plan.method} "
            f"with window = {plan.window}: raise it, or lower window"
        )
    return min(plan.epsilon, most)
