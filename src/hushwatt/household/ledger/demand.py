"""The most that a plan can ask in an interval of time: what the owner's caps are weighed against.

An interval counts every slot that touches it, as the home ledger does, so plans that together ask no
more than a cap here are never held back by it.  Only a local day of 23 hours can cost them a slot.
"""

from fractions import Fraction

from hushwatt.household.clock import SECOND
from hushwatt.plan.plan import Plan
from hushwatt.privacy.strategies import affordable, rules_of, strategy_for


def window_length(plan: Plan) -> int:
    """How long a plan's window lasts in nanoseconds, counting every day as 24 hours."""
    return plan.window * plan.slot.seconds * SECOND


def slots_touched(plan: Plan, length: int) -> int:
    """How many slots of a plan an interval of `length` nanoseconds can touch."""
    return min(-(-length // (plan.slot.seconds * SECOND)) + 1, plan.calendar.slots)


def max_spend(plan: Plan, length: int) -> int:
    """What these slots can cost the home together, by the strategy's proved bound."""
    return strategy_for(plan).ceiling(slots_touched(plan, length))


def max_appliance_spend(plan: Plan, length: int) -> Fraction:
    """What of it can reach one appliance."""
    return _appliance_part(plan, max_spend(plan, length), slots_touched(plan, length))


def lifetime_cost(plan: Plan, slots: int) -> int:
    """What so many slots in a row can count for in the home's lifetime.

    Where homes decide, every window of the plan's calendar that they take part in counts in full (`lifetime.py`).
    """
    if plan.decision is None:
        return strategy_for(plan).ceiling(slots)
    return (-(-(slots - 1) // plan.window) + 1) * affordable(plan) if slots else 0


def lifetime_appliance_cost(plan: Plan, slots: int) -> Fraction:
    """What of it can count for one appliance."""
    return _appliance_part(plan, lifetime_cost(plan, slots), slots) if slots else Fraction(0)


def _appliance_part(plan: Plan, total: int, slots: int) -> Fraction:
    """What one appliance gets: 1/s of every draw that the rotation lets it into.

    D draws in a row let an appliance into ⌈D·s/n⌉ of them (docs/proofs/rotation.md).
    """
    asked, count = plan.appliances_per_report, len(plan.appliances)
    if plan.decision is not None or asked == count:
        return Fraction(total, asked)
    draws = -(-slots // rules_of(plan).stride(plan.window))
    return Fraction(total * -(-draws * asked // count), draws * asked)
