"""Every household gets a number, in the order in which they first appear.

Names are looked up only when they must be: in a sorted table each batch
continues where the one before it ended, and that is seen by comparing.
What is looked up is found by a hash, and then compared: no two homes are
taken for one.
"""

from collections.abc import Callable

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from hushwatt.errors import ReadingsError
from hushwatt.fleet.readings.name_blocks import NameBlocks
from hushwatt.fleet.readings.name_sort import joined, sort_names
from hushwatt.provider.hashed_numbers import HashedNumbers
from hushwatt.wire.reports.keyed_hash import KeyedHash

Numbers = NDArray[np.int32]
Hashes = NDArray[np.uint64]
MAX_NAME_BYTES = (1 << 31) - 1  # bytes of all names together, which stay in memory as one column of texts
HASHED = 1 << 18  # names hashed at once


class HouseholdIndex:
    """The households seen so far; each keeps its number.

    >>> numbering = HouseholdIndex(pa.array(["ada"]))
    >>> numbering.numbers(pa.array(["bob", "ada"])), numbering.numbers(pa.array(["cy", "bob"]))
    (array([1, 0], dtype=int32), array([2, 1], dtype=int32))
    >>> len(numbering)
    3
    """

    def __init__(self, known: pa.Array | None = None, hash_of: Callable[[pa.Array], Hashes] | None = None) -> None:
        """`hash_of` is the hash by which names are found, one with a key of its own unless another is given."""
        self._names = NameBlocks()
        self._hash_of = hash_of or KeyedHash()
        self._hashed = HashedNumbers()  # the hashes of the first `_entered` homes, and their numbers
        self._entered = 0
        self._twins: dict[str, int] = {}  # those of them whose hash an earlier home has
        self._ascending = True
        self._bytes = 0  # of all names
        self._next = 0  # the number expected next, if the table goes on as before
        if known is not None:
            self._add(known.cast(pa.string()))

    def __len__(self) -> int:
        return len(self._names)

    def in_order(self, names: pa.Array) -> Numbers | None:
        """The numbers of names that go on where the last ones ended, or None when they do not.

        Either all are new and above all others, or they repeat the order of
        before, which begins again after its end.
        """
        numbers = self._added_above(names)
        return self._repeated(names) if numbers is None else numbers

    def numbers(self, names: pa.Array) -> Numbers:
        """The numbers of names in any order, new ones included."""
        self._enter()
        numbers = self._hashed.find(self._hash_of(names))
        found = np.flatnonzero(numbers >= 0)
        other = ~self._names.same(numbers[found], names.take(pa.array(found)))
        numbers[found[other]] = -1
        left = np.flatnonzero(numbers < 0)
        if len(left):
            coded = names.take(pa.array(left)).dictionary_encode()
            numbers[left] = self._not_found(coded.dictionary)[coded.indices.to_numpy()]
        self._next = int(numbers[-1]) + 1 if len(numbers) else self._next
        return numbers

    def sorted(self) -> tuple[pa.Array, Numbers]:
        """All households in ascending order, and for every number its place there: the last thing it is asked.

        What it knew is given up, for the memory.
        """
        self._hashed, count = HashedNumbers(), len(self)
        if self._ascending:
            return joined(self._names.taken(), count, self._bytes), np.arange(count, dtype=np.int32)
        return sort_names(self._names, self._bytes)

    def _enter(self) -> None:
        """Remember the hashes of homes that came in order, or since the last time."""
        for names in self._names.pieces(self._entered, HASHED):
            hashes = self._hash_of(names)
            order = np.argsort(hashes, kind="stable")
            new = np.diff(hashes[order], prepend=~hashes[order[:1]]) != 0  # each once
            new &= self._hashed.find(hashes[order]) < 0
            for row in order[~new].tolist():
                self._twins[names[row].as_py()] = self._entered + row
            self._hashed.add(hashes[order[new]], (self._entered + order[new]).astype(np.int32))
            self._entered += len(names)

    def _not_found(self, names: pa.Array) -> Numbers:
        """The numbers of different names that are not the first with their hash; most of them are new."""
        numbers = np.full(len(names), -1, dtype=np.int32)
        if self._twins:
            numbers[:] = [self._twins.get(name, -1) for name in names.to_pylist()]
        new = numbers < 0
        numbers[new] = len(self) + np.arange(new.sum(), dtype=np.int32)
        self._add(names.filter(pa.array(new)))
        return numbers

    def _add(self, names: pa.Array) -> None:
        if len(names):
            self._ascending = self._ascending and self._above(names) and _ascending(names)
            self._names.add(names)
            self._bytes += names.nbytes
            if self._bytes > MAX_NAME_BYTES:
                raise ReadingsError(f"the names of the homes take more than {MAX_NAME_BYTES:,} bytes: shorten them")

    def _above(self, names: pa.Array) -> bool:
        """Is the first of these above the last one so far?"""
        return not len(self) or not len(names) or bool(pc.less(self._last(), names[0]).as_py())

    def _last(self) -> pa.Scalar:
        return self._names.name(len(self) - 1)

    def _added_above(self, names: pa.Array) -> Numbers | None:
        """Their numbers when all are new and above all others, but for a home split by two batches."""
        again = 1 if len(self) and len(names) and names[0].equals(self._last()) else 0
        fresh = names.slice(again)
        if not (self._ascending and self._above(fresh) and _ascending(fresh)):
            return None
        numbers = np.arange(len(self) - again, len(self) + len(fresh), dtype=np.int32)
        self._add(fresh)
        self._next = len(self)
        return numbers

    def _repeated(self, names: pa.Array) -> Numbers | None:
        """Their numbers when they begin with the next household, or the last again, and go on in order."""
        for start in (self._next, self._next - 1) if len(self) and len(names) else ():
            if names[0].equals(self._names.name(start % len(self))):
                guess = (start + np.arange(len(names), dtype=np.int64)) % len(self)
                if self._names.same(guess, names).all():
                    self._next = int(guess[-1]) + 1
                    return guess.astype(np.int32)
        return None


def _ascending(names: pa.Array) -> bool:
    """Is every name above the one before it?"""
    return bool(pc.all(pc.less(names[:-1], names[1:])).as_py()) if len(names) > 1 else True
