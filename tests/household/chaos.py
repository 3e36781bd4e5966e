"""Homes that are killed, rewound, cloned and lied to, as often as one likes.

Each function runs so many cases and gives the faults it found, a sentence each; the
suite runs a few cases of each, a long run runs thousands.
"""

import mmap
import os
import random
import shutil
import signal
import struct
import time
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

from living import START, Home, Wild, dearest, join

from hushwatt.household.agent import Agent
from hushwatt.household.caps import DAY, YEAR, Caps
from hushwatt.household.clock import Moment
from hushwatt.household.store import Store
from hushwatt.plan import Appliance, Plan, SlotLength
from hushwatt.plan.amounts import MICRO
from hushwatt.plan.times import nanoseconds
from hushwatt.privacy.entropy import OperatingSystem
from hushwatt.privacy.ledger import Spend, dearest_interval

METHODS = ("lbu", "lsp", "lbd", "lba", "lpu")
TURN = 600  # seconds of a slot


def plan_for(chance: random.Random, method: str | None = None, **fields) -> Plan:
    """Some plan with slots of ten minutes, its name drawn too, so that no two are the same."""
    method = method or chance.choice(METHODS)
    count = chance.randint(1, 4)
    decided = "household" if method in ("lbd", "lba") else None
    usual = {
        "name": f"plan {chance.getrandbits(60)}",
        "description": "What is asked.",
        "contact": "someone@example.org",
        "start": datetime(2024, 1, 1, tzinfo=UTC),
        "expires": datetime(2025, 1, 1, tzinfo=UTC),
        "timezone": "UTC",
        "slot": SlotLength(TURN, "s"),
        "epsilon": chance.choice([MICRO, 4 * MICRO, 10 * MICRO]),
        "window": chance.randint(1, 5),
        "decision": decided,
        "oracle": chance.choice(["oue", "sue", "grr"]),
        "appliances": tuple(Appliance.of(f"appliance {each}", [100, 200, 300]) for each in range(count)),
        "appliances_per_report": count if decided else chance.randint(1, count),
        "mapping": chance.choice(["range", "dither"]),
        "minimum_homes": 1,
    }
    return Plan(method=method, **{**usual, **fields})


def faults_of(home: Home, plan: Plan, place: int, what: str) -> list[str]:
    """Windows that cost too much, and slots with two different reports."""
    found = []
    if (cost := dearest(home.left, place, plan.window)) > plan.epsilon:
        found.append(f"{what}: a window of {plan.method} cost {cost} of {plan.epsilon}")
    doubles = [slot for (here, slot), rows in home.left.items() if here == place and len(rows) > 1]
    return found + [f"{what}: slot {slot} left the home twice, in different bytes" for slot in doubles]


def restored(folder: Path, cases: int, seed: int = 1) -> list[str]:
    """Ledgers copied at one time and put back at another."""
    faults = []
    for case in range(cases):
        chance = random.Random(seed * 1_000_003 + case)
        plan = plan_for(chance)
        home = Home(folder / f"restored-{seed}-{case}.db")
        join(home.store, plan)
        copies = []
        for _ in range(chance.randint(2, 4)):
            home.live(TURN * chance.randint(0, 5), TURN / 2)
            home.switch_off()
            copies.append(home.path.with_suffix(f".copy{len(copies)}"))
            shutil.copy(home.path, copies[-1])
            if chance.random() < 0.7:
                shutil.copy(chance.choice(copies), home.path)
            home.hands.pass_by(chance.choice([0, 1, TURN, 3 * TURN]))
            home.switch_on()
            home.tick()
        home.live(TURN * 2 * plan.window, TURN / 2)
        home.switch_off()
        faults += faults_of(home, plan, 1, f"restored {case}")
        for copy in [home.path, *copies]:
            copy.unlink()
    return faults


def clocks(folder: Path, cases: int, seed: int = 1) -> list[str]:
    """Clocks that jump either way, with restarts between; slots and real time are both summed."""
    faults = []
    for case in range(cases):
        chance = random.Random(seed * 1_000_033 + case)
        plan = plan_for(chance)
        home = Home(folder / f"clock-{seed}-{case}.db")
        join(home.store, plan)
        drawn_at = {}
        for _ in range(chance.randint(10, 40)):
            trick = chance.random()
            if trick < 0.15:
                home.hands.jump(chance.choice([-1, 1]) * TURN * chance.choice([0.05, 0.5, 1, 2, 7, 50]))
            elif trick < 0.25:
                home.restart()
            before = set(home.left)
            home.live(TURN, TURN / chance.choice([2, 3, 10]))
            for key in set(home.left) - before:
                drawn_at[key] = home.hands.alive
        faults += faults_of(home, plan, 1, f"clock {case}")
        faults += early(home, plan, drawn_at, f"clock {case}")
        home.switch_off()
        home.path.unlink()
    return faults


def early(home: Home, plan: Plan, drawn_at: dict, what: str) -> list[str]:
    """Windows refreshed early by the machine's own clock, which nobody can set."""
    costs = [(when, sum(spent for spent, _, _ in home.left[key])) for key, when in drawn_at.items()]
    length = int((plan.window - 1) * TURN * 1e9 * 0.85)  # a slot may be lived a tenth too short
    for start, _ in costs:
        cost = sum(spent for when, spent in costs if start <= when < start + length)
        if cost > plan.epsilon:
            return [f"{what}: {cost} of {plan.epsilon} in {plan.window} slots of real time ({plan.method})"]
    return []


def hostile(folder: Path, plans: int, seed: int = 1) -> list[str]:
    """Many greedy plans at once, some joined late: the owner's caps hold over all of them together."""
    faults, caps = [], Caps(epsilon_per_day=20 * MICRO, epsilon_per_year=15 * MICRO)
    for case, asked in enumerate(range(0, plans, 10)):
        chance = random.Random(seed * 1_000_037 + case)
        home = Home(folder / f"hostile-{seed}-{case}.db", caps=caps)
        joined = {}
        for _ in range(min(10, plans - asked)):
            slot = SlotLength(chance.choice([600, 900, 3600]), "s")
            plan = plan_for(chance, epsilon=chance.choice([1, 7, 14, 19, 1000]) * MICRO, slot=slot)
            now = int(plan.calendar.slot_of([home.hands.wall])[0])
            joined[join(home.store, plan, now + 1)] = plan
            home.live(chance.choice([0, 900, 3600]), 300)
        home.live(6 * 3600, 300)
        spends = [
            Spend(
                nanoseconds(joined[place].calendar.start_of(slot)),
                nanoseconds(joined[place].calendar.end_of(slot)),
                sum(spent for spent, _, _ in rows),
            )
            for (place, slot), rows in home.left.items()
        ]
        if (cost := dearest_interval(spends, DAY)) > caps.epsilon_per_day:
            faults.append(f"hostile {case}: a day cost {cost} of {caps.epsilon_per_day}")
        if (cost := dearest_interval(spends, YEAR)) > caps.epsilon_per_year:
            faults.append(f"hostile {case}: a year cost {cost} of {caps.epsilon_per_year}")
        home.switch_off()
        home.path.unlink()
    return faults


class Witnessed:
    """The system's randomness, and a note of every draw in memory that outlives the process."""

    def __init__(self, notes: mmap.mmap) -> None:
        self.notes = notes

    def stream(self, *labels):
        if labels[0] in ("probe", "publication"):
            count = struct.unpack_from("<q", self.notes, 16)[0]
            struct.pack_into("<qq", self.notes, 24 + 16 * count, labels[1], labels[2])
            struct.pack_into("<q", self.notes, 16, count + 1)
        return OperatingSystem()


def chaos(folder: Path, kills: int, seed: int = 1) -> list[str]:
    """An agent forked from this process and killed with -9, again and again, on many ledgers."""
    faults, done = [], 0
    while done < kills:
        chance = random.Random(seed * 1_000_039 + done)
        lives = min(chance.randint(10, 30), kills - done)
        faults += _killed(folder / f"killed-{seed}-{done}.db", chance, lives)
        done += lives
    return faults


def _killed(path: Path, chance: random.Random, lives: int) -> list[str]:
    plan = plan_for(chance)
    store = Store(path)
    place = join(store, plan)
    store.close()
    notes = mmap.mmap(-1, 1 << 22)
    struct.pack_into("<qq", notes, 0, START, 10**12)
    home = Home.__new__(Home)
    home.left = {}
    for _ in range(lives):
        child = os.fork()
        if child == 0:
            _live_until_killed(path, notes)
        until = struct.unpack_from("<q", notes, 0)[0] + chance.randint(0, 20) * TURN * 10**9 // 2
        while struct.unpack_from("<q", notes, 0)[0] < until:
            time.sleep(0.0005)
        time.sleep(chance.random() * 0.004)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        _collect(path, home.left)
    faults = faults_of(home, plan, place, f"killed {path.stem}") + _unpaid(path, notes)
    path.unlink()
    return faults


def _live_until_killed(path: Path, notes: mmap.mmap) -> None:
    """What the child does: slot after slot, as fast as the disk lets it; never returns."""
    store = Store(path)
    agent = Agent(store, Caps(10**12, 10**12, 10**12), Wild(), source=Witnessed(notes), say=lambda line: None)
    while True:
        wall, alive = struct.unpack_from("<qq", notes, 0)
        struct.pack_into("<qq", notes, 0, wall + TURN * 10**9 // 2, alive + TURN * 10**9 // 2)
        agent.tick(Moment(wall, alive, "first"))


def _collect(path: Path, left: dict) -> None:
    store = Store(path)
    rows = store.disk.execute("SELECT place, slot, spent, drawn, payload FROM reports").fetchall()
    store.close()
    for place, slot, spent, drawn, payload in rows:
        left.setdefault((place, slot), set()).add((spent, drawn, payload))


def _unpaid(path: Path, notes: mmap.mmap) -> list[str]:
    """Draws that happened without their charge on the disk."""
    store = Store(path)
    paid = dict(store.disk.execute("SELECT slot, sum(amount) FROM spends GROUP BY slot").fetchall())
    store.close()
    drawn = Counter()
    for draw in range(struct.unpack_from("<q", notes, 16)[0]):
        slot, amount = struct.unpack_from("<qq", notes, 24 + 16 * draw)
        drawn[slot] += amount
    return [
        f"{path.stem}: slot {slot} was drawn and not paid"
        for slot in drawn
        if drawn[slot] > paid.get(slot, 0)
    ]
