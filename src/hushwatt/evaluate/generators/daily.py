"""What a block of invented homes does on one day: uses with a beginning and a length, and cooling.

Energy is counted in joules between two seconds of the day, so any slot can ask.
A use that would run past midnight ends in the first hours of the same day:
every day stands for itself, and its energy is complete.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hushwatt.evaluate.generators.appliance_facts import DAY, MAX_USE_SECONDS, MINUTE, ApplianceFacts, course, hours
from hushwatt.evaluate.generators.habits import Floats, Habits, around_one, column, single

PIECES = 1_024  # of the day, in each of which a use is equally likely to begin
QUEUE_SPACING = 1e7  # seconds between two homes' queues, more than all the uses of one appliance last

Joules = NDArray[np.float64]


@dataclass(frozen=True)
class Uses:
    """All uses of one day by a block of homes."""

    cell: NDArray[np.int32]  # home · appliances + appliance
    begins: Floats  # second of the day
    lasts: Floats  # seconds


@dataclass(frozen=True)
class Timetable:
    """When each appliance's uses begin, how long they last, and how their watts go."""

    quantiles: Floats  # appliance × PIECES + 1: seconds of the day
    lasts: Floats  # seconds, by appliance
    variation: Floats  # of the length, by appliance
    steps: tuple[tuple[Floats, Floats, Floats], ...]  # begin, length and multiple of each part, by appliance

    @classmethod
    def of(cls, facts: Sequence[ApplianceFacts]) -> "Timetable":
        """The timetable of the appliances of a plan."""
        courses = [course(each.course) for each in facts]
        longest = max(len(each.parts) for each in courses)
        return cls(
            quantiles=np.stack([_quantiles(each.shape) for each in facts]),
            lasts=column(facts, "minutes") * np.float32(MINUTE),
            variation=column(facts, "variation"),
            steps=tuple(
                (
                    single([each.begins[part] if part < len(each.parts) else 1.0 for each in courses]),
                    single([each.parts[part] if part < len(each.parts) else 0.0 for each in courses]),
                    single([each.multiples[part] if part < len(each.parts) else 0.0 for each in courses]),
                )
                for part in range(longest)
            ),
        )


def _quantiles(shape: str) -> Floats:
    """The seconds that cut the day into equally likely pieces, by the energy of its hours."""
    until = np.concatenate([[0.0], np.cumsum(hours(shape))])
    return single(np.interp(np.linspace(0, 1, PIECES + 1), until, np.linspace(0, DAY, 25)))


def draw_uses(stream: np.random.Generator, table: Timetable, expected: Floats) -> Uses:
    """Draw a Poisson number of uses for each home and appliance, each with its moment and length."""
    count = stream.poisson(expected).ravel()
    cell = np.repeat(np.arange(count.size, dtype=np.int32), count)
    appliance = cell % expected.shape[1]
    place = stream.random(cell.size, dtype=np.float32) * np.float32(PIECES)
    piece = np.minimum(place.astype(np.int32), PIECES - 1)
    first = table.quantiles[appliance, piece]
    begins = first + (place - piece) * (table.quantiles[appliance, piece + 1] - first)
    lasts = table.lasts[appliance] * around_one(stream, table.variation[appliance], cell.size)
    return Uses(cell, single(begins), np.minimum(lasts, np.float32(MAX_USE_SECONDS)))


def one_after_another(uses: Uses) -> Uses:
    """The same uses, none beginning before the last one of the same appliance has ended.

    With C the sum of the lengths so far, the i-th ends at C_i + max over j ≤ i
    of (begin_j − C_{j−1}); homes and appliances are told apart by a distance.
    """
    order = np.lexsort((uses.begins, uses.cell))
    cell, lasts = uses.cell[order], uses.lasts[order].astype(np.float64)
    before = np.cumsum(lasts) - lasts
    latest = np.maximum.accumulate(uses.begins[order] - before + cell * QUEUE_SPACING)
    return Uses(cell, single(latest + before - cell * QUEUE_SPACING), single(lasts))


def used(uses: Uses, table: Timetable, watts: Floats, since: float, until: float) -> Joules:
    """Joules of each home and appliance between two seconds of the day; `watts` are those while in use."""
    whole = since <= 0 and until >= DAY
    seconds = uses.lasts if whole else _seconds(uses, table, since, until)
    joules = np.bincount(uses.cell, weights=seconds, minlength=watts.size)
    return np.asarray(joules.reshape(watts.shape) * watts, dtype=np.float64)


def _seconds(uses: Uses, table: Timetable, since: float, until: float) -> NDArray[np.float64]:
    """The seconds at mean watts that amount to what each use drew between two seconds of the day."""
    appliance = uses.cell % len(table.lasts)
    seconds = np.zeros(uses.cell.size)
    for begin, length, multiple in table.steps:
        first = uses.begins + begin[appliance] * uses.lasts
        last = first + length[appliance] * uses.lasts
        for midnight in (0.0, DAY):  # what passes midnight comes back in the morning
            shared = np.minimum(last - midnight, until) - np.maximum(first - midnight, since)
            seconds += multiple[appliance] * np.maximum(shared, 0.0)
    return seconds


def cooled(stream: np.random.Generator, table: Timetable, habits: Habits, since: float, until: float) -> Joules:
    """Joules of what cools between two seconds of the day, by home and appliance."""
    mean = habits.cold * around_one(stream, table.variation, habits.cold.shape)
    mean = np.minimum(mean, habits.watts)
    if since <= 0 and until >= DAY:
        return np.asarray(mean * DAY, dtype=np.float64)
    late = habits.phase * table.lasts
    duty = mean / habits.watts
    seconds = _running(until + late, table.lasts, duty) - _running(since + late, table.lasts, duty)
    return np.asarray(habits.watts * seconds, dtype=np.float64)


def _running(seconds: Floats, cycle: Floats, duty: Floats) -> NDArray[np.float64]:
    """How long a compressor has run after some seconds: ⌊t/T⌋·D·T + min(t mod T, D·T)."""
    whole, rest = np.divmod(seconds.astype(np.float64), cycle)
    return np.asarray(whole * duty * cycle + np.minimum(rest, duty * cycle))
