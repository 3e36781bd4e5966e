"""A hash of names that nobody can foresee, so nobody can choose names that have the same."""

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from hushwatt.privacy.entropy import Entropy, OperatingSystem
from hushwatt.wire.reports.columns import byte_lengths, name_words

HALF = np.uint64(32)
LOW_HALF = np.uint64((1 << 32) - 1)


class KeyedHash:
    """64 bits for each name, the same for the same name as long as this one lives.

    Each half of them is the upper half of k₀ + k₁·size + Σ kᵢ·cᵢ modulo 2⁶⁴, where the cᵢ are the name's bytes,
    four at a time, and the keys random.  Two different names have the same half with a chance of 2⁻³² (Lemire
    and Kaser, Strongly universal string hashing is fast, 2014), whatever they are, and both halves with 2⁻⁶⁴.

    >>> first, second, third = KeyedHash()(pa.array(["ada", "bob", "ada"])).tolist()
    >>> first == third, first == second
    (True, False)
    """

    def __init__(self, entropy: Entropy | None = None) -> None:
        self._entropy = entropy or OperatingSystem()
        self._keys = np.zeros((2, 0), dtype=np.uint64)

    def __call__(self, names: pa.Array) -> NDArray[np.uint64]:
        sizes = byte_lengths(names)
        self._draw_keys(2 + 2 * -(-int(sizes.max(initial=1)) // 8))
        sums = self._keys[:, :1] + self._keys[:, 1:2] * sizes.astype(np.uint64)
        for place, (rows, words) in enumerate(name_words(names), start=1):
            low, high = words & LOW_HALF, words >> HALF
            for total, keys in zip(sums, self._keys[:, 2 * place : 2 * place + 2], strict=True):
                total[rows] += keys[0] * low + keys[1] * high
        hashes: NDArray[np.uint64] = (sums[0] & ~LOW_HALF) | (sums[1] >> HALF)
        return hashes

    def _draw_keys(self, count: int) -> None:
        """As many keys as the longest name so far needs; those there are stay."""
        if (more := count - self._keys.shape[1]) > 0:
            self._keys = np.hstack([self._keys, self._entropy.words(2 * more).reshape(2, more)])
