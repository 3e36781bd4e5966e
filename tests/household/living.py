"""A home that lives by a clock of the test's own making: the shipped agent, a real ledger on disk."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from hushwatt.household.agent import Agent
from hushwatt.household.caps import Caps
from hushwatt.household.clock import SECOND, Moment
from hushwatt.household.membership import begin
from hushwatt.household.store import Store
from hushwatt.plan.amounts import MICRO
from hushwatt.plan.plan import Plan
from hushwatt.plan.times import nanoseconds
from hushwatt.privacy.entropy import OperatingSystem, Source

START = nanoseconds(datetime(2024, 1, 1, tzinfo=UTC))
NO_CAPS = Caps(epsilon_per_day=10**6 * MICRO, epsilon_per_year=10**6 * MICRO)


class Wild:
    """Readings that change at random from slot to slot, so that homes that decide do so."""

    def open(self, plan, slot):
        pass

    def means(self, plan, slot):
        words = OperatingSystem().words(len(plan.appliances))
        return (words % np.uint64(400)).astype(np.float64)


class Fixed:
    """Readings that never change."""

    def __init__(self, watts):
        self.watts = watts

    def open(self, plan, slot):
        pass

    def means(self, plan, slot):
        return np.full(len(plan.appliances), self.watts)


@dataclass
class Hands:
    """The clocks, set by hand."""

    wall: int = START
    alive: int = 10**12
    boot: str = "first"

    def look(self) -> Moment:
        return Moment(self.wall, self.alive, self.boot)

    def pass_by(self, seconds: float) -> None:
        self.wall += int(seconds * SECOND)
        self.alive += int(seconds * SECOND)

    def jump(self, seconds: float) -> None:
        self.wall += int(seconds * SECOND)


@contextmanager
def quick_store() -> Iterator[Store]:
    """A fresh ledger in memory where there is such a place, for tests that need many."""
    memory = Path("/dev/shm")
    place = tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None)
    with place as folder, Store(Path(folder) / "ledger.sqlite") as store:
        yield store


def join(store: Store, plan: Plan, slot: int = 0, source: Source | None = None) -> int:
    """Take part in a plan without asking any provider."""
    first, memory = begin(plan, slot, source or OperatingSystem())
    with store.change() as disk:
        disk.execute(
            "INSERT INTO plans (plan, canonical, address, provider, joined, device, secret, slot, memory) "
            "VALUES (?, ?, 'http://127.0.0.1', x'00', 0, ?, ?, ?, ?)",
            (plan.id, plan.canonical(), bytes(16), bytes(32), first, memory),
        )
    return int(store.value("SELECT place FROM plans WHERE plan = ?", (plan.id,)))


@dataclass
class Home:
    """An agent on a ledger, its clocks, and what it ever wrote into its outbox."""

    path: Path
    hands: Hands = field(default_factory=Hands)
    caps: Caps = NO_CAPS
    said: list = field(default_factory=list)
    left: dict = field(
        default_factory=dict
    )  # all bytes that ever could have left: (plan, slot) → set of rows
    readings: object = field(default_factory=Wild)

    def __post_init__(self):
        self.switch_on()

    def switch_on(self):
        self.store = Store(self.path)
        self.agent = Agent(self.store, self.caps, self.readings, say=self.said.append)

    def switch_off(self):
        self.store.close()

    def restart(self):
        self.switch_off()
        self.switch_on()

    def tick(self):
        self.agent.tick(self.hands.look())
        for place, slot, spent, drawn, payload in self.store.disk.execute(
            "SELECT place, slot, spent, drawn, payload FROM reports"
        ):
            self.left.setdefault((place, slot), set()).add((spent, drawn, payload))

    def live(self, seconds: float, step: float):
        """Let time go by, with a look at the clock every `step` seconds."""
        for _ in range(round(seconds / step)):
            self.hands.pass_by(step)
            self.tick()

    def slots(self, place: int = 1):
        return sorted(slot for here, slot in self.left if here == place)


def spent_in(rows) -> int:
    """What a slot cost if all these different rows left the home; a repeat of the same draw costs nothing."""
    return sum(spent for spent, _, _ in rows)


def dearest(left, place: int, window: int) -> int:
    """The most that any window cost, summed over everything that ever left the home."""
    costs = {slot: spent_in(rows) for (here, slot), rows in left.items() if here == place}
    return max(
        (sum(costs.get(slot, 0) for slot in range(start, start + window)) for start in costs), default=0
    )
