"""Reboots, power cuts, moved clocks, sleep and old ledgers, in any order; judged in true time.

An ordinary reboot is tried too: it may cost the slots it falls into, and nothing else.
"""

import random
import shutil
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

from hushwatt.audit.harness.fake_provider import FakeProvider
from hushwatt.audit.harness.home_under_test import NO_CAPS, HomeUnderTest, SeededSource, join
from hushwatt.audit.harness.machine_clock import START
from hushwatt.audit.harness.plan_home import agree_again
from hushwatt.audit.harness.plans import TURN, plan_for
from hushwatt.audit.harness.released import check_windows
from hushwatt.audit.harness.true_time_recorder import TrueTimeRecorder
from hushwatt.chaos.home.ordinary_reboot import ordinary_reboot
from hushwatt.chaos.scenario import Scenario
from hushwatt.household.clock import SECOND
from hushwatt.household.ledger.caps import Caps
from hushwatt.household.ledger.high_water_mark import ProcessMark
from hushwatt.household.report.serialise import strategy_of
from hushwatt.plan.plan import Plan
from hushwatt.privacy.strategies import Sample

JUMPS = (0.001, 0.05, 0.5, 1, 2, 7, 50, 144, 1_000)  # in slots; a day has 144 of them
ORDINARY = 10  # of so many cases one is an ordinary reboot


def case(seed: int, folder: Path) -> None:
    """One home, and a script of everything that can happen to its machine."""
    chance = random.Random(seed)
    if chance.randrange(ORDINARY) == 0:
        ordinary_reboot(chance, seed, folder)
        return
    windows = chance.choices([1, 2, 3, 5, 7, 20], k=chance.choice([1, 1, 2]))
    plans = [plan_for(chance, window=window) for window in windows]
    caps = owner(chance, plans)
    source = SeededSource(seed)
    mark, client = chance.choice([None, ProcessMark()]), FakeProvider(tuple(plans)).provider_client
    home = HomeUnderTest(folder / "ledger.db", source, caps=caps, mark=mark, client=client)
    script = EventScript(chance, home, plans, folder)
    for plan in plans:
        script.recorder.plans[join(home.store, plan, source=source)] = plan
    for _ in range(chance.randint(10, 40)):
        script.step()
    home.switch_off()
    script.recorder.judge(home.caps, home.clock.boots)
    if not script.restored:
        for place, plan in script.recorder.plans.items():
            check_windows(home.released, plan, place)


def owner(chance: random.Random, plans: list[Plan]) -> Caps:
    """Caps that bind, or none."""
    if chance.random() < 0.5:
        return NO_CAPS
    day = max(plan.epsilon for plan in plans) * chance.choice([1, 2, 3])
    year = day * chance.choice([1, 2, 5])
    tight = replace(NO_CAPS, epsilon_per_day=day, epsilon_per_year=year, appliance_epsilon=Caps().appliance_epsilon)
    return replace(tight, epsilon_lifetime=day * chance.choice([2, 5, 10]))


@dataclass(frozen=True)
class LedgerCopy:
    """A ledger put aside, and the machine it was taken from."""

    path: Path
    boot: str
    taken: int  # how many times the clock had been set back by then


@dataclass
class EventScript:
    """What happens to one home, step by step, by chance."""

    chance: random.Random
    home: HomeUnderTest
    plans: list[Plan]
    folder: Path
    recorder: TrueTimeRecorder = field(default_factory=lambda: TrueTimeRecorder({}))
    copies: list[LedgerCopy] = field(default_factory=list)
    restored: bool = False
    spoke: bool = False  # in the last step
    set_back: int = 0

    @property
    def tricks(self) -> list[Callable[[], None]]:
        troubles = [self.jump, self.restart, self.reboot, self.cut, self.sleep]
        return [*troubles, self.copy, self.restore, self.rewind, self.recall, self.relive, self.come_back]

    def step(self) -> None:
        trick = self.chance.random()
        if self.spoke and trick < 0.5:
            self.hurry()
        elif trick < 0.6:
            self.chance.choice(self.tricks)()
        before = len(self.recorder.reports)
        for _ in range(self.chance.choice([1, 1, 2, 5])):
            self.live(self.chance.choice([2, 3, 10]))
        self.spoke = any(each.cost for each in self.recorder.reports[before:])

    def live(self, looks: int, slots: float = 1) -> None:
        """A slot's time or a part of it, with looks at the clock, and one whenever a slot begins."""
        self.tick()
        left = int(slots * TURN * SECOND)
        while left > 0:
            begins = TURN * SECOND - (self.home.clock.wall - START) % (TURN * SECOND)
            step = min(left, begins, TURN * SECOND // looks)
            self.home.clock.advance(step / SECOND)
            self.tick()
            left -= step

    def tick(self) -> None:
        self.home.tick()
        self.recorder.look(self.home)

    def hurry(self) -> None:
        """As soon as it has spoken, on to where its next turn would be, with or without a reboot."""
        turn = self.next_turn()
        self.chance.choice([lambda: None, self.restart, self.cut, self.cut])()
        self.go_to(turn)

    def next_turn(self) -> int:
        """The slot in which one of the plans may speak again, by the slots alone."""
        now = (self.home.clock.wall - START) // (TURN * SECOND)
        watches = list(self.home.agent.trackers.values())
        if not watches:
            return now + self.plans[0].window - 1
        member = self.chance.choice(watches).member
        state = strategy_of(member.homes)
        return member.slot + (state.wait if isinstance(state, Sample) else member.plan.window - 1)

    def go_to(self, slot: int) -> None:
        """Set the clock to a second before a slot."""
        self.move(START / SECOND + slot * TURN - 1 - self.home.clock.wall / SECOND)

    def rewind(self) -> None:
        """Speak early by a moved clock, then forget it by an old ledger, and speak again."""
        self.copy()
        self.tick()
        turn = self.next_turn()
        self.go_to(turn)
        for _ in range(self.chance.choice([1, 2])):
            self.live(2)
        self.restore(self.copies[-1])
        self.go_to(turn)

    def recall(self) -> None:
        """Wait for a turn, forget it by a ledger from the middle of its slot, and set the clock back."""
        turn = START + self.next_turn() * TURN * SECOND
        while 0 <= turn - self.home.clock.wall < 20 * TURN * SECOND:
            self.live(2, 0.6)
        self.copy(running=True)
        self.live(2, self.chance.choice([0.4, 0.8, 1]))
        self.restore(self.copies[-1], back=TURN * self.chance.choice([0.5, 1.5, 2]))
        for _ in range(3):
            self.live(2)

    def relive(self) -> None:
        """Live through some windows, forget them by an old ledger, and set the clock back to live them again."""
        self.copy()
        began = self.home.clock.wall
        for _ in range(self.chance.choice([3, 8, 15])):
            self.live(2)
        self.restore(self.copies[-1], back=(self.home.clock.wall - began) / SECOND)

    def come_back(self) -> None:
        """The owner allows a lifetime more, and joins the plans again that the home has retired from."""
        home, retired = self.home, "SELECT retired FROM plans WHERE plan = ?"
        for plan in self.plans:
            if home.store.value(retired, (plan.id,)) is not None:
                lifetime = home.caps.epsilon_lifetime + 2 * plan.epsilon
                home.caps = home.agent.caps = replace(home.caps, epsilon_lifetime=lifetime)
                agree_again(home, plan)

    def jump(self) -> None:
        self.move(self.chance.choice([-1, 1, 1]) * TURN * self.chance.choice(JUMPS))

    def move(self, seconds: float) -> None:
        self.home.clock.jump(seconds)
        self.set_back += seconds < 0

    def restart(self) -> None:
        if self.chance.random() < 0.5:
            self.home.agent.stop(self.home.clock.look())
        self.home.switch_off()
        self.home.clock.advance(self.chance.choice([0, 1, 0.5 * TURN, 3 * TURN]))
        self.home.switch_on()

    def reboot(self) -> None:
        self.home.agent.stop(self.home.clock.look())
        self.cut()

    def cut(self) -> None:
        """The power is gone for a while; some machines then begin in the past, until they are set right."""
        clock, off = self.home.clock, self.chance.choice([0, 1, 40, TURN, 5 * TURN, 144 * TURN])
        self.home.switch_off()
        if self.chance.random() < 0.6:
            clock.reboot(off)
            self.home.switch_on()
            return
        right = clock.wall + int(off * SECOND) - clock.true - int(off * SECOND)  # what to add to true time
        clock.reboot(off, wall=self.chance.choice([0, START, clock.wall - 3 * TURN * SECOND, clock.wall]))
        self.set_back += 1
        self.home.switch_on()
        for _ in range(self.chance.choice([0, 1, 3])):
            self.live(2)
        clock.wall = right + clock.true

    def sleep(self) -> None:
        """The machine is suspended; its own clock goes on."""
        self.home.clock.advance(TURN * self.chance.choice([0.5, 1, 4, 30]))

    def copy(self, running: bool = False) -> None:
        """Put the ledger aside, of an agent that was stopped or of one that is in the middle of a slot."""
        self.tick()  # so that it knows which boot this is
        if not running:
            self.home.switch_off()
        path = self.folder / f"copy{len(self.copies)}.db"
        copy_ledger(self.home.path, path)
        self.copies.append(LedgerCopy(path, self.home.clock.boot, self.set_back))
        if not running:
            self.home.switch_on()

    def restore(self, copy: LedgerCopy | None = None, back: float = 0) -> None:
        """An old ledger comes back.  After a reboot this is only judged if the clock was never set back."""
        boot = self.home.clock.boot
        fitting = [each for each in self.copies if each.boot == boot or each.taken == self.set_back]
        if not fitting:
            return
        self.home.switch_off()
        copy_ledger((copy or self.chance.choice(fitting)).path, self.home.path)
        self.restored = True
        self.move(-back)
        self.home.switch_on()
        self.recorder.restored(self.home)


def copy_ledger(path: Path, to: Path) -> None:
    """The file, and the log beside it, if there is one."""
    for kind in ("", "-wal"):
        source, target = (each.with_name(each.name + kind) for each in (path, to))
        target.unlink(missing_ok=True)
        if source.exists():
            shutil.copy(source, target)


SAYS = "whatever happens to clocks, power and disk, no real time is overspent; a reboot costs its slot"
SCENARIO = Scenario("wild-clock", 20, SAYS, quick=45, full=1_000, case=case, unit="scripts")
