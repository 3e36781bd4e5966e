"""Ledgers copied at one time and put back at another."""

import random
import shutil
from pathlib import Path

from hushwatt.audit.harness.home_under_test import HomeUnderTest, SeededSource, join
from hushwatt.audit.harness.plans import TURN, plan_for
from hushwatt.audit.harness.released import check_windows
from hushwatt.chaos.scenario import Scenario


def case(seed: int, folder: Path) -> None:
    """A home is switched off some times, and some times wakes with an older ledger of its own."""
    chance, source = random.Random(seed), SeededSource(seed)
    plan = plan_for(chance)
    home = HomeUnderTest(folder / "ledger.db", source)
    join(home.store, plan, source=source)
    copies = list[Path]()
    for _ in range(chance.randint(2, 4)):
        home.live(TURN * chance.randint(0, 5), TURN / 2)
        home.switch_off()
        copies.append(folder / f"copy{len(copies)}.db")
        shutil.copy(home.path, copies[-1])
        if chance.random() < 0.7:
            shutil.copy(chance.choice(copies), home.path)
        home.clock.advance(chance.choice([0, 1, TURN, 3 * TURN]))
        home.switch_on()
        home.tick()
    home.live(TURN * 2 * min(plan.window, 5), TURN / 2)
    home.switch_off()
    check_windows(home.released, plan)


SAYS = "a ledger put back from a copy never spends again what its future self has spent"
SCENARIO = Scenario("restored-ledger", 9, SAYS, quick=40, full=1_000, case=case)
