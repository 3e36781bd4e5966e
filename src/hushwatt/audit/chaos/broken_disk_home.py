"""A home whose disk is full, or fails, at every step of its life in turn."""

import random
from contextlib import suppress
from pathlib import Path

from hushwatt.audit.chaos.disk import through
from hushwatt.audit.chaos.faults import NEVER, BrokenDisk, Failing, some_failing, spread
from hushwatt.audit.chaos.home import Chances, Hands, Left, join
from hushwatt.audit.chaos.life import Life, check_life
from hushwatt.audit.chaos.notes import Pencil, read
from hushwatt.audit.chaos.plans import TURN, plan_for
from hushwatt.audit.chaos.scenario import Scenario, expect
from hushwatt.errors import StateError
from hushwatt.household.store import Store
from hushwatt.plan.plan import Plan

LIVES = 12  # in a case
LOOKS = 8  # at the clock, two a slot, until the disk is mended
WINDOWS = 3  # and so many until the home must have spoken again


def case(seed: int, folder: Path) -> None:
    """The same life again and again; each time the disk fails some steps later, from first to last."""
    chance = random.Random(seed)
    plan, failing = plan_for(chance, window=chance.randint(1, 3)), some_failing(chance)
    steps = _fail(seed, folder / "healthy", plan, failing, NEVER)
    for life, first in enumerate(spread(steps, LIVES, chance)):
        _fail(seed, folder / f"{life}", plan, failing, first)


def _fail(seed: int, folder: Path, plan: Plan, failing: Failing, first: int) -> int:
    """One life on a disk that fails; in the end the power goes, too.  How many steps it had."""
    (folder / "after").mkdir(parents=True)
    chances, left = Chances(seed), Left()
    with Store(folder / "ledger.db") as store:
        place = join(store, plan, source=chances)
    with through(BrokenDisk(failing, first)) as disk:
        life = Life(plan, Pencil(folder / "notes"), chances, Hands(), noted=lambda: disk.on, log=8)
        mended = _live(life, folder / "ledger.db", disk)
    life.pencil.close()
    notes = read(folder / "notes", place)
    check_life(folder / "ledger.db", plan, place, notes, left)
    expect(any(slot >= mended for _, slot in left), f"silent since the disk was mended in slot {mended}")
    disk.leave(folder / "after", random.Random(seed))
    check_life(folder / "after" / "ledger.db", plan, place, notes, left)
    return disk.steps


def _live(life: Life, ledger: Path, disk: BrokenDisk) -> int:
    """As under a service manager: an agent that cannot start is started again.  The slot of the mending."""
    looks, mended, all_looks = 0, 0, LOOKS + 2 * WINDOWS * life.plan.window

    def watch(kind: str) -> None:
        nonlocal looks, mended
        looks += kind == "look"
        if kind == "look" and looks == LOOKS:
            disk.mend()
            mended = int(life.plan.calendar.slot_of([life.hands.wall])[0])
        if kind == "rest":
            disk.lose_power()

    life.watch = watch
    while looks < all_looks:
        with suppress(StateError):
            life.live(ledger, all_looks - looks, TURN / 2)
        life.hands.pass_by(1)
    return mended


SCENARIO = Scenario(
    name="broken-disk-home",
    promise=14,
    says="a full or failing disk costs a home its voice for a while, never its promise",
    quick=5 * LIVES,
    full=10_000,
    case=case,
    each=LIVES,
    unit="failures",
)
