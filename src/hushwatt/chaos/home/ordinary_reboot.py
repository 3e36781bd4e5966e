"""An ordinary reboot costs the slots it falls into, and no other, however long the window is."""

import json
import random
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from hushwatt.audit.harness.expect import expect
from hushwatt.audit.harness.home_under_test import HomeUnderTest, SeededSource, join
from hushwatt.audit.harness.machine_clock import START
from hushwatt.audit.harness.plans import plan_for
from hushwatt.household.clock import SECOND
from hushwatt.household.membership import first_memory
from hushwatt.plan import SlotLength
from hushwatt.plan.plan import Plan

BY_THE_CLOCK = ("lbu", "lsp", "lpu")  # whose slots of speaking are known beforehand


def ordinary_reboot(chance: random.Random, seed: int, folder: Path) -> None:
    """A home that is rebooted for a minute or so, once in every window, speaks in all its other turns."""
    method = chance.choice(BY_THE_CLOCK)
    slot, window = (SlotLength(1, "d"), 365) if chance.random() < 0.3 else (SlotLength(600, "s"), 7)
    plan = plan_for(chance, method, slot=slot, window=window, expires=datetime(2027, 1, 1, tzinfo=UTC))
    source = SeededSource(seed)
    first, memory = first_memory(plan, 0, source)
    home = HomeUnderTest(folder / "ledger.db", source)
    join(home.store, plan, begun=(first, memory))
    life, disturbed = RebootedHome(plan, home), chance.randrange(window)
    slots = 2 * window + 10 if method != "lbu" else 60  # until a turn has come again
    for each in range(slots):
        life.slot(chance if each % window == disturbed else None)
    home.tick()
    home.switch_off()
    wait = json.loads(memory)["strategy"].get("wait", 0)
    turns = {each for each in range(1, slots) if method == "lbu" or each % window == wait}
    missing = turns - set(home.slots()) - life.own
    expect(not missing, f"reboots cost {method} the slots {sorted(missing)} beside their own")


@dataclass
class RebootedHome:
    """A home that lives slot by slot, by a clock that is right."""

    plan: Plan
    home: HomeUnderTest
    own: set[int] = field(default_factory=set)  # slots that a reboot fell into

    def slot(self, reboot: random.Random | None = None) -> None:
        """One slot, with a look at the clock at its beginning; if it is a special one, with many."""
        length, clock = self.plan.slot.seconds * SECOND, self.home.clock
        for tenth in range(10) if reboot is not None else [9]:
            self.home.tick()
            if reboot is not None and tenth == 4:
                self.reboot(reboot)
            end = clock.true // length * length + (tenth + 1) * length // 10
            clock.advance((end - clock.true) / SECOND)

    def reboot(self, chance: random.Random) -> None:
        """Off for a minute or so; a clock without a battery is right a minute later."""
        clock, home = self.home.clock, self.home
        self.own.add(self._now())
        if chance.random() < 0.5:
            home.agent.stop(clock.look())
        home.switch_off()
        clock.reboot(chance.choice([1, 20, 60]), chance.choice([None, 0, clock.wall]))
        home.switch_on()
        for _ in range(3):
            home.tick()
            clock.advance(chance.choice([1, 10]))
        clock.wall = START + clock.true
        home.tick()
        self.own.add(self._now())

    def _now(self) -> int:
        return int(self.plan.calendar.slot_of([START + self.home.clock.true])[0])
