"""The life of a slot: coming, open, grace, closed, published.

A slot is open while it lasts, and reports of it are taken for a while longer.  Once it
is closed nothing is merged into it any more, and its numbers are published once.  Slots that are
published together wait for the last of them.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property

from hushwatt.plan.plan import Plan
from hushwatt.plan.times import nanoseconds

COMING, OPEN, GRACE, CLOSED, PUBLISHED = "coming", "open", "grace", "closed", "published"


@dataclass(frozen=True)
class SlotSchedule:
    """When the slots of a plan open and close."""

    plan: Plan
    grace: timedelta  # how long after its end a slot takes reports
    tolerance: timedelta  # how far a home's clock may be ahead

    def closes(self, slot: int) -> datetime:
        """When a slot stops taking reports."""
        return self.plan.calendar.end_of(slot) + self.grace

    def first_open(self, now: datetime) -> int:
        """The first slot that still takes reports; all slots when every one is closed."""
        return max(0, self._slot(now - self.grace))

    def last_closed(self, now: datetime) -> int:
        """The last slot that takes no more reports; −1 when there is none."""
        return min(self.first_open(now), self.plan.calendar.slots) - 1

    def last_due(self, now: datetime) -> int:
        """The last slot that can be published: it is closed, and so are all that are published with it."""
        return self.plan.periods.last_complete(self.last_closed(now))

    def last_begun(self, now: datetime) -> int:
        """The last slot that has begun by some home's clock; −1 before the first."""
        return min(self._slot(now + self.tolerance), self.plan.calendar.slots - 1)

    def state(self, slot: int, now: datetime, published: int) -> str:
        """Where a slot, with those published with it, is in its life; `published` is the last slot published."""
        first, last = self.plan.periods.first_of(slot), self.plan.periods.last_of(slot)
        if last <= published:
            return PUBLISHED
        if now < self.plan.calendar.start_of(first):
            return COMING
        if now < self.plan.calendar.end_of(last):
            return OPEN
        return GRACE if now < self.closes(last) else CLOSED

    def over(self, now: datetime) -> bool:
        """Whether the last slot of the plan is closed."""
        return now >= self._end

    @cached_property
    def _end(self) -> datetime:
        return self.closes(self.plan.calendar.slots - 1)

    def _slot(self, moment: datetime) -> int:
        slot = int(self.plan.calendar.slot_of(nanoseconds(moment)))
        last = self.plan.calendar.slots - 1
        if slot > last and moment < self.plan.calendar.end_of(last):
            return last  # the plan has expired, but its last slot is not over
        return slot
