"""How long the caps of a lifetime let a home take part in a plan, said before it joins."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil

from hushwatt.household.clock import SECOND
from hushwatt.household.ledger.caps import DAY, Caps
from hushwatt.household.ledger.demand import lifetime_appliance_cost, lifetime_cost, slots_touched
from hushwatt.household.ledger.objections import NOTHING_SPENT, LifetimeSpent, Objection
from hushwatt.plan.amounts import plain
from hushwatt.plan.plan import Plan


@dataclass(frozen=True)
class Lasting:
    """For how long a plan can be paid for, counting what other plans may ask meanwhile."""

    length: int  # nanoseconds
    short: tuple[Objection, ...]  # the caps that would not last to the plan's end, and what they would have to be

    @property
    def words(self) -> str:
        if not self.short:
            return "your lifetime caps last as long as the plan"
        caps = " and ".join(str(each.cap) for each in self.short)
        return (
            f"lasts {about(self.length)} under your {caps}; then your home retires from it by itself, and nothing "
            "more is sent"
        )


def lasting(
    caps: Caps, plan: Plan, others: Sequence[Plan] = (), spent: LifetimeSpent = NOTHING_SPENT, now: int = 0
) -> Lasting:
    """How long `plan` can run from `now` on, or from its start, beside `others`."""
    slots = _slots_left(plan, now)
    short = tuple(_beyond(caps, plan, others, spent, slots, now))
    low, high = 0, slots
    while low < high:  # the most slots that the caps pay for
        middle = (low + high + 1) // 2
        if any(_beyond(caps, plan, others, spent, middle, now)):
            high = middle - 1
        else:
            low = middle
    return Lasting(low * plan.slot.seconds * SECOND, short)


def _slots_left(plan: Plan, now: int) -> int:
    begun = max(0, int(plan.calendar.slot_of([now])[0]) + 1) if now else 0
    return max(0, plan.calendar.slots - begun)


def _beyond(
    caps: Caps, plan: Plan, others: Sequence[Plan], spent: LifetimeSpent, slots: int, now: int
) -> list[Objection]:
    """The caps that so many slots of the plan, and what others ask meanwhile, would exceed."""
    length = slots * plan.slot.seconds * SECOND
    asked = [(plan, slots), *((each, min(slots_touched(each, length), _slots_left(each, now))) for each in others)]
    home = spent.home + sum(lifetime_cost(each, count) for each, count in asked)
    single = max(
        spent.appliances.get(name, 0)
        + sum(lifetime_appliance_cost(each, count) for each, count in asked if name in each.names)
        for name in plan.names
    )
    sums = ((caps.lifetime, home), (caps.appliance_lifetime, ceil(single)))
    return [
        Objection(f"all of it may come to {plain(total)} ε", limit.cap, total)
        for limit, total in sums
        if total > limit.amount
    ]


def about(length: int) -> str:
    """A length of time in the unit that one would use.

    >>> about(5 * 366 * DAY), about(100 * DAY), about(30 * DAY), about(DAY), about(DAY // 24)
    ('about 5 years', 'about 3 months', 'about 30 days', 'about a day', 'less than a day')
    """
    days = length // DAY
    if days >= 730:
        return f"about {round(days / 365.25)} years"
    if days >= 61:
        return f"about {round(days / 30.44)} months"
    return f"about {days} days" if days > 1 else "about a day" if days else "less than a day"
