"""A home that lives by clocks set by hand: the shipped agent, a real ledger on disk.

All its chances come from a seed, so a case can be seen again.  No two lives of a home
share a random word, and no stream gives the same words twice: what is drawn again differs.
"""

from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import count
from pathlib import Path

import numpy as np

from hushwatt.household.agent import Agent, ReadingSource
from hushwatt.household.clock import SECOND, Moment
from hushwatt.household.ledger.caps import Caps
from hushwatt.household.ledger.high_water_mark import HighWaterMark
from hushwatt.household.ledger.store import Store
from hushwatt.household.membership import first_memory
from hushwatt.household.report.levels import Watts
from hushwatt.plan.amounts import MICRO
from hushwatt.plan.plan import Plan
from hushwatt.plan.times import nanoseconds
from hushwatt.privacy.entropy import Entropy, OperatingSystem, Simulation, Source

START = nanoseconds(datetime(2024, 1, 1, tzinfo=UTC))
ENDLESS = 10**6 * MICRO
NO_CAPS = Caps(ENDLESS, ENDLESS, ENDLESS, ENDLESS, smallest_minimum_homes=1)

Row = tuple[int, int, bytes]  # spent, drawn, payload
Left = dict[tuple[int, int], set[Row]]  # what ever could have left a home, by plan and slot


class Chances:
    """Randomness by a seed; asked for the same stream again, it gives another."""

    def __init__(self, seed: int) -> None:
        self.simulation, self.asked = Simulation(seed, "chaos"), count()

    def stream(self, *labels: int | str) -> Entropy:
        return self.simulation.stream(next(self.asked), *labels)


class Wild:
    """Readings that change at random from slot to slot, so that homes that decide do so."""

    def __init__(self, source: Source) -> None:
        self.source = source

    def open(self, plan: Plan, slot: int) -> None:
        pass

    def means(self, plan: Plan, slot: int) -> Watts:
        words = self.source.stream("readings", slot).words(len(plan.appliances))
        return (words % np.uint64(400)).astype(np.float64)


@dataclass
class Hands:
    """The clocks, set by hand."""

    wall: int = START
    alive: int = 10**12
    boot: str = "first"
    true: int = 0  # what really passed; nothing at home can see it
    boots: int = 0

    def look(self) -> Moment:
        return Moment(self.wall, self.alive, self.boot)

    def pass_by(self, seconds: float) -> None:
        for clock in ("wall", "alive", "true"):
            setattr(self, clock, getattr(self, clock) + round(seconds * SECOND))

    def reboot(self, off: float, wall: int | None = None) -> None:
        """Be off for a while; `wall` is what the clock shows then, on a machine without a battery for it."""
        self.pass_by(off)
        self.wall = self.wall if wall is None else wall
        self.boots += 1
        self.alive, self.boot = 20 * SECOND, f"boot {self.boots}"

    def jump(self, seconds: float) -> None:
        """Move the clock on the wall alone."""
        self.wall += int(seconds * SECOND)


@dataclass
class Home:
    """An agent on a ledger, its clocks, and what it ever wrote into its outbox."""

    path: Path
    source: Source = field(default_factory=OperatingSystem)
    hands: Hands = field(default_factory=Hands)
    caps: Caps = NO_CAPS
    said: list[str] = field(default_factory=list)
    left: Left = field(default_factory=dict)
    readings: ReadingSource | None = None
    mark: HighWaterMark | None = None

    def __post_init__(self) -> None:
        self.readings = self.readings or Wild(self.source)
        self.switch_on()

    def switch_on(self) -> None:
        assert self.readings is not None
        self.store = Store(self.path)
        self.agent = Agent(
            self.store, self.caps, self.readings, self.source, say=self.said.append, mark=self.mark
        )

    def switch_off(self) -> None:
        self.store.close()

    def restart(self) -> None:
        self.switch_off()
        self.switch_on()

    def tick(self) -> None:
        self.agent.tick(self.hands.look())
        collect(self.store, self.left)

    def live(self, seconds: float, step: float) -> None:
        """Let time go by, with a look at the clock every `step` seconds."""
        for _ in range(round(seconds / step)):
            self.hands.pass_by(step)
            self.tick()

    def slots(self, place: int = 1) -> list[int]:
        return sorted(slot for here, slot in self.left if here == place)


def join(
    store: Store,
    plan: Plan,
    slot: int = 0,
    source: Source | None = None,
    begun: tuple[int, str] | None = None,  # where the home begins, when that is known already
) -> int:
    """Take part in a plan without asking any provider; gives the plan's place in the store."""
    first, memory = begun or first_memory(plan, slot, source or OperatingSystem())
    with store.transaction() as disk:
        disk.execute(
            "INSERT INTO plans (plan, canonical, address, provider, joined, device, secret, slot, memory) "
            "VALUES (?, ?, 'http://127.0.0.1', x'00', 0, ?, ?, ?, ?)",
            (plan.id, plan.canonical(), bytes(16), bytes(32), first, memory),
        )
    return int(store.value("SELECT place FROM plans WHERE plan = ?", (plan.id,)))


def collect(store: Store, left: Left) -> None:
    """Add everything that is in the outbox, sent or waiting, to what could have left."""
    for place, slot, *row in store.disk.execute("SELECT place, slot, spent, drawn, payload FROM reports"):
        left.setdefault((place, slot), set()).add((row[0], row[1], row[2]))
