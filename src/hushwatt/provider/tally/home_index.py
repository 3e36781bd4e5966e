"""Numbers for the homes that files name, given as they appear.

A home is known by 64 bits of a hash of its name, so what is kept of it does not grow with the name: at most
36 bytes, in whatever order homes come.  Two of n names have the same hash with a chance of about n² / 2⁶⁵,
one in 3,700 for a hundred million; these two would be taken for one home, and nobody else notices.
"""

from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from hushwatt.provider.sorted_parts import SortedParts
from hushwatt.wire.reports.columns import hash_names

Numbers = NDArray[np.intp]
Hashes = NDArray[np.uint64]


@dataclass
class SlotHomes:
    """The homes of one slot, in the order in which they came."""

    slot: int
    hashes: list[Hashes] = field(default_factory=list)
    numbers: list[NDArray[np.int32]] = field(default_factory=list)
    length: int = 0

    def add(self, hashes: Hashes, numbers: NDArray[np.int32]) -> None:
        self.hashes.append(hashes)
        self.numbers.append(numbers)
        self.length += len(numbers)

    def concatenated(self) -> "SlotHomes":
        """The same in one piece."""
        return SlotHomes(self.slot, [np.concatenate(self.hashes)], [np.concatenate(self.numbers)], self.length)


class HomeIndex:
    """The number of each home; homes that come in the same order as a period ago are not looked up."""

    def __init__(self, period: int = 1) -> None:
        self._period = period  # slots after which the same homes come again
        self._last: dict[int, SlotHomes] = {}  # the last whole slot of each phase
        self._current: SlotHomes | None = None
        self._known = SortedParts()

    def __len__(self) -> int:
        return len(self._known)

    def numbers(self, slot: int, names: pa.Array) -> Numbers:
        """The homes of the next reports of a slot; a new name gets the next number."""
        if self._current is None or self._current.slot != slot:
            self._begin(slot)
        assert self._current is not None
        hashes, numbers = hash_names(names), None
        start, last = self._current.length, self._last.get(slot % self._period)
        if last is not None:
            part = slice(start, start + len(names))
            if np.array_equal(last.hashes[0][part], hashes):  # as then: the memory is shared
                hashes, numbers = last.hashes[0][part], last.numbers[0][part]
        if numbers is None:
            numbers = self._numbers(hashes)
        self._current.add(hashes, numbers)
        return numbers.astype(np.intp)

    def look_up(self, names: pa.Array) -> Numbers:
        """The homes of these names, whatever slots they come in; a new name gets the next number."""
        return self._numbers(hash_names(names)).astype(np.intp)

    def _begin(self, slot: int) -> None:
        if self._current is not None:
            self._last.pop(self._current.slot % self._period, None)  # before it is there twice
            self._last[self._current.slot % self._period] = self._current.concatenated()
        self._current = SlotHomes(slot)

    def _numbers(self, hashes: Hashes) -> NDArray[np.int32]:
        order = np.argsort(hashes)  # neighbours are found quicker one after the other
        found = self._found(hashes[order])
        new = found < 0
        if new.any():
            found[new] = self._add(hashes[order[new]], order[new])
        numbers = np.empty_like(found)
        numbers[order] = found
        return numbers

    def _found(self, ascending: Hashes) -> NDArray[np.int32]:
        """The numbers of homes that are known, −1 of others."""
        numbers = np.full(len(ascending), -1, dtype=np.int32)
        for rows, (found,) in self._known.matches(ascending):
            numbers[rows] = found
        return numbers

    def _add(self, ascending: Hashes, rows: Numbers) -> NDArray[np.int32]:
        """Number new homes as their rows come, so that those of a slot mostly have neighbouring numbers."""
        first = np.diff(ascending, prepend=~ascending[:1]) != 0  # each once
        came = np.minimum.reduceat(rows, np.flatnonzero(first))
        marked = np.zeros(came.max() + 1, dtype=np.bool_)
        marked[came] = True
        numbers = (len(self) + np.cumsum(marked)[came] - 1).astype(np.int32)
        self._known.add(ascending[first], numbers)
        of_all: NDArray[np.int32] = numbers[np.cumsum(first) - 1]
        return of_all
