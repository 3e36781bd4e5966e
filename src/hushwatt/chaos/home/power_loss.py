"""A home whose power goes, below SQLite, at any write or sync."""

import random
from pathlib import Path

from hushwatt.audit.harness.home_under_test import SeededSource, join
from hushwatt.audit.harness.machine_clock import MachineClock
from hushwatt.audit.harness.notes import NoteWriter, read
from hushwatt.audit.harness.observed_life import ObservedLife, check_life
from hushwatt.audit.harness.plans import TURN, plan_for
from hushwatt.audit.harness.power_loss_disk import PowerLossDisk, mounted
from hushwatt.audit.harness.released import Released
from hushwatt.chaos.scenario import Scenario
from hushwatt.household.ledger.store import Store
from hushwatt.plan.choices import UNMEASURED
from hushwatt.plan.plan import Plan

LOSSES = 4


def case(seed: int, folder: Path) -> None:
    """A new home on a healthy disk loses its power some times, each time with whatever was not synced."""
    chance, clock, released = random.Random(seed), MachineClock(), Released()
    plan, notes = plan_for(chance, unmeasured=chance.choice(list(UNMEASURED))), NoteWriter(folder / "notes")
    here = folder / "0"
    here.mkdir()
    with Store(here / "ledger.db") as store:
        place = join(store, plan, source=SeededSource(seed))
    for loss in range(1, LOSSES + 1):
        clock.boot = f"boot {loss}"
        disk = _live(here, plan, notes, SeededSource(seed + loss), clock, chance)
        here = folder / f"{loss}"
        here.mkdir()
        disk.leave(here, chance)
        check_life(here / "ledger.db", plan, place, read(folder / "notes", place), released)
        clock.advance(chance.choice([1, TURN / 3, TURN, 3 * TURN]))
    notes.close()


def _live(
    here: Path, plan: Plan, notes: NoteWriter, source: SeededSource, clock: MachineClock, chance: random.Random
) -> PowerLossDisk:
    """Live until the power goes, at a step or at rest, or until the home is switched off in order."""
    last = chance.choice([chance.randint(1, 9), chance.randint(1, 120)])
    checkpoint = chance.choice([4, 16, 1_000])
    in_order = chance.random() < 0.2

    def trouble(kind: str) -> None:
        if disk.steps == last or (kind == "rest" and not in_order):
            disk.lose_power()

    with mounted(PowerLossDisk(trouble)) as disk:
        life = ObservedLife(plan, notes, source, clock, trouble, lambda: disk.on, checkpoint)
        life.live(here / "ledger.db", ticks=16, step=TURN / 2)
    return disk


SAYS = "what was drawn stays paid for, what was sent stays the same, and no window overspends"
SCENARIO = Scenario("power-loss-home", 8, SAYS, quick=120, full=10_000, case=case, each=LOSSES, unit="power losses")
