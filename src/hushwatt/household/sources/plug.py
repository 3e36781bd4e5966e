"""One plug, and the time-weighted mean of its watts over the slots it is asked about.

A reading holds until the next one, but not longer than it stays fresh; after that the
plug counts as 0 W, or as not measured where a plan has that answer and the plug is silent for
more than half of a slot.  A pause between two messages that is short beside the slot is no
silence, however soon readings go stale.  Where a plug counts energy, the rise of the counter
is used instead, which misses nothing in between.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from math import isfinite, nan

from hushwatt.household.clock import SECOND
from hushwatt.household.sources.counter import HOUR, MAX_COUNTER_GAP, Counter
from hushwatt.household.sources.guess import is_mains
from hushwatt.household.sources.measurement import (
    EnergyCounter,
    Measurement,
    Part,
    PowerReading,
    SenderAway,
    SenderBack,
    Unavailable,
)
from hushwatt.household.sources.parts import Parts
from hushwatt.household.sources.slot_energy import SlotEnergy

MAX_BELOW_ZERO = 20.0  # watts that a meter may show below zero without being wrong
MAX_KILOWATTS = 25.0  # numbers that never pass this may be kilowatts
COUNTER_PERIOD = 300 * SECOND  # a counter that stands still is taken down again after so long
MIN_READINGS = 30  # readings before that is said
TOO_LATE = "its counter was silent for more than a day: what it rose by meanwhile counts nowhere"
LEAPT = "its counter rose by more than its appliance can use since the last rise: that counts nowhere"
TOO_RARE = "its counter rises too rarely for slots as short as a plan's: choose what tells of power instead"
DROPPED = (TOO_LATE, LEAPT, TOO_RARE)  # what a counter told and does not count is said until it rises again


@dataclass
class Plug:
    """What is known of one plug; its readings are in no `repr`."""

    name: str
    appliance: str
    stale: int = HOUR  # how long a reading holds
    maximum: float = 25_000.0  # watts; more than that is impossible
    heard: int | None = None  # when the last good reading came
    trouble: str | None = None  # what was wrong with the last message, if anything
    silent: bool = True  # whether it was so for more than half of the slot that was taken last
    known: int | None = None  # up to when all is told that there is to tell
    exports: bool = field(init=False)  # whether it may show less than nothing: a meter of the whole house
    _parts: Parts = field(default_factory=Parts, repr=False)
    _power: tuple[int, float] | None = field(default=None, repr=False)
    _counter: Counter | None = field(default=None, repr=False)
    _energies: dict[str, list[SlotEnergy]] = field(default_factory=dict, repr=False)
    _guessed: bool = field(default=False, repr=False)  # whether the power is a counter's, for the time after it
    _small: int = field(default=0, repr=False)  # readings so far, as long as all are small and broken
    _away: dict[str, int] = field(default_factory=dict, repr=False)  # since when who is not there
    _last: int | None = field(default=None, repr=False)  # how long the last reading holds, though it was interrupted
    _confirmed: int | None = field(default=None, repr=False)  # until when its sender stood by the last reading

    def __post_init__(self) -> None:
        self.exports = is_mains(self.appliance)

    def open(self, plan: str, *edges: int) -> None:
        """Begin to add up the slots of a plan between these edges; one that is open already stays so."""
        here = {(each.start, each.end): each for each in self._energies.get(plan, [])}
        self._energies[plan] = [here.get(span) or SlotEnergy(*span) for span in pairwise(edges)]

    def take_mean(self, plan: str) -> float:
        """The mean watts over the first slot that is open, silence being 0 W; forgets it."""
        energy = self._take_slot(plan)
        return self._possible_mean(energy, energy.end - energy.start)

    def take_measured_mean(self, plan: str) -> float:
        """Likewise the mean over the time that was measured; NaN when it was silent for more than half of the slot."""
        energy = self._take_slot(plan)
        return nan if energy.silent else self._possible_mean(energy, energy.covered)

    def _possible_mean(self, energy: SlotEnergy, lasted: int) -> float:
        """The mean watts; a counter's rise of hours, which all falls to a short slot, is cut to what is possible."""
        mean = max(0.0, energy.amount / lasted)
        if mean > self.maximum * (1 + 1e-9):
            self.trouble = self.trouble or TOO_RARE
        return min(mean, self.maximum)

    def _take_slot(self, plan: str) -> SlotEnergy:
        """The first slot that is open, with what the last reading holds for in it."""
        energy = self._energies[plan].pop(0)
        before, until = energy.amount, 0
        if self._counter is not None:
            self._counter.stand([energy])
            until = self._counter.told
        if self._power is not None:
            since, watts = self._power
            until = self._fresh_until(since)
            energy.hold(since, energy.end, until, watts)
        if self._counter is not None:
            self._counter.note(plan, min(energy.end, until), energy.amount - before)
        self.silent = energy.silent
        return energy

    def take(self, time: int, measurement: Measurement) -> None:
        """Take in what a message told at a time; what is exported counts as 0 W."""
        if isinstance(measurement, Part):
            if (whole := self._parts.take(time, measurement, self.stale)) is not None:
                self.take(time, whole)
        elif isinstance(measurement, Unavailable):
            self._hold_until(time)
            self._parts.forget()
            self._power, self.trouble = None, measurement.reason  # a counter may come back and tell what was missed
        elif isinstance(measurement, SenderAway):
            self._away.setdefault(measurement.sender, time)
            self.trouble = f"{measurement.sender} is not there"
        elif isinstance(measurement, SenderBack):
            self._come_back(time, measurement.sender)
        elif isinstance(measurement, PowerReading):
            self._take_power(time, measurement.watts)
        elif isinstance(measurement, EnergyCounter):
            self._take_energy(time, measurement.watt_hours)

    def confirm(self, time: int) -> None:
        """Its sender is there and has nothing new to say: the last reading still holds, the counter stands still."""
        if self.trouble not in (None, *DROPPED) or self.heard is None or time < self.heard:
            return
        if self._counter is None:
            self._confirmed = time
        elif time - self._counter.told >= COUNTER_PERIOD:
            self._take_energy(time, self._counter.watt_hours)
        self.heard = self.known = time

    def fill(self, start: int, end: int, watts: float) -> None:
        """Add what was learnt later about [start, end) to open slots, where no reading counts or is to count."""
        if not isfinite(watts) or not self._lowest <= watts <= self.maximum:
            return
        pending = [self._power[0]] if self._power is not None else []
        pending += [self._counter.changed] if self._counter is not None else []
        for energy in self._open_slots:
            energy.fill(start, min([end, *pending]), max(0.0, watts))

    def succeed(self, other: "Plug") -> None:
        """Go on where another plug, which is no longer asked, ends: what it counted in open slots is ours."""
        other.end()
        self.known = other.heard
        for plan, slots in self._energies.items():
            counted = {(each.start, each.end): each for each in other._energies.get(plan, [])}
            self._energies[plan] = [counted.get((each.start, each.end), each) for each in slots]
        other._energies = {}

    def end(self) -> None:
        """Add what the last reading held for, up to when it was last heard; only slots it counts for stay open."""
        if self.heard is not None:
            self._hold_until(self.heard)
        self._leave_counter()
        self._power = None
        self._energies = {plan: [each for each in slots if each.covered] for plan, slots in self._energies.items()}

    def prune(self, plan: str, since: int) -> None:
        """Forget the slots of a plan that began before a time."""
        self._energies[plan] = [each for each in self._energies.get(plan, []) if each.start >= since]

    def has_slot(self, plan: str) -> bool:
        """Whether a slot of a plan is open."""
        return bool(self._energies.get(plan))

    @property
    def looks_like_kilowatts(self) -> bool:
        """Whether every one of many readings was a small broken number."""
        return self._small >= MIN_READINGS

    def _take_power(self, time: int, watts: float) -> None:
        if not self._is_possible(watts):
            return
        self._count_small(watts)
        self._guessed = False
        if self._counter is not None and time - self._counter.told > self.stale:
            self._leave_counter()  # it stopped counting
        if self._counter is None:
            self._hold_until(time)
            self._power = time, max(0.0, watts)
        else:  # the counter has all up to its own time: only what follows is a guess
            self._power = self._counter.told, max(0.0, watts)
        self._mark_heard(time)

    def _take_energy(self, time: int, watt_hours: float) -> None:
        if not isfinite(watt_hours) or watt_hours < 0:
            self.trouble = "its counter shows an impossible number"
            return
        trouble, counter = None, self._counter
        if counter is None:
            self._hold_until(time)
            self._power = None if self._power is None else (time, self._power[1])
        elif time == counter.changed:
            return  # it did not rise yet
        elif counter.told <= time <= counter.told + MAX_COUNTER_GAP and watt_hours == counter.watt_hours:
            counter.told, trouble = time, self.trouble if self.trouble in DROPPED else None
            self._power, self._guessed = (time, 0.0), True
        else:
            trouble = self._take_rise(counter, time, watt_hours)
        if counter is None or counter.told != time or counter.watt_hours != watt_hours:
            self._counter = Counter(watt_hours, time, time, rose=counter is not None)
        self._mark_heard(time)
        self.trouble = trouble

    def _take_rise(self, counter: Counter, time: int, watt_hours: float) -> str | None:
        """Share out a counter's rise over the time since its last one; why not, where that is a trouble."""
        if time < counter.told:  # a clock set back: begin again from here
            return None
        trouble = TOO_LATE if time - counter.told > MAX_COUNTER_GAP else None
        watts = counter.watts_at(time, watt_hours)
        if watts < 0 or trouble or not self._lowest <= watts <= self.maximum:
            self._leave_counter()  # nothing is known about the time between
            self._power = None
            if watts <= 0:  # it started again
                return None
            return trouble or (None if counter.is_of_before(watt_hours, self.maximum) else LEAPT)
        for plan, slots in self._energies.items():
            counter.rise(plan, slots, time, watt_hours)
        self._power, self._guessed = (time, watts), True
        return None

    def _leave_counter(self) -> None:
        """Begin anew with the counter: only that it stood still until it was last heard is known."""
        if self._counter is not None:
            self._counter.stand(self._open_slots)
        self._counter = None

    def _hold_until(self, time: int) -> None:
        """Add what the last reading held for, up to now."""
        if self._power is None or self._counter is not None:
            return
        since, watts = self._power
        for energy in self._open_slots:
            energy.hold(since, time, self._fresh_until(since), watts)

    def _fresh_until(self, since: int) -> int:
        """How long a reading of `since` holds; what a counter rose by says little of the hours after it."""
        fresh = max(since, self._confirmed or since) + (min(self.stale, HOUR) if self._guessed else self.stale)
        away = [since + HOUR for since in self._away.values()]
        return min([fresh, *away, *([] if self._last is None else [self._last])])

    def _come_back(self, time: int, sender: str) -> None:
        """Go on from here with the last reading, which its sender would not repeat, for as long as it would hold."""
        if self._away.keys() != {sender}:
            self._away.pop(sender, None)
            return
        self._hold_until(time)
        self._away, self.trouble = {}, None
        if self._power is not None and self._counter is None:
            since, watts = self._power
            self._last, self._power = self._fresh_until(since), (time, watts)

    @property
    def _open_slots(self) -> Iterator[SlotEnergy]:
        return (each for energies in self._energies.values() for each in energies)

    @property
    def _lowest(self) -> float:
        return -self.maximum if self.exports else -MAX_BELOW_ZERO

    def _is_possible(self, watts: float) -> bool:
        possible = isfinite(watts) and self._lowest <= watts <= self.maximum
        if not possible:
            self.trouble = f"it shows more than {self.maximum:g} W, or less than nothing: not a reading"
        return possible

    def _count_small(self, watts: float) -> None:
        if watts > MAX_KILOWATTS or (watts > 0 and watts == int(watts)):
            self._small = -1
        elif watts > 0 and self._small >= 0:
            self._small += 1

    def _mark_heard(self, time: int) -> None:
        self.heard = self.known = time
        self.trouble = self._confirmed = self._last = None
        self._away = {}
