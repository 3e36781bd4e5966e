"""Numbers for the homes that files name, given as they appear.

A home is known by 64 bits of a hash of its name, so what is kept of it does not grow with the name: at most
36 bytes, in whatever order homes come.  Two of n names have the same hash with a chance of about n² / 2⁶⁵,
one in 3,700 for a hundred million; these two would be taken for one home, and nobody else notices.  The hash
has a key of its own in every run, so nobody can choose names for which that is likelier.
"""

from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from hushwatt.provider.hashed_numbers import HashedNumbers, Hashes
from hushwatt.wire.reports.keyed_hash import KeyedHash

Numbers = NDArray[np.intp]


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
        self._known = HashedNumbers()
        self._hash_of = KeyedHash()

    def __len__(self) -> int:
        return len(self._known)

    def numbers(self, slot: int, names: pa.Array) -> Numbers:
        """The homes of the next reports of a slot; a new name gets the next number."""
        if self._current is None or self._current.slot != slot:
            self._begin(slot)
        assert self._current is not None
        hashes, numbers = self._hash_of(names), None
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
        return self._numbers(self._hash_of(names)).astype(np.intp)

    def _begin(self, slot: int) -> None:
        if self._current is not None:
            self._last.pop(self._current.slot % self._period, None)  # before it is there twice
            self._last[self._current.slot % self._period] = self._current.concatenated()
        self._current = SlotHomes(slot)

    def _numbers(self, hashes: Hashes) -> NDArray[np.int32]:
        numbers = self._known.find(hashes)
        new = np.flatnonzero(numbers < 0)
        if len(new):
            numbers[new] = self._add(hashes[new])
        return numbers

    def _add(self, hashes: Hashes) -> NDArray[np.int32]:
        """Number new homes as they come, so that those of a slot mostly have neighbouring numbers."""
        order = np.argsort(hashes)
        ascending = hashes[order]
        first = np.diff(ascending, prepend=~ascending[:1]) != 0  # each once
        came = np.minimum.reduceat(order, np.flatnonzero(first))
        marked = np.zeros(len(hashes), dtype=np.bool_)
        marked[came] = True
        given = (len(self) + np.cumsum(marked)[came] - 1).astype(np.int32)
        self._known.add(ascending[first], given)
        numbers = np.empty(len(hashes), dtype=np.int32)
        numbers[order] = given[np.cumsum(first) - 1]
        return numbers
