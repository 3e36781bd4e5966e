"""What stands against a plan by the owner's caps, a sentence each, and the setting that would allow it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from fractions import Fraction
from math import ceil

from hushwatt.household.ledger.caps import AMOUNTS, DAY, EARLIER_DEFAULTS, Caps, IntervalCap, LifetimeCap
from hushwatt.household.ledger.demand import (
    lifetime_appliance_cost,
    lifetime_cost,
    max_appliance_spend,
    max_spend,
    window_length,
)
from hushwatt.plan.amounts import LARGEST, MICRO, plain
from hushwatt.plan.plan import Plan


@dataclass(frozen=True)
class Objection:
    """One thing that a plan asks beyond a cap."""

    words: str
    cap: str | None = None  # the cap that is too low for it, or too high; None: no cap allows it
    needed: int | datetime | None = None  # what the cap would have to be

    @property
    def setting(self) -> str | None:
        """How the owner would write it, if anything that can be written allows the plan.

        >>> Objection("it asks much", "epsilon_per_year", 1_220_000_000).setting
        'epsilon_per_year=1220'
        """
        if self.cap is None or self.needed is None:
            return None
        if isinstance(self.needed, datetime):
            return f"{self.cap}={self.needed:%Y-%m-%dT%H:%M:%SZ}"
        if not self.cap.startswith(("epsilon", "appliance")):
            return f"{self.cap}={self.needed}"
        return f"{self.cap}={plain(self.needed)}" if self.needed <= LARGEST * MICRO else None


@dataclass(frozen=True)
class LifetimeSpent:
    """What counts as spent so far, by the home and on each of its appliances."""

    home: int = 0
    appliances: dict[str, Fraction] = field(default_factory=dict)


NOTHING_SPENT = LifetimeSpent()


def bars(caps: Caps, plan: Plan) -> list[Objection]:
    """Why this home does not speak under a plan at all."""
    found = []
    if plan.epsilon > caps.epsilon_per_window:
        found.append(_beyond(plan.epsilon, "in any window", "epsilon_per_window", caps.epsilon_per_window))
    if plan.window < caps.smallest_window:
        words = f"its window is {plan.window} slots, your smallest_window is {caps.smallest_window}"
        found.append(Objection(words, "smallest_window", plan.window))
    if plan.minimum_homes < caps.smallest_minimum_homes:
        words = (
            f"it shows results of {plan.minimum_homes} homes, "
            f"your smallest_minimum_homes is {caps.smallest_minimum_homes}"
        )
        found.append(Objection(words, "smallest_minimum_homes", plan.minimum_homes))
    if caps.latest_expiry is not None and plan.expires > caps.latest_expiry:
        words = f"it lasts until {plan.expires:%Y-%m-%d}, beyond your latest_expiry"
        found.append(Objection(words, "latest_expiry", plan.expires))
    if plan.decision == "provider":
        found.append(Objection("it lets the provider decide when a home speaks, which no home does"))
    return found


def objections(
    caps: Caps, plan: Plan, others: Sequence[Plan] = (), spent: LifetimeSpent = NOTHING_SPENT
) -> list[Objection]:
    """All that a plan asks beyond the caps, alone or with `others` beside it, after what was `spent` before.

    What meets no objection is never held back by the cap of a window, a day or a year afterwards.  The caps of a
    lifetime must leave enough for a first window; how long they last then is another question (`lasting`).
    """
    return [
        *bars(caps, plan),
        *_sums(caps, plan, others),
        *_appliance_sums(caps, plan, others),
        *_lifetime(caps, plan, spent),
    ]


def raised(caps: Caps) -> tuple[str, ...]:
    """The caps on amounts that the owner has above what they are by themselves, a phrase each.

    >>> raised(Caps(epsilon_per_year=1_220 * MICRO))
    ('epsilon_per_year is 1220, not 20',)
    """
    usual = Caps()
    higher = (name for name in AMOUNTS if getattr(caps, name) > getattr(usual, name))
    return tuple(f"{name} is {plain(getattr(caps, name))}, not {plain(getattr(usual, name))}" for name in higher)


def earlier_terms(caps: Caps) -> str | None:
    """What is said of a plan that was joined when other caps were the default, where they still make a difference."""
    held = caps.as_agreed_before()
    differing = [name for name in EARLIER_DEFAULTS if getattr(held, name) > getattr(caps, name)]
    if not differing:
        return None
    year = "" if held.epsilon_per_year == caps.epsilon_per_year else f"ε {plain(held.epsilon_per_year)} in a year, "
    return (
        f"joined before {', '.join(differing)} had the limits they have now: what held then goes on ({year}no limit "
        "for a lifetime); to be bound by lower ones, write them into caps.toml"
    )


def _sums(caps: Caps, plan: Plan, others: Sequence[Plan]) -> Iterator[Objection]:
    for limit in caps.limits:
        when = f"in a {limit.words}"
        alone, *rest = (max_spend(each, limit.length) for each in (plan, *others))
        total = alone + sum(rest)
        if alone > limit.amount:
            yield _beyond(alone, when, limit.cap, limit.amount, total)
        elif total > limit.amount:
            yield _beyond(total, f"{when} together with your other plans", limit.cap, limit.amount)


def _appliance_sums(caps: Caps, plan: Plan, others: Sequence[Plan]) -> Iterator[Objection]:
    length = max(DAY, *(window_length(each) for each in (plan, *others)))
    for limit in caps.appliance_limits(length):
        yield from _appliance_sum(limit, plan, others)


def _appliance_sum(limit: IntervalCap, plan: Plan, others: Sequence[Plan]) -> Iterator[Objection]:
    sums = {
        name: ceil(sum(max_appliance_spend(each, limit.length) for each in (plan, *others) if name in each.names))
        for name in {name for each in (plan, *others) for name in each.names}
    }
    worst = max(sorted(sums), key=lambda name: sums[name])
    if sums[worst] > limit.amount:
        shared = f"together with your other plans on {worst}" if others else "on one appliance"
        yield _beyond(sums[worst], f"{limit.when} {shared}", limit.cap, limit.amount)


def _lifetime(caps: Caps, plan: Plan, spent: LifetimeSpent) -> Iterator[Objection]:
    """A lifetime that does not even pay for the first window; to allow it, it must pay for the whole plan."""
    slots = min(plan.window, plan.calendar.slots)
    pairs: list[tuple[LifetimeCap, int, int, int]] = [
        (caps.lifetime, spent.home, lifetime_cost(plan, slots), lifetime_cost(plan, plan.calendar.slots))
    ]
    before = ceil(max((spent.appliances.get(name, Fraction(0)) for name in plan.names), default=0))
    single, whole = (ceil(lifetime_appliance_cost(plan, each)) for each in (slots, plan.calendar.slots))
    pairs.append((caps.appliance_lifetime, before, single, whole))
    for limit, counted, first, all_of_it in pairs:
        if counted + first > limit.amount:
            words = (
                f"it asks {plain(first)} ε in its first window, and {plain(counted)} of your cap {limit.cap}, "
                f"which is {plain(limit.amount)}, count as spent already"
            )
            yield Objection(words, limit.cap, counted + all_of_it)


def _beyond(amount: int, when: str, cap: str, allowed: int, needed: int | None = None) -> Objection:
    words = f"it asks {plain(amount)} ε {when}, your cap {cap} is {plain(allowed)}"
    return Objection(words, cap, amount if needed is None else needed)
