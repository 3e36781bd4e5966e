"""Random numbers for invented homes: seeded ones repeat, others come from fresh entropy.

This is simulation data, so speed matters and unpredictability does not.  No
privacy noise is ever drawn from here.
"""

import zlib
from dataclasses import dataclass
from typing import Self

import numpy as np

from hushwatt.errors import UsageError


@dataclass(frozen=True)
class Streams:
    """Independent streams of random numbers, each named by whole numbers.

    >>> one, again = (Streams.seeded(7).open(3, 0).random() for _ in range(2))
    >>> one == again, one == Streams.seeded(7).open(3, 1).random()
    (True, False)
    """

    entropy: int

    @classmethod
    def seeded(cls, seed: int | None) -> Self:
        """Streams that repeat for the same seed, or that nobody can repeat without one."""
        if seed is None:
            return cls(int(np.random.SeedSequence().entropy))  # type: ignore[arg-type]
        if seed < 0:
            raise UsageError(f"the seed is {seed}; it must be a whole number of at least 0")
        return cls(seed)

    def open(self, *labels: int) -> np.random.Generator:
        """The stream with these labels; each of them at least 0."""
        sequence = np.random.SeedSequence(self.entropy, spawn_key=labels)
        return np.random.Generator(np.random.SFC64(sequence))


def label(name: str) -> int:
    """A number for a word, the same on every machine.

    >>> label("uniform") == label("uniform"), label("uniform") == label("normal")
    (True, False)
    """
    return zlib.crc32(name.encode())
