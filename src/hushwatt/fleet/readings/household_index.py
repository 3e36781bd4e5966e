"""Every household gets a number, in the order in which they first appear.

Names are looked up only when they must be: in a sorted table each batch
continues where the one before it ended, and that is seen by comparing.
"""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from hushwatt.errors import ReadingsError

Numbers = NDArray[np.int32]
MAX_NAME_BYTES = 1 << 29  # bytes of all names together, which stay in memory


class HouseholdIndex:
    """The households seen so far; each keeps its number.

    >>> numbering = HouseholdIndex(pa.array(["ada"]))
    >>> numbering.numbers([pa.array(["bob", "ada"]), pa.array(["cy", "bob"])])
    [array([1, 0], dtype=int32), array([2, 1], dtype=int32)]
    >>> len(numbering)
    3
    """

    def __init__(self, known: pa.Array | None = None) -> None:
        self._parts: list[pa.Array] = [pa.array([], pa.string()) if known is None else known.cast(pa.string())]
        self._count = len(self._parts[0])
        self._ascending = _ascending(self._parts[0])
        self._bytes = self._parts[0].nbytes  # of all names
        self._next = 0  # the number expected next, if the table goes on as before

    def __len__(self) -> int:
        return self._count

    def in_order(self, names: pa.Array) -> Numbers | None:
        """The numbers of names that go on where the last ones ended, or None when they do not.

        Either all are new and above all others, or they repeat the order of
        before, which begins again after its end.
        """
        numbers = self._added_above(names)
        return self._repeated(names) if numbers is None else numbers

    def numbers(self, groups: list[pa.Array]) -> list[Numbers]:
        """The numbers of the names of each group, new ones included, by one look-up for all."""
        coded = pa.concat_arrays(groups).dictionary_encode()
        number = pc.index_in(coded.dictionary, value_set=self._names())
        fresh = number.is_null().to_numpy(zero_copy_only=False)
        known: Numbers = number.fill_null(0).to_numpy(zero_copy_only=False).astype(np.int32)
        known[fresh] = self._count + np.arange(fresh.sum(), dtype=np.int32)
        self._add(coded.dictionary.filter(pa.array(fresh)))
        rows = known[coded.indices.to_numpy(zero_copy_only=False)]
        self._next = int(rows[-1]) + 1 if len(rows) else self._next
        return np.split(rows, np.cumsum([len(group) for group in groups])[:-1])

    def sorted(self) -> tuple[pa.Array, Numbers]:
        """All households in ascending order, and for every number its place there."""
        names = self._names()
        if self._ascending:
            return names, np.arange(self._count, dtype=np.int32)
        order = pc.sort_indices(names)
        places = np.empty(self._count, dtype=np.int32)
        places[order.to_numpy()] = np.arange(self._count, dtype=np.int32)
        return names.take(order), places

    def _names(self) -> pa.Array:
        if len(self._parts) > 1:
            self._parts = [pa.concat_arrays(self._parts)]
        return self._parts[0]

    def _add(self, names: pa.Array) -> None:
        if len(names):
            self._ascending = self._ascending and self._above(names) and _ascending(names)
            self._parts.append(names)
            self._count += len(names)
            self._bytes += names.nbytes
            if self._bytes > MAX_NAME_BYTES:
                raise ReadingsError(f"the names of the homes take more than {MAX_NAME_BYTES:,} bytes: shorten them")

    def _above(self, names: pa.Array) -> bool:
        """Is the first of these above the last one so far?"""
        return not self._count or not len(names) or bool(pc.less(self._last(), names[0]).as_py())

    def _last(self) -> pa.Scalar:
        return next(part[-1] for part in reversed(self._parts) if len(part))

    def _added_above(self, names: pa.Array) -> Numbers | None:
        """Their numbers when all are new and above all others, but for a home split by two batches."""
        again = 1 if self._count and len(names) and names[0].equals(self._last()) else 0
        fresh = names.slice(again)
        if not (self._ascending and self._above(fresh) and _ascending(fresh)):
            return None
        numbers = np.arange(self._count - again, self._count + len(fresh), dtype=np.int32)
        self._add(fresh)
        self._next = self._count
        return numbers

    def _repeated(self, names: pa.Array) -> Numbers | None:
        """Their numbers when they begin with the next household, or the last again, and go on in order."""
        for start in (self._next, self._next - 1) if self._count else ():
            if names[0].equals(self._names()[start % self._count]):
                guess = (start + np.arange(len(names))) % self._count
                if self._names().take(pa.array(guess)).equals(names):
                    self._next = int(guess[-1]) + 1
                    return guess.astype(np.int32)
        return None


def _ascending(names: pa.Array) -> bool:
    """Is every name above the one before it?"""
    return bool(pc.all(pc.less(names[:-1], names[1:])).as_py()) if len(names) > 1 else True
