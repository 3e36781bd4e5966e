"""Numbers that are found by a hash: 12 bytes each, and little more while they grow.

They lie in shares by the first bits of their hash, each of which grows on its own.
"""

from collections.abc import Iterator
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from hushwatt.provider.sorted_parts import SortedParts

Hashes = NDArray[np.uint64]
Numbers = NDArray[np.int32]

SHARES = 16
STARTS = np.arange(1, SHARES, dtype=np.uint64) * np.uint64(2**64 // SHARES)  # the first hash of each share but one


class HashedNumbers:
    """A number for each hash.

    >>> known = HashedNumbers()
    >>> known.add(np.array([5, 2**63], dtype=np.uint64), np.array([1, 0], dtype=np.int32))
    >>> known.find(np.array([2**63, 7, 5], dtype=np.uint64)).tolist()
    [0, -1, 1]
    """

    def __init__(self) -> None:
        self._shares = [SortedParts() for _ in range(SHARES)]

    def __len__(self) -> int:
        return sum(map(len, self._shares))

    def add(self, hashes: Hashes, numbers: Numbers) -> None:
        """Take in hashes that ascend and are not there yet."""
        for share, rows in self._cut(hashes):
            share.add(hashes[rows], numbers[rows])

    def find(self, hashes: Hashes) -> Numbers:
        """The number of each hash; −1 where there is none."""
        order = np.argsort(hashes)  # neighbours are found quicker one after the other
        ascending, found = hashes[order], np.full(len(hashes), -1, dtype=np.int32)
        for share, rows in self._cut(ascending):
            for matched, (numbers,) in share.matches(ascending[rows]):
                found[order[rows][matched]] = numbers
        return found

    def _cut(self, ascending: Hashes) -> Iterator[tuple[SortedParts, slice]]:
        """The shares of some hashes, and where these are."""
        cuts = [0, *np.searchsorted(ascending, STARTS).tolist(), len(ascending)]
        for share, (start, stop) in zip(self._shares, pairwise(cuts), strict=True):
            if start < stop:
                yield share, slice(start, stop)
