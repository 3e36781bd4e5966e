"""Names by their number, in blocks: to add some never copies all of them."""

from collections.abc import Iterator

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

BLOCK_NAMES = 1 << 18  # a block that has as many is never copied again


class NameBlocks:
    """Names that only grow in number.

    Each block has BLOCK_NAMES names, or at least twice as many as the next.

    >>> names = NameBlocks()
    >>> names.add(pa.array(["ada", "bob"])); names.add(pa.array(["cy"]))
    >>> names.same(np.array([2, 0]), pa.array(["cy", "bob"])).tolist()
    [True, False]
    """

    def __init__(self) -> None:
        self._blocks: list[pa.Array] = []
        self._ends = np.zeros(0, dtype=np.int64)  # the number after the last one of each block

    def __len__(self) -> int:
        return int(self._ends[-1]) if len(self._ends) else 0

    def add(self, names: pa.Array) -> None:
        """These get the next numbers."""
        blocks = [names]
        while self._blocks and len(self._blocks[-1]) < min(2 * sum(map(len, blocks)), BLOCK_NAMES):
            blocks.insert(0, self._blocks.pop())
        if len(names):
            self._blocks.append(pa.concat_arrays(blocks) if len(blocks) > 1 else names)
        self._ends = np.cumsum([len(block) for block in self._blocks], dtype=np.int64)

    def name(self, number: int) -> pa.Scalar:
        """The name of a number."""
        block = int(np.searchsorted(self._ends, number, side="right"))
        return self._blocks[block][number - int(self._ends[block])]

    def same(self, numbers: NDArray[np.integer], names: pa.Array) -> NDArray[np.bool_]:
        """For each number and name: does it have this name?"""
        block_of = np.searchsorted(self._ends, numbers, side="right").astype(np.uint16)
        order = np.argsort(block_of, kind="stable")
        asked, cuts = names.take(pa.array(order)), np.searchsorted(block_of[order], np.arange(len(self._blocks) + 1))
        same: NDArray[np.bool_] = np.zeros(len(numbers), dtype=np.bool_)
        for number in np.flatnonzero(np.diff(cuts)):  # as a rule a few of many
            block, inside = self._blocks[number], slice(cuts[number], cuts[number + 1])
            places = numbers[order[inside]] - (self._ends[number] - len(block))
            same[order[inside]] = pc.equal(block.take(pa.array(places)), asked[inside]).to_numpy(zero_copy_only=False)
        return same

    def pieces(self, start: int, size: int) -> Iterator[pa.Array]:
        """The names from a number on, so many at a time at most."""
        for end, block in zip(self._ends.tolist(), self._blocks, strict=True):
            for first in range(max(start - end + len(block), 0), len(block), size):
                yield block.slice(first, size)

    def taken(self) -> Iterator[pa.Array]:
        """All of them, piece by piece; what has been given is not kept."""
        self._ends = self._ends[:0]
        while self._blocks:
            block = self._blocks.pop(0)
            for start in range(0, len(block), BLOCK_NAMES):
                yield block.slice(start, BLOCK_NAMES)
            del block
            pa.default_memory_pool().release_unused()  # else the allocator keeps it
