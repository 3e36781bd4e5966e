"""When results are fetched: by the plan's public calendar, and an offset that chance draws once for each plan."""

import json
from dataclasses import dataclass

from hushwatt.household.clock import SECOND
from hushwatt.household.ledger.caps import DAY
from hushwatt.household.ledger.store import Store
from hushwatt.plan.plan import Plan
from hushwatt.plan.sharing import stretches
from hushwatt.plan.times import nanoseconds
from hushwatt.privacy.entropy import Entropy

MIN_INTERVAL = 10 * SECOND  # between two fetches, however short a plan's stretches are
LAST_INTERVALS = 14  # after the plan is over, for what is published last


@dataclass(frozen=True)
class FetchSchedule:
    """The times of one home under one plan, in nanoseconds: as far apart as stretches are, and a day at most."""

    begin: int
    interval: int
    end: int

    @classmethod
    def of(cls, plan: Plan, offset: int) -> "FetchSchedule":
        """From the end of the plan's first stretch on, each time `offset` later."""
        interval = interval_of(plan)
        first = nanoseconds(plan.calendar.end_of(stretches(plan).last_of(0)))
        return cls(first + offset, interval, nanoseconds(plan.expires) + LAST_INTERVALS * interval)

    def after(self, now: int) -> int:
        """The first time that is later than now."""
        passed = max(0, (now - self.begin) // self.interval + 1)
        return self.begin + passed * self.interval


def interval_of(plan: Plan) -> int:
    """How long a home waits between two fetches.

    >>> from hushwatt.plan.presets import preset
    >>> interval_of(preset("advised")) == DAY
    True
    """
    return min(max(stretches(plan).length * plan.slot.seconds * SECOND, MIN_INTERVAL), DAY)


def is_due(store: Store, plan: Plan, now: int, entropy: Entropy) -> bool:
    """Whether the time has come; the next one is written down then, before anything is asked.

    What fails is tried at the next time, and a time that was missed once the home is there again.
    """
    name = f"fetch {plan.id}"
    text = store.read_value(name)
    if text is None:
        offset = int(entropy.words(1)[0]) * interval_of(plan) >> 64
        store.write_value(name, json.dumps([offset, FetchSchedule.of(plan, offset).after(now)]))
        return False
    offset, time = json.loads(text)
    schedule = FetchSchedule.of(plan, offset)
    if now >= schedule.end or time == (following := schedule.after(now)):
        return False
    store.write_value(name, json.dumps([offset, following]))
    return bool(now >= time)
