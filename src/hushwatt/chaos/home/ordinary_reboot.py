"""An ordinary reboot costs the slots it falls into, and no other, however long the window is."""

import json
import random
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from hushwatt.audit.harness.clocked_home import START, Chances, Home, join
from hushwatt.audit.harness.expect import expect
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
    source = Chances(seed)
    first, memory = first_memory(plan, 0, source)
    home = Home(folder / "ledger.db", source)
    join(home.store, plan, begun=(first, memory))
    life, disturbed = Life(plan, home), chance.randrange(window)
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
class Life:
    """A home that lives slot by slot, by a clock that is right."""

    plan: Plan
    home: Home
    own: set[int] = field(default_factory=set)  # slots that a reboot fell into

    def slot(self, reboot: random.Random | None = None) -> None:
        """One slot, with a look at the clock at its beginning; if it is a special one, with many."""
        length, hands = self.plan.slot.seconds * SECOND, self.home.hands
        for tenth in range(10) if reboot is not None else [9]:
            self.home.tick()
            if reboot is not None and tenth == 4:
                self.reboot(reboot)
            end = hands.true // length * length + (tenth + 1) * length // 10
            hands.pass_by((end - hands.true) / SECOND)

    def reboot(self, chance: random.Random) -> None:
        """Off for a minute or so; a clock without a battery is right a minute later."""
        hands, home = self.home.hands, self.home
        self.own.add(self._now())
        if chance.random() < 0.5:
            home.agent.stop(hands.look())
        home.switch_off()
        hands.reboot(chance.choice([1, 20, 60]), chance.choice([None, 0, hands.wall]))
        home.switch_on()
        for _ in range(3):
            home.tick()
            hands.pass_by(chance.choice([1, 10]))
        hands.wall = START + hands.true
        home.tick()
        self.own.add(self._now())

    def _now(self) -> int:
        return int(self.plan.calendar.slot_of([START + self.home.hands.true])[0])
