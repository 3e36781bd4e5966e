"""A home whose disk is full, or fails, at every step of its life in turn."""

import random
from contextlib import suppress
from pathlib import Path

from hushwatt.audit.harness.expect import expect
from hushwatt.audit.harness.fault_injecting_disk import NEVER, FaultInjectingDisk, evenly_spread, random_fault
from hushwatt.audit.harness.home_under_test import SeededSource, join
from hushwatt.audit.harness.machine_clock import MachineClock
from hushwatt.audit.harness.notes import NoteWriter, read
from hushwatt.audit.harness.observed_life import ObservedLife, check_life
from hushwatt.audit.harness.plans import TURN, plan_for
from hushwatt.audit.harness.power_loss_disk import PowerLossDisk, mounted
from hushwatt.audit.harness.released import Released
from hushwatt.chaos.scenario import Scenario
from hushwatt.errors import StateError
from hushwatt.household.ledger.store import Store
from hushwatt.plan.plan import Plan

LIVES = 12  # in a case
LOOKS = 8  # at the clock, two a slot, until the disk is mended
WINDOWS = 3  # and so many until the home must have spoken again


def case(seed: int, folder: Path) -> None:
    """The same life again and again; each time the disk fails some steps later, from first to last."""
    chance = random.Random(seed)
    plan, failing = plan_for(chance, window=chance.randint(1, 3)), random_fault(chance)
    steps = _DiskTrial(seed, folder / "healthy", plan).live(FaultInjectingDisk(failing, NEVER), killed=False)
    for life, first in enumerate(evenly_spread(steps, LIVES, chance)):
        _DiskTrial(seed, folder / f"{life}", plan).live(FaultInjectingDisk(failing, first), chance.random() < 0.5)


class _AgentKilled(Exception):
    """The agent is no more."""


class _DiskTrial:
    """A home on a disk that fails and is mended; the agent may be killed then; in the end the power goes."""

    def __init__(self, seed: int, folder: Path, plan: Plan) -> None:
        self.folder, self.plan, self.chance = folder, plan, random.Random(f"{seed} {folder.name}")
        for name in ("again", "left"):
            (folder / name).mkdir(parents=True)
        self.life = ObservedLife(plan, NoteWriter(folder / "notes"), SeededSource(seed), MachineClock())
        with Store(folder / "ledger.db") as store:
            self.place = join(store, plan, source=self.life.source)
        self.looks = self.mended = 0
        self.again: PowerLossDisk | None = None

    def live(self, disk: FaultInjectingDisk, killed: bool) -> int:
        """How many steps the disk had; what must hold is checked on what it shows, and on what is left."""
        self.life.checkpoint = self.chance.choice([8, 1_000, 1_000])
        with mounted(disk):
            self._live_on(disk, killed)
        shown, last = (self.folder / "again", self.again) if self.again else (self.folder, disk)
        if last is not disk:
            with mounted(last):
                self.life.noted = lambda: last.on
                self.life.observer = lambda kind: last.lose_power() if kind == "rest" else None
                self.life.live(shown / "ledger.db", self._rest, TURN / 2)
        self.life.notes.close()
        last.leave(self.folder / "left", self.chance)
        self._check(shown, self.folder / "left")
        return disk.steps

    def _live_on(self, disk: FaultInjectingDisk, killed: bool) -> None:
        """As under a service manager: an agent that cannot start is started again."""

        def watch(kind: str) -> None:
            self.looks += kind == "look"
            if kind == "look" and self.looks == LOOKS:
                disk.mend()
                self.mended = int(self.plan.calendar.slot_of([self.life.clock.wall])[0])
                if killed:
                    self.again = disk.kill(self.folder / "again")
                    raise _AgentKilled
            if kind == "rest":
                disk.lose_power()

        self.life.observer, self.life.noted = watch, lambda: disk.on
        while self.again is None and self.looks < LOOKS + self._rest:
            with suppress(StateError, _AgentKilled):
                self.life.live(self.folder / "ledger.db", LOOKS + self._rest - self.looks, TURN / 2)
            self.life.clock.advance(1)

    @property
    def _rest(self) -> int:
        """How many looks after the mending are enough to have spoken again."""
        return 2 * WINDOWS * self.plan.window

    def _check(self, *folders: Path) -> None:
        notes, released = read(self.folder / "notes", self.place), Released()
        for folder in folders:
            check_life(folder / "ledger.db", self.plan, self.place, notes, released)
        expect(any(slot >= self.mended for _, slot in released), f"silent since slot {self.mended}, for no reason")


SAYS = "a full or failing disk costs a home its voice for a while, never its promise"
SCENARIO = Scenario("broken-disk-home", 14, SAYS, quick=8 * LIVES, full=10_000, case=case, each=LIVES, unit="failures")
