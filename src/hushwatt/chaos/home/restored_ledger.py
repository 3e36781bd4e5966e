"""Ledgers copied at one time and put back at another."""

import random
import shutil
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

from hushwatt.audit.harness.expect import expect
from hushwatt.audit.harness.fake_provider import FakeProvider
from hushwatt.audit.harness.home_under_test import NO_CAPS, HomeUnderTest, SeededSource, join
from hushwatt.audit.harness.plan_home import agree_again
from hushwatt.audit.harness.plans import TURN, plan_for
from hushwatt.audit.harness.released import check_windows, total_cost
from hushwatt.chaos.scenario import Scenario
from hushwatt.household.leave import leave
from hushwatt.plan.plan import Plan


def case(seed: int, folder: Path) -> None:
    """A home is switched off some times, and some times wakes with an older ledger of its own.

    Its plan may have been left or retired from, in the copy or since, and its owner joins it again.
    """
    chance, source = random.Random(seed), SeededSource(seed)
    plan = plan_for(chance)
    caps = replace(NO_CAPS, epsilon_lifetime=plan.epsilon * chance.choice([1, 1, 2, 1_000]))
    client = FakeProvider((plan,)).provider_client
    home = HomeUnderTest(folder / "ledger.db", source, caps=caps, client=client)
    join(home.store, plan, source=source)
    copies = list[Path]()
    for _ in range(chance.randint(4, 12)):
        home.live(TURN * chance.randint(0, 8), TURN / 2)
        home.switch_off()
        copies.append(folder / f"copy{len(copies)}.db")
        shutil.copy(home.path, copies[-1])
        if chance.random() < 0.7:
            shutil.copy(chance.choice(copies), home.path)
        home.clock.advance(chance.choice([0, 1, TURN, 3 * TURN]))
        home.switch_on()
        acts: list[Callable[[], None]] = [home.tick, partial(change_mind, chance, home, plan)]
        for act in chance.sample(acts, 2):
            act()
    home.live(TURN * 2 * min(plan.window, 6), TURN / 2)
    home.switch_off()
    check_windows(home.released, plan)
    cost, cap = total_cost(home.released), home.caps.epsilon_lifetime
    expect(cost <= cap, f"{cost} in all, where the owner allows {cap}")


def change_mind(chance: random.Random, home: HomeUnderTest, plan: Plan) -> None:
    """Where the home left or retired, its owner may allow it more and join again; else it may leave."""
    row = home.store.rows("SELECT left, retired FROM plans WHERE plan = ?", (plan.id,))[0]
    if any(value is not None for value in row.values()):
        raised = max(home.caps.epsilon_lifetime, 5 * plan.epsilon)
        home.caps = home.agent.caps = replace(home.caps, epsilon_lifetime=raised)
        agree_again(home, plan)
    elif chance.random() < 0.2:
        leave(home.store, plan.id, home.clock.wall, forget=True)


SAYS = "a ledger put back from a copy never spends again what its future self has spent"
SCENARIO = Scenario("restored-ledger", 9, SAYS, quick=40, full=1_000, case=case)
