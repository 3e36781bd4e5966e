"""A home whose power goes, below SQLite, at any write or sync."""

import random
from pathlib import Path

from hushwatt.audit.harness.clocked_home import Chances, Hands, Left, join
from hushwatt.audit.harness.disk import Disk, through
from hushwatt.audit.harness.home_life import Life, check_life
from hushwatt.audit.harness.notes import Pencil, read
from hushwatt.audit.harness.plans import TURN, plan_for
from hushwatt.chaos.scenario import Scenario
from hushwatt.household.ledger.store import Store
from hushwatt.plan.plan import Plan

LOSSES = 4


def case(seed: int, folder: Path) -> None:
    """A new home on a healthy disk loses its power some times, each time with whatever was not synced."""
    chance, hands, left = random.Random(seed), Hands(), Left()
    plan, pencil = plan_for(chance), Pencil(folder / "notes")
    here = folder / "0"
    here.mkdir()
    with Store(here / "ledger.db") as store:
        place = join(store, plan, source=Chances(seed))
    for loss in range(1, LOSSES + 1):
        hands.boot = f"boot {loss}"
        disk = _live(here, plan, pencil, Chances(seed + loss), hands, chance)
        here = folder / f"{loss}"
        here.mkdir()
        disk.leave(here, chance)
        check_life(here / "ledger.db", plan, place, read(folder / "notes", place), left)
        hands.pass_by(chance.choice([1, TURN / 3, TURN, 3 * TURN]))
    pencil.close()


def _live(
    here: Path, plan: Plan, pencil: Pencil, chances: Chances, hands: Hands, chance: random.Random
) -> Disk:
    """Live until the power goes, at a step or at rest, or until the home is switched off in order."""
    last, log = chance.choice([chance.randint(1, 9), chance.randint(1, 120)]), chance.choice([4, 16, 1_000])
    in_order = chance.random() < 0.2

    def trouble(kind: str) -> None:
        if disk.steps == last or (kind == "rest" and not in_order):
            disk.lose_power()

    with through(Disk(trouble)) as disk:
        life = Life(plan, pencil, chances, hands, trouble, lambda: disk.on, log)
        life.live(here / "ledger.db", ticks=16, step=TURN / 2)
    return disk


SCENARIO = Scenario(
    name="power-loss-home",
    promise=8,
    says="what was drawn stays paid for, what was sent stays the same, and no window overspends",
    quick=120,
    full=10_000,
    case=case,
    each=LOSSES,
    unit="power losses",
)
