"""Clocks that jump either way, with restarts between; windows of slots and of real time are both summed."""

import random
from pathlib import Path

from hushwatt.audit.chaos.home import Chances, Home, join
from hushwatt.audit.chaos.plans import TURN, plan_for
from hushwatt.audit.chaos.scenario import Scenario
from hushwatt.audit.chaos.sums import check_real_time, check_windows


def case(seed: int, folder: Path) -> None:
    """A home lives on while its clock is moved, by seconds or by many slots."""
    chance, source = random.Random(seed), Chances(seed)
    plan = plan_for(chance)
    home = Home(folder / "ledger.db", source)
    join(home.store, plan, source=source)
    drawn_at, spoke = dict[tuple[int, int], int](), False
    for _ in range(chance.randint(10, 40)):
        trick = chance.random()
        if trick < 0.15:
            home.hands.jump(chance.choice([-1, 1]) * TURN * chance.choice([0.05, 0.5, 1, 2, 7, 50]))
        elif trick < 0.25:
            home.restart()
        elif trick < 0.45 and spoke:  # on to where its next turn would be, as soon as it has spoken
            home.hands.jump(TURN * (plan.window - 1))
        before = set(home.left)
        home.live(TURN, TURN / chance.choice([2, 3, 10]))
        spoke = bool(home.left.keys() - before)
        drawn_at |= dict.fromkeys(home.left.keys() - before, home.hands.alive)
    home.switch_off()
    check_windows(home.left, plan)
    check_real_time(home.left, plan, drawn_at)


SCENARIO = Scenario(
    name="wild-clock",
    promise=9,
    says="whatever the clock shows, no window of slots and none of real time is overspent",
    quick=40,
    full=1_000,
    case=case,
)
