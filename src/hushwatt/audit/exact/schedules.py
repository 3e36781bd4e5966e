"""When a home draws, how much, and about which appliances: all of it public.

Turns and orders are random but independent of the readings, and whoever sees the reports
sees them, so every one of them is gone through on its own.  The offers, turns and
rotations are the shipped ones.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import permutations, product

import numpy as np

from hushwatt.household.report.homes import Homes, enrol
from hushwatt.plan.plan import Plan
from hushwatt.privacy.entropy import Simulation
from hushwatt.privacy.rotation import has_turns
from hushwatt.privacy.strategies import Strategy, affordable, alike, rules_of, strategy_for


@dataclass(frozen=True)
class Draw:
    """One randomised answer: what it is drawn with, and the appliances it is about."""

    amount: int
    members: tuple[int, ...]


Slot = tuple[Draw, ...]
Schedule = tuple[Slot, ...]


def schedules(plan: Plan, slots: int) -> Iterator[Schedule]:
    """Everything that a home's clock, order and provider can ask of it in the first `slots` slots."""
    first = strategy_for(plan)
    if plan.decision == "provider":
        for amounts in set(_asked_by_provider(plan, first, slots)):
            yield from with_members(plan, amounts)
        return
    for strategy in _turns(plan, first):
        yield from with_members(plan, _by_the_clock(strategy, slots))


def _turns(plan: Plan, first: Strategy) -> list[Strategy]:
    """The strategies that homes start with: one for all, or one for each turn."""
    if has_turns(plan):
        return [first.turn(wait) for wait in range(plan.window)]
    return [first]


def _by_the_clock(strategy: Strategy, slots: int) -> tuple[tuple[int, ...], ...]:
    amounts = []
    for _ in range(slots):
        amounts.append((strategy.offer(),) if strategy.offer() else ())
        strategy = strategy.after(bool(amounts[-1]))
    return tuple(amounts)


def _asked_by_provider(plan: Plan, first: Strategy, slots: int) -> Iterator[tuple[tuple[int, ...], ...]]:
    """The amounts that each sequence of a provider's decisions draws, however it came to decide so."""
    for wishes in product((False, True), repeat=slots):
        if first.population:
            yield _picked(plan, wishes)
            continue
        amounts, strategy = [], first
        for wish in wishes:
            publish = wish and strategy.offer() > 0
            amounts.append((strategy.probe, strategy.offer()) if publish else (strategy.probe,))
            strategy = strategy.after(publish)
        yield tuple(amounts)


def _picked(plan: Plan, wishes: tuple[bool, ...]) -> tuple[tuple[int, ...], ...]:
    """LPD, LPA: the provider wishes to pick this home, and may if it kept silent for a window."""
    from hushwatt.fleet.provider_decisions import DecisionState, sample_silent_homes

    decided = DecisionState(rules_of(plan).start(2 * plan.window, plan.window), None, np.full(1, -(1 << 40)))
    amounts: list[tuple[int, ...]] = []
    for slot, wish in enumerate(wishes):
        spoken = wish and len(sample_silent_homes(plan, decided, slot, 1, Simulation(0, "audit"), "audit")) > 0
        amounts.append((affordable(plan),) if spoken else ())
    return tuple(amounts)


def with_members(plan: Plan, amounts: tuple[tuple[int, ...], ...]) -> Iterator[Schedule]:
    """The same amounts under every order of the appliances, walked by the homes' own rotation."""
    everyone = tuple(range(len(plan.appliances)))
    if plan.appliances_per_report == len(everyone):
        yield tuple(tuple(Draw(amount, everyone) for amount in slot) for slot in amounts)
        return
    homes = homes_in_every_order(plan)
    who = np.arange(len(homes))
    walked: list[list[Slot]] = [[] for _ in who]
    for homes.slot, slot in enumerate(amounts):
        members = [homes.next_members(who) for _ in slot]
        for home in who:
            named = [tuple(int(one) for one in table[home]) for table in members if table is not None]
            walked[home].append(tuple(Draw(*draw) for draw in zip(slot, named, strict=True)))
    yield from (tuple(schedule) for schedule in walked)


def homes_in_every_order(plan: Plan) -> Homes:
    """One home for every order of the appliances."""
    orders = np.array(list(permutations(range(len(plan.appliances)))), dtype=np.uint16)
    homes = enrol(plan, len(orders), 0, Simulation(0, "audit"))
    homes.order = orders
    homes.strategies = alike(homes.strategies.state(0), len(orders))
    return homes
