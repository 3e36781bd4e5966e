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


class HomeIndex:
    """The number of each home; homes that come in the same order as a period ago are not looked up."""

    def __init__(self, period: int) -> None:
        self._period = period  # slots after which the same homes come again
        self._last: dict[int, SlotHomes] = {}  # the last whole slot of each phase
        self._current: SlotHomes | None = None
        self._hashes = np.empty(0, dtype=np.uint64)  # of the names known, sorted
        self._numbers = np.empty(0, dtype=np.intp)

    def __len__(self) -> int:
        return len(self._numbers)

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
            numbers = self._look_up(hash_names(names))
        self._current.add(names, numbers)
        return numbers

    def _look_up(self, hashes: NDArray[np.uint64]) -> Numbers:
        order = np.argsort(hashes)  # neighbours are found quicker one after the other
        ascending, numbers = hashes[order], np.empty(len(hashes), dtype=np.intp)
        places = np.searchsorted(self._hashes, ascending)
        known = places < len(self._hashes)
        known[known] = self._hashes[places[known]] == ascending[known]
        if not known.all():
            self._add(hashes[np.sort(order[~known])])
            places = np.searchsorted(self._hashes, ascending)
        numbers[order] = self._numbers[places]
        return numbers

    def _add(self, hashes: NDArray[np.uint64]) -> None:
        """Number new homes as they come, so that those of a slot mostly have neighbouring numbers."""
        order = np.argsort(hashes, kind="stable")
        new = hashes[order]
        first = np.diff(new, prepend=~new[:1]) != 0  # each once
        new, came = new[first], np.argsort(np.argsort(order[first]))
        at = np.searchsorted(self._hashes, new)
        count = len(self)
        self._hashes = np.insert(self._hashes, at, new)
        self._numbers = np.insert(self._numbers, at, count + came)
