"""A fleet in partitions, so that its size is no matter of memory: homes in a row, as many as fit."""

from collections.abc import Iterator
from dataclasses import dataclass

from hushwatt.household.report.report import BATCH_HOMES
from hushwatt.privacy.entropy import Entropy, Source

MAX_CELLS = 1 << 24  # readings of a part in one slot, at most: 128 MiB
MIN_HOMES = BATCH_HOMES  # homes in a part, at least; a multiple of what is drawn together


@dataclass(frozen=True)
class Partitions:
    """How homes are cut into parts; all have the same size but the last.

    >>> [len(range(*part.indices(10))) for part in Partitions(homes=10, size=4)]
    [4, 4, 2]
    """

    homes: int
    size: int

    @classmethod
    def of(cls, homes: int, appliances: int) -> "Partitions":
        """Parts that are small enough for the memory."""
        return cls(homes, max(MAX_CELLS // appliances // MIN_HOMES, 1) * MIN_HOMES)

    def __len__(self) -> int:
        return max(-(-self.homes // self.size), 1)

    def __iter__(self) -> Iterator[slice]:
        return (self[part] for part in range(len(self)))

    def __getitem__(self, part: int) -> slice:
        if not 0 <= part < len(self):
            raise IndexError(part)
        return slice(part * self.size, min((part + 1) * self.size, self.homes))

    def length(self, part: int) -> int:
        """How many homes a part has."""
        return len(range(*self[part].indices(self.homes)))


@dataclass(frozen=True)
class PartitionSource:
    """The streams of one part of a fleet: no other part has the same.

    The first part has those of the fleet itself, so a fleet of one part is as if it had none.
    """

    source: Source
    part: int

    def stream(self, *labels: int | str) -> Entropy:
        return self.source.stream(*labels, *(("part", self.part) if self.part else ()))
