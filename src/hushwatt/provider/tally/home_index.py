"""Numbers for the homes that files name, given as they appear: 16 bytes a home, by a hash of its name."""

from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from hushwatt.wire.reports.columns import hash_names

Numbers = NDArray[np.intp]


@dataclass
class SlotHomes:
    """The homes of one slot, in the order in which they came."""

    slot: int
    names: list[pa.Array] = field(default_factory=list)
    numbers: list[Numbers] = field(default_factory=list)
    length: int = 0

    def add(self, names: pa.Array, numbers: Numbers) -> None:
        self.names.append(names)
        self.numbers.append(numbers)
        self.length += len(numbers)

    def concatenated(self) -> "SlotHomes":
        """The same in one piece."""
        return SlotHomes(self.slot, [pa.concat_arrays(self.names)], [np.concatenate(self.numbers)], self.length)


@dataclass(frozen=True)
class KnownHomes:
    """Homes that have a number."""

    hashes: NDArray[np.uint64]  # of their names, ascending
    numbers: Numbers

    def merged(self, others: "KnownHomes") -> "KnownHomes":
        at = np.searchsorted(self.hashes, others.hashes)
        return KnownHomes(np.insert(self.hashes, at, others.hashes), np.insert(self.numbers, at, others.numbers))


class HomeIndex:
    """The number of each home; homes that come in the same order as a period ago are not looked up."""

    def __init__(self, period: int) -> None:
        self._period = period  # slots after which the same homes come again
        self._last: dict[int, SlotHomes] = {}  # the last whole slot of each phase
        self._current: SlotHomes | None = None
        self._known: list[KnownHomes] = []

    def __len__(self) -> int:
        return sum(len(known.hashes) for known in self._known)

    def numbers(self, slot: int, names: pa.Array) -> Numbers:
        """The homes of the next reports of a slot; a new name gets the next number."""
        if self._current is None or self._current.slot != slot:
            if self._current is not None:
                self._last[self._current.slot % self._period] = self._current.concatenated()
            self._current = SlotHomes(slot)
        start, last = self._current.length, self._last.get(slot % self._period)
        if last is not None and last.names[0].slice(start, len(names)).equals(names):
            numbers = last.numbers[0][start : start + len(names)]
        else:
            numbers = self.look_up(names)
        self._current.add(names, numbers)
        return numbers

    def look_up(self, names: pa.Array) -> Numbers:
        """The homes of these names, whatever slots they come in; a new name gets the next number."""
        hashes = hash_names(names)
        order = np.argsort(hashes)  # neighbours are found quicker one after the other
        numbers = np.empty(len(hashes), dtype=np.intp)
        found = self._found(hashes[order])
        if (found < 0).any():
            self._add(hashes[np.sort(order[found < 0])])
            found = self._found(hashes[order])
        numbers[order] = found
        return numbers

    def _found(self, ascending: NDArray[np.uint64]) -> Numbers:
        """The numbers of homes that are known, −1 of others."""
        numbers = np.full(len(ascending), -1, dtype=np.intp)
        for known in self._known:
            places = np.minimum(np.searchsorted(known.hashes, ascending), len(known.hashes) - 1)
            here = known.hashes[places] == ascending
            numbers[here] = known.numbers[places[here]]
        return numbers

    def _add(self, hashes: NDArray[np.uint64]) -> None:
        """Number new homes as they come, so that those of a slot mostly have neighbouring numbers.

        Those known are kept in a few sorted parts, each at least twice as long as the next, so that where
        a few new homes come in every slot, none is moved often.
        """
        order = np.argsort(hashes, kind="stable")
        new = hashes[order]
        first = np.diff(new, prepend=~new[:1]) != 0  # each once
        came = np.argsort(np.argsort(order[first]))
        last = KnownHomes(new[first], len(self) + came)
        while self._known and len(self._known[-1].hashes) < 2 * len(last.hashes):
            last = self._known.pop().merged(last)
        self._known.append(last)
