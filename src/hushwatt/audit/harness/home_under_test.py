"""A home that runs the shipped agent and outbox on a real ledger; all that surrounds it is passed in.

The clock, the randomness, the readings and the way to the provider are parameters, and the disk is
whichever SQLite goes through at the time.  With a seed for all its chances a case can be seen again:
no two lives of a home share a random word, and what is drawn again differs.
"""

import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Self

import numpy as np

from hushwatt.audit.harness.machine_clock import MachineClock
from hushwatt.audit.harness.released import Released, record_released
from hushwatt.household.agent import Agent, ReadingSource
from hushwatt.household.ledger.caps import AMOUNTS, Caps
from hushwatt.household.ledger.high_water_mark import HighWaterMark
from hushwatt.household.ledger.store import Store
from hushwatt.household.membership import first_memory
from hushwatt.household.report.levels import Watts
from hushwatt.household.report.randomise import Randomiser, randomise
from hushwatt.household.successor_search import SuccessorSearch
from hushwatt.household.upload.outbox import Outbox
from hushwatt.household.upload.provider_client import ProviderClient
from hushwatt.plan.amounts import MICRO
from hushwatt.plan.plan import Plan
from hushwatt.privacy.entropy import Entropy, OperatingSystem, Simulation, Source

ENDLESS = 10**6 * MICRO
NO_CAPS = Caps(**dict.fromkeys(AMOUNTS, ENDLESS), smallest_minimum_homes=1)  # type: ignore[arg-type]
MEMORY = Path("/dev/shm")  # ledgers live here, where there is such a place: thousands are made


class SeededSource:
    """Randomness by a seed; asked for the same stream again, it gives another."""

    def __init__(self, seed: int) -> None:
        self.simulation, self.asked = Simulation(seed, "chaos"), count()

    def stream(self, *labels: int | str) -> Entropy:
        return self.simulation.stream(next(self.asked), *labels)


class GivenReadings:
    """Mean watts of every slot, known beforehand."""

    def __init__(self, watts: Callable[[int], Watts]) -> None:
        self.watts = watts

    def open(self, plan: Plan, slot: int) -> None:
        """Nothing has to be added up."""

    def means(self, plan: Plan, slot: int) -> Watts:
        return self.watts(slot)


class RandomReadings:
    """Readings that change at random from slot to slot, so that homes that decide do so; some are not measured."""

    def __init__(self, source: Source) -> None:
        self.source = source

    def open(self, plan: Plan, slot: int) -> None:
        """Nothing has to be added up."""

    def means(self, plan: Plan, slot: int) -> Watts:
        words = self.source.stream("readings", slot).words(len(plan.appliances))
        watts = (words % np.uint64(400)).astype(np.float64)
        return np.where(words % np.uint64(5) == 0, np.nan, watts) if plan.answers_unmeasured else watts


@dataclass
class HomeUnderTest:
    """An agent and an outbox on a ledger, what they said, and what they ever could have sent."""

    path: Path
    source: Source = field(default_factory=OperatingSystem)
    clock: MachineClock = field(default_factory=MachineClock)
    caps: Caps = NO_CAPS
    readings: ReadingSource | None = None
    mark: HighWaterMark | None = None
    client: Callable[[str], ProviderClient] = ProviderClient  # to the provider
    randomiser: Randomiser = randomise
    said: list[str] = field(default_factory=list)
    released: Released = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.readings = self.readings or RandomReadings(self.source)
        self.switch_on()

    def switch_on(self) -> None:
        assert self.readings is not None
        self.store = Store(self.path)
        self.agent = Agent(
            self.store, self.caps, self.readings, self.source, self.randomiser, say=self.said.append, mark=self.mark
        )
        self._outbox: Outbox | None = None
        self._search: SuccessorSearch | None = None

    @property
    def outbox(self) -> Outbox:
        """It has a connection of its own to the ledger, as in the agent's process, once it is needed."""
        if self._outbox is None:
            entropy = self.source.stream("outbox")
            self._outbox = Outbox(Store(self.path), entropy, self.said.append, self.client)
        return self._outbox

    @property
    def search(self) -> SuccessorSearch:
        """The look for plans that replace others, on a connection of its own."""
        if self._search is None:
            entropy = self.source.stream("successors")
            self._search = SuccessorSearch(
                Store(self.path), lambda: self.agent.caps, entropy, self.said.append, self.client
            )
        return self._search

    def switch_off(self) -> None:
        self.store.close()
        for each in (self._outbox, self._search):
            if each is not None:
                each.store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.switch_off()

    def restart(self) -> None:
        self.switch_off()
        self.switch_on()

    def tick(self) -> None:
        self.agent.tick(self.clock.look())
        record_released(self.store, self.released)

    def live(self, seconds: float, step: float) -> None:
        """Let time go by, with a look at the clock every `step` seconds."""
        for _ in range(round(seconds / step)):
            self.clock.advance(step)
            self.tick()

    def slots(self, place: int = 1) -> list[int]:
        return sorted(slot for plan, slot in self.released if plan == place)


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


@contextmanager
def empty_folder() -> Iterator[Path]:
    """A folder in memory where there is such a place, for homes that nobody keeps."""
    with tempfile.TemporaryDirectory(dir=MEMORY if MEMORY.is_dir() else None) as folder:
        yield Path(folder)


@contextmanager
def fresh_store() -> Iterator[Store]:
    """An empty ledger in such a folder."""
    with empty_folder() as folder, Store(folder / "ledger.sqlite") as store:
        yield store
