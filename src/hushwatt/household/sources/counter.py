"""A counter of energy since it last rose, and where its next rise belongs.

Counters rise in steps, some of them of a whole kilowatt-hour or once an hour.  So one that stands
still says little: its next rise is shared out over all the time since the last.  A slot that is over
keeps what it reported; what it counted of that time is taken off, and the rest falls to the slots that
are still open.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

from hushwatt.household.clock import SECOND
from hushwatt.household.sources.slot_energy import SlotEnergy

HOUR = 3_600 * SECOND
MAX_COUNTER_GAP = 24 * HOUR  # the longest time over which a counter's rise is still shared out


@dataclass
class Counter:
    """Where a counter stands, and since when; in no `repr`."""

    watt_hours: float = field(repr=False)
    changed: int  # when it came to stand there
    told: int  # when it was last said to stand there
    rose: bool = False  # whether it was seen to come there; otherwise it may have stood there for long
    _counted: dict[str, tuple[int, float]] = field(default_factory=dict, repr=False)
    # of each plan: up to when slots that are over counted since it changed, and how much

    def watts_at(self, time: int, watt_hours: float) -> float:
        """The mean watts of a rise that shows at a time."""
        return (watt_hours - self.watt_hours) * HOUR / (time - self._begun(time))

    def is_of_before(self, watt_hours: float, maximum: float) -> bool:
        """Whether a rise that is too large may be of the time before the counter was first heard: up to an hour."""
        return not self.rose and watt_hours - self.watt_hours <= maximum and self.told - self.changed <= HOUR

    def rise(self, plan: str, slots: Iterable[SlotEnergy], time: int, watt_hours: float) -> None:
        """Share out a rise over the open slots of a plan."""
        slots, begun = list(slots), self._begun(time)
        if not slots:
            return
        until, counted = self._counted.get(plan, (begun, 0.0))
        start = max(begun, until, min(self.told, slots[0].start))  # it stood until then, and nobody asks any more
        end = max(time, start + 1)
        left = max(0.0, (watt_hours - self.watt_hours) * HOUR - counted)
        for slot in slots:
            slot.fill(self.changed, begun, 0.0)
            slot.fill(start, end, left / (end - start))

    def stand(self, slots: Iterable[SlotEnergy]) -> None:
        """Add to slots that it stood still for as long as it is known to."""
        for slot in slots:
            slot.fill(self.changed, self.told, 0.0)

    def note(self, plan: str, until: int, amount: float) -> None:
        """A slot is over that counted so much of the time since it changed."""
        if until > self.changed:
            self._counted[plan] = until, self._counted.get(plan, (0, 0.0))[1] + amount

    def _begun(self, time: int) -> int:
        return max(self.changed, time - MAX_COUNTER_GAP)
