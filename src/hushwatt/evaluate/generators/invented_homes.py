"""Homes that invent their readings: as arrays for experiments, as pages of the readings table for files.

Pages are made one at a time, so memory stays bounded whatever the number of
homes, and arrays and pages have the same numbers.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property, lru_cache

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from hushwatt.errors import UsageError
from hushwatt.evaluate.generators.home_generator import BLOCK_HOMES, Watts
from hushwatt.evaluate.readings_file import SCHEMA
from hushwatt.plan.plan import Plan

PAGE_ROWS = 131_072  # about as many rows as a page has
DIGITS = 7  # of a household's number, more for larger fleets

Block = Callable[[int, int, int], Watts]  # slot, block, homes in it → watts of homes × appliances


@dataclass(frozen=True)
class InventedHomes:
    """Homes that invent their readings, and the slots they do it in."""

    plan: Plan
    homes: int
    slots: int
    block: Block
    label: dict[str, object]  # what made these numbers, for whoever finds them

    def __post_init__(self) -> None:
        for count, of in ((self.homes, "homes"), (self.slots, "slots")):
            if count < 1:
                raise UsageError(f"asked for {count} {of}; there must be at least 1")

    def blocks(self, slot: int) -> Iterator[tuple[int, Watts]]:
        """The first home of each block, and what the block used in `slot`."""
        for block, first in enumerate(range(0, self.homes, BLOCK_HOMES)):
            yield first, self.block(slot, block, min(BLOCK_HOMES, self.homes - first))

    def arrays(self) -> Iterator[tuple[int, Watts]]:
        """Each slot with what all homes used in it: homes × appliances."""
        for slot in range(self.slots):
            yield slot, np.concatenate([watts for _, watts in self.blocks(slot)])

    def pages(self) -> Iterator[pa.RecordBatch]:
        """The readings table, sorted by time, household and the plan's order of appliances."""
        waiting: list[tuple[int, Watts]] = []
        together = max(1, PAGE_ROWS // (self.homes * len(self.plan.appliances)))  # slots on one page
        for slot in range(self.slots):
            for first, watts in self.blocks(slot):
                waiting.append((slot, watts))
                if self.homes > BLOCK_HOMES or len(waiting) == together:
                    yield self._page(first, waiting)
                    waiting = []
        if waiting:
            yield self._page(0, waiting)

    def _page(self, first: int, parts: list[tuple[int, Watts]]) -> pa.RecordBatch:
        """A page of the same homes in one or several slots."""
        homes, appliances = parts[0][1].shape
        stamps = np.repeat([self._stamp(slot) for slot, _ in parts], homes * appliances)
        columns = [
            pa.DictionaryArray.from_arrays(_each(len(parts), homes, appliances), self._names(first, homes)),
            pa.array(stamps, SCHEMA.field("time").type),
            pa.DictionaryArray.from_arrays(_each(len(parts) * homes, appliances, 1), self._appliances),
            self._watts(np.concatenate([watts.ravel() for _, watts in parts])),
        ]
        return pa.RecordBatch.from_arrays(columns, names=SCHEMA.names)

    def _watts(self, watts: Watts) -> pa.Array:
        """A column of watts; what is not measured is null."""
        return pa.array(watts, mask=np.isnan(watts)) if self.plan.answers_unmeasured else pa.array(watts)

    def _stamp(self, slot: int) -> int:
        """When a slot begins, in microseconds; slot 0 of a plan that starts at noon, at noon."""
        return microseconds(max(self.plan.calendar.start_of(slot), self.plan.start))

    def _names(self, first: int, homes: int) -> pa.Array:
        return household_names(first, homes, max(DIGITS, len(str(self.homes))))

    @cached_property
    def _appliances(self) -> pa.Array:
        return pa.array(self.plan.names, pa.string())


@lru_cache(maxsize=4)
def household_names(first: int, homes: int, digits: int = DIGITS) -> pa.Array:
    """Names of homes, counted from 1, whose order as text is their order as numbers.

    >>> household_names(9, 2).to_pylist()
    ['home-0000010', 'home-0000011']
    """
    numbers = pa.array(np.arange(first + 1, first + homes + 1)).cast(pa.string())
    return pc.binary_join_element_wise("home", pc.utf8_lpad(numbers, digits, "0"), "-")


@lru_cache(maxsize=4)
def _each(outer: int, count: int, inner: int) -> pa.Array:
    """0 … count − 1, each `inner` times, all of it `outer` times."""
    return pa.array(np.tile(np.repeat(np.arange(count, dtype=np.int32), inner), outer))


def microseconds(moment: datetime) -> int:
    """Microseconds since 1970 of a moment in UTC."""
    return int(np.datetime64(moment.replace(tzinfo=None), "us").astype(np.int64))
