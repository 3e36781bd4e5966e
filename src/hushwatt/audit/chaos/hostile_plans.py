"""Many greedy plans at once, some joined late: the owner's caps hold over all of them together."""

import random
from pathlib import Path

from hushwatt.audit.chaos.home import Chances, Home, join
from hushwatt.audit.chaos.plans import plan_for
from hushwatt.audit.chaos.scenario import Scenario, expect
from hushwatt.household.caps import DAY, YEAR, Caps
from hushwatt.plan import Plan, SlotLength
from hushwatt.plan.amounts import MICRO
from hushwatt.plan.times import nanoseconds
from hushwatt.privacy.ledger import Spend, dearest_interval

PLANS = 10
CAPS = Caps(epsilon_per_day=20 * MICRO, epsilon_per_year=15 * MICRO)


def case(seed: int, folder: Path) -> None:
    """Ten plans of all kinds, asking for up to fifty times what the owner allows."""
    chance, source = random.Random(seed), Chances(seed)
    home, joined = Home(folder / "ledger.db", source, caps=CAPS), dict[int, Plan]()
    for _ in range(PLANS):
        slot = SlotLength(chance.choice([600, 900, 3600]), "s")
        plan = plan_for(chance, epsilon=chance.choice([1, 7, 14, 19, 1000]) * MICRO, slot=slot)
        now = int(plan.calendar.slot_of([home.hands.wall])[0])
        joined[join(home.store, plan, now + 1, source)] = plan
        home.live(chance.choice([0, 900, 3600]), 300)
    home.live(6 * 3600, 300)
    home.switch_off()
    spends = [
        _spend(joined[place], slot, sum(row[0] for row in rows)) for (place, slot), rows in home.left.items()
    ]
    for what, length, cap in (("day", DAY, CAPS.epsilon_per_day), ("year", YEAR, CAPS.epsilon_per_year)):
        cost = dearest_interval(spends, length)
        expect(cost <= cap, f"a {what} cost {cost} of {cap}")


def _spend(plan: Plan, slot: int, amount: int) -> Spend:
    """What left in a slot, stamped with its time."""
    start, end = (nanoseconds(plan.calendar.start_of(each)) for each in (slot, slot + 1))
    return Spend(start, end, amount)


SCENARIO = Scenario(
    name="hostile-plans",
    promise=9,
    says="plans that ask for everything, many at once, get no more than the owner's caps give",
    quick=80,
    full=10_000,
    case=case,
    each=PLANS,
    unit="plans",
)
