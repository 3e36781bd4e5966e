"""Many greedy plans at once, some joined late: the owner's caps hold over all of them together.

Some time the owner lowers the caps while the agent runs; from then on nothing is spent that the
lower ones do not allow.  The provider also offers a plan that replaces one of them and is weaker in
something; although the owner lets the home follow successors, this one is not followed.
"""

import random
from dataclasses import replace
from fractions import Fraction
from math import ceil, lcm
from pathlib import Path
from typing import Any

from hushwatt.audit.harness.expect import expect
from hushwatt.audit.harness.fake_provider import KEY, FakeProvider
from hushwatt.audit.harness.home_under_test import NO_CAPS, HomeUnderTest, SeededSource, join
from hushwatt.audit.harness.plans import plan_for
from hushwatt.audit.harness.released import Row
from hushwatt.chaos.scenario import Scenario
from hushwatt.household.ledger.caps import AMOUNTS, DAY, YEAR, Caps
from hushwatt.household.ledger.demand import window_length
from hushwatt.household.report.preview import named_levels
from hushwatt.plan import Appliance, Plan, SlotLength
from hushwatt.plan.amounts import MICRO
from hushwatt.plan.times import nanoseconds
from hushwatt.privacy.ledger import Spend, dearest_interval
from hushwatt.wire.signature import public_bytes

PLANS = 10
OWNERS = (
    replace(NO_CAPS, epsilon_per_day=20 * MICRO, epsilon_per_year=15 * MICRO),
    replace(NO_CAPS, appliance_epsilon=6 * MICRO),
    replace(NO_CAPS, epsilon_lifetime=25 * MICRO, appliance_epsilon_lifetime=9 * MICRO),
    replace(NO_CAPS, appliance_epsilon_per_year=7 * MICRO),
)
CAPPED = [name for name in AMOUNTS if name != "epsilon_per_window"]
EVER = 1_000 * YEAR
Costs = dict[tuple[str, str], Fraction]  # by the cap that bounds them, and the appliance
Said = tuple[Plan, int, Row]  # what left, of which plan, in which slot


def case(seed: int, folder: Path) -> None:
    """Ten plans of all kinds, asking for up to fifty times what the owner allows."""
    chance, source = random.Random(seed), SeededSource(seed)
    caps = lower = chance.choice(OWNERS)
    home, joined = HomeUnderTest(folder / "ledger.db", source, caps=caps), dict[int, Plan]()
    before, early = costs([]), chance.randrange(PLANS)
    for count in range(PLANS):
        slot = SlotLength(chance.choice([600, 900, 3600, 10_000]), "s")
        plan = plan_for(chance, epsilon=chance.choice([1, 7, 14, 19, 1000]) * MICRO, slot=slot)
        now = int(plan.calendar.slot_of([home.clock.wall])[0])
        joined[join(home.store, plan, now + 1, source)] = plan
        home.live(chance.choice([0, 900, 3600]), 300)
        if count == early:
            before = costs(_said(home, joined))
            lower = home.agent.caps = _lower(caps, before)
    _offer_weaker(home, chance)
    home.live(6 * 3600, 300)
    home.switch_off()
    for (cap, name), cost in costs(_said(home, joined)).items():
        most = max(before.get((cap, name), Fraction(0)), getattr(lower, cap))
        expect(cost <= min(most, getattr(caps, cap)), f"{cap} {name} cost {float(cost)} of {float(most)}")


def _offer_weaker(home: HomeUnderTest, chance: random.Random) -> None:
    """A successor of some plan of the home's that asks more, and must get nothing but a look."""
    old = plan_for(chance, epsilon=MICRO)
    weak = {
        "epsilon": old.epsilon + 1,
        "slot": SlotLength(old.slot.seconds // 2, "s"),
        "unmeasured": "answer",
        "appliances": (*old.appliances, Appliance.of("one more", [1, 2])),
    }
    key = chance.choice(list(weak))
    fields: dict[str, Any] = {key: weak[key]}
    if key == "appliances" and old.decision is not None:
        fields["appliances_per_report"] = len(old.appliances) + 1
    provider = FakeProvider((old, replace(old, replaces=old.id, **fields)))
    place = join(home.store, old, 10**6, SeededSource(chance.getrandbits(32)))
    with home.store.transaction() as disk:
        disk.execute("UPDATE plans SET provider = ? WHERE place = ?", (public_bytes(KEY), place))
    home.agent.caps = replace(home.agent.caps, follow_successors=True)
    home.client = lambda address: provider.provider_client()
    home.store.write_value(f"look {old.id}", home.clock.wall)
    home.search.look(home.clock.wall)
    expect(bool(provider.requests), "nobody looked for a successor")
    expect(all(each.is_open for each in provider.requests), "a weaker successor was asked for a place")
    expect(any("not followed: weaker" in line for line in home.said), "a weaker successor was not told of")


def _lower(caps: Caps, spent: Costs) -> Caps:
    """Caps that leave half of the room that is left."""
    lower: dict[str, Any] = {}
    for name in CAPPED:
        most = max((cost for (cap, _), cost in spent.items() if cap == name), default=Fraction(0))
        lower[name] = ceil(most + getattr(caps, name)) // 2
    return replace(caps, **lower)


def _said(home: HomeUnderTest, joined: dict[int, Plan]) -> list[Said]:
    return [(joined[place], slot, row) for (place, slot), rows in home.released.items() for row in rows]


def costs(said: list[Said]) -> Costs:
    """What the dearest day, year and lifetime cost the home, and the dearest stretches each appliance."""
    spends = [_spend(plan, slot, row[0]) for plan, slot, row in said]
    lengths = {"epsilon_per_day": DAY, "epsilon_per_year": YEAR, "epsilon_lifetime": EVER}
    return {
        (cap, ""): Fraction(dearest_interval(spends, length)) for cap, length in lengths.items()
    } | _appliance_costs(said)


def _appliance_costs(said: list[Said]) -> Costs:
    """By what the payloads speak of: each of their appliances has its part of what was spent."""
    parts = lcm(*(plan.appliances_per_report for plan, _, _ in said))
    stretch = max([DAY, *(window_length(plan) for plan, _, _ in said)])
    spends: dict[str, list[Spend]] = {}
    for plan, slot, (spent, _, payload) in said:
        names = named_levels(plan, payload)
        for name in names:
            spends.setdefault(name, []).append(_spend(plan, slot, spent * parts // len(names)))
    lengths = {"": stretch, "_per_year": YEAR, "_lifetime": EVER}
    return {
        (f"appliance_epsilon{cap}", name): Fraction(dearest_interval(each, length), parts)
        for name, each in spends.items()
        for cap, length in lengths.items()
    }


def _spend(plan: Plan, slot: int, amount: int) -> Spend:
    """What left in a slot, stamped with its time."""
    start, end = (nanoseconds(plan.calendar.start_of(each)) for each in (slot, slot + 1))
    return Spend(start, end, amount)


SAYS = "plans that ask for everything, many at once, get no more than the owner's caps give"
SCENARIO = Scenario("hostile-plans", 9, SAYS, quick=80, full=10_000, case=case, each=PLANS, unit="plans")
