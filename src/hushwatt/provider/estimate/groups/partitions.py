"""Into which parts the homes that spoke may be divided, so that no part and no difference is of too few homes.

Decided from how many homes of each cell spoke, and from nothing else: never from answers, never from the question.
A question about some cells is answered where they are whole blocks of one partition.

* All non-empty cells reach the minimum: each is a block.
* Else, where every combination of the labels' values is there: one partition for every label, with the values that
  are too small together in one block, and the smallest others with them if need be.
* Else one partition, made label by label in alphabetical order, whose blocks are split as far as they reach the
  minimum.

What is told is docs/proofs/minimum-of-groups.md, and why that is enough docs/proofs/groups-by-subtraction.md.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hushwatt.provider.estimate.array_types import Floats, Indices, Mask
from hushwatt.provider.tally.labels import Cells

Partition = tuple[int, ...]  # the block of each cell, −1 where nobody spoke
Partitions = tuple[Partition, ...]
NOBODY = -1


@dataclass(frozen=True)
class PoolSpeakers:
    """How many homes of each cell spoke in slots that are answered together."""

    speakers: Floats  # different ones, at least
    present: Mask  # units of the whole × cells: whether anybody did
    need: int

    @property
    def non_empty(self) -> Mask:
        return np.asarray(self.present.any(axis=0))

    def enough(self, cells: Mask) -> bool:
        """Whether these cells together reach the minimum, and speak in every unit of the whole."""
        return bool(self.speakers[cells].sum() >= self.need and self.present[:, cells].any(axis=1).all())

    @property
    def full(self) -> bool:
        """Whether every cell that is there is enough by itself."""
        cells = self.non_empty
        return bool((self.speakers[cells] >= self.need).all() and self.present[:, cells].all())


def label_codes(cells: Cells) -> Indices:
    """For each cell and label, in alphabetical order, the number of its value."""
    return cells.codes[:, np.argsort(np.array(cells.names, dtype=object), kind="stable")]


def partitions(pool: PoolSpeakers, codes: Indices) -> Partitions:
    """The partitions whose blocks are answered."""
    if pool.full:
        return (_numbered([np.arange(len(codes)) == cell for cell in np.flatnonzero(pool.non_empty)]),)
    return _margins(pool, codes) or (_numbered(_split(pool, codes, pool.non_empty)),)


def answers(found: Partitions, cells: Mask) -> bool:
    """Whether these cells, as far as anybody spoke in them, are whole blocks of a partition.

    >>> answers(((0, 0, 1, -1),), np.array([True, True, False, True]))
    True
    >>> answers(((0, 0, 1, -1),), np.array([True, False, False, False]))
    False
    """
    inside = cells.tolist()
    return any(_is_union(partition, inside) for partition in found)


def _is_union(partition: Partition, inside: list[bool]) -> bool:
    within = {block for block, here in zip(partition, inside, strict=True) if here} - {NOBODY}
    without = {block for block, here in zip(partition, inside, strict=True) if not here}
    return bool(within) and not within & without


def _margins(pool: PoolSpeakers, codes: Indices) -> Partitions | None:
    """A partition for every label by itself; None where a combination of their blocks is not there.

    Homes without labels are a block in each, if they are enough; else they have a value that others lack.
    """
    unlabelled = np.arange(len(codes)) == 0
    apart = [unlabelled] if pool.present[:, 0].any() and pool.enough(unlabelled) else []
    inside = pool.non_empty & ~unlabelled if apart else pool.non_empty
    if not inside.any() or not pool.enough(inside):
        return None
    blocks = [_merged(pool, _values(column, inside)) for column in codes.T]
    coded = np.array([_numbered(each) for each in blocks])
    combinations = int(np.prod([float(len(each)) for each in blocks]))
    if combinations > inside.sum():
        return None
    for unit in pool.present:
        if np.unique(coded[:, unit & inside], axis=1).shape[1] < combinations:
            return None
    return tuple(_numbered([*each, *apart]) for each in blocks)


def _split(pool: PoolSpeakers, codes: Indices, cells: Mask) -> list[Mask]:
    """These cells divided by the first label, each part by the next one, and so on."""
    if not codes.shape[1]:
        return [cells]
    merged = _merged(pool, _values(codes[:, 0], cells))
    return [part for block in merged for part in _split(pool, codes[:, 1:], block)]


def _values(column: Indices, cells: Mask) -> list[Mask]:
    """The cells of each value."""
    return [cells & (column == value) for value in np.unique(column[cells])]


def _merged(pool: PoolSpeakers, values: list[Mask]) -> list[Mask]:
    """The values that are enough, and one block of the others, with the smallest of those that are if need be."""
    small = [each for each in values if not pool.enough(each)]
    large = sorted((each for each in values if pool.enough(each)), key=lambda each: float(pool.speakers[each].sum()))
    if not small:
        return values
    block = np.any(small, axis=0)
    while large and not pool.enough(block):
        block = block | large.pop(0)
    return [*large, block]


def _numbered(blocks: Sequence[Mask]) -> Partition:
    numbers = np.full(len(blocks[0]), NOBODY, dtype=np.int64) if blocks else np.empty(0, dtype=np.int64)
    for number, block in enumerate(blocks):
        numbers[block] = number
    return tuple(numbers.tolist())
