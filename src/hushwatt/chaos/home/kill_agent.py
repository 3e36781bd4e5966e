"""A home's agent, killed with -9 at any write, sync, draw or upload, and started again.

Each life is a process forked from this one, which kills itself at a step that the seed
names: to the disk, a death between two calls is the same as one between any others.
"""

import os
import random
import signal
import warnings
from pathlib import Path

from hushwatt.audit.harness.expect import expect
from hushwatt.audit.harness.home_under_test import SeededSource, join
from hushwatt.audit.harness.machine_clock import MachineClock
from hushwatt.audit.harness.notes import NoteWriter, read
from hushwatt.audit.harness.observed_life import ObservedLife, check_life
from hushwatt.audit.harness.plans import TURN, plan_for
from hushwatt.audit.harness.power_loss_disk import PowerLossDisk, mounted
from hushwatt.audit.harness.released import Released
from hushwatt.chaos.scenario import Scenario
from hushwatt.household.ledger.store import Store

KILLS = 10


def case(seed: int, folder: Path) -> None:
    """One ledger, many lives: what was ever drawn or sent is held against the ledger after each."""
    chance, clock, released = random.Random(seed), MachineClock(), Released()
    plan, ledger = plan_for(chance), folder / "ledger.db"
    with Store(ledger) as store:
        place = join(store, plan, source=SeededSource(seed))
    for kill in range(1, KILLS + 1):
        life = ObservedLife(
            plan, NoteWriter(folder / "notes"), SeededSource(seed + kill), clock, checkpoint=chance.choice([4, 1_000])
        )
        steps, step = int(2 ** (8 * chance.random())), TURN / chance.choice([2, 2, 3])
        _killed(life, ledger, steps, step)
        life.notes.close()
        notes = read(folder / "notes", place)
        check_life(ledger, plan, place, notes, released)
        clock.wall, clock.alive = notes.clocks or (clock.wall, clock.alive)
        clock.advance(chance.choice([0, 1, TURN / 3, TURN, 3 * TURN]))


def _killed(life: ObservedLife, ledger: Path, steps: int, step: float) -> None:
    """Let a process live until it kills itself."""
    child = fork()
    if child == 0:
        _live(life, ledger, steps, step)
    end = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    expect(end in (-signal.SIGKILL, 1), f"the agent ended with {end}")


def _live(life: ObservedLife, ledger: Path, steps: int, step: float) -> None:
    """What the child does; never returns."""
    left = steps

    def die(kind: str) -> None:
        nonlocal left
        left -= 1
        if left <= 0:
            os.kill(os.getpid(), signal.SIGKILL)

    life.observer = die
    try:
        with mounted(PowerLossDisk(die)):
            life.live(ledger, ticks=steps, step=step)
    except BaseException as surprise:
        life.notes.write("fault", f"{type(surprise).__name__}: {surprise}")
        os._exit(1)
    os.kill(os.getpid(), signal.SIGKILL)


def fork() -> int:
    """Fork, also where other threads run: the child touches nothing of theirs."""
    with warnings.catch_warnings(action="ignore", category=DeprecationWarning):
        return os.fork()


SAYS = "a killed agent has paid for every draw, overspends nothing, and sends a slot's bytes as they were"
SCENARIO = Scenario("kill-agent", 7, SAYS, quick=100, full=10_000, case=case, each=KILLS, unit="kills")
