"""Where random bits come from: the one door to entropy.

A `Source` hands out streams of random words.  At home every word comes straight
from the operating system.  A fleet draws gigabytes, so there each stream is an
AES-CTR keystream under a fresh 128-bit key from the operating system.  A
simulation derives its keys from a seed and from the labels of the stream, so two
streams with different labels never share a word.
"""

import hashlib
import json
import os
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from numpy.typing import NDArray

Words = NDArray[np.uint64]

ZEROS = memoryview(bytes(1 << 20))


class Entropy(Protocol):
    """A stream of uniform random 64-bit words; they are the caller's, who may write over them."""

    def words(self, count: int) -> Words: ...


class Source(Protocol):
    """Opens streams; each set of labels names a stream of its own."""

    def stream(self, *labels: int | str) -> Entropy: ...


class OperatingSystem:
    """Words straight from the operating system, for one home.

    >>> OperatingSystem().words(3).shape
    (3,)
    """

    def words(self, count: int) -> Words:
        return np.frombuffer(bytearray(os.urandom(8 * count)), dtype=np.uint64)

    def stream(self, *labels: int | str) -> Entropy:
        """The same stream for every label: it never repeats itself anyway."""
        return self


class Keystream:
    """AES-128 in counter mode: cryptographic words at gigabytes a second."""

    def __init__(self, key: bytes) -> None:
        self.cipher = Cipher(algorithms.AES(key), modes.CTR(bytes(16))).encryptor()
        self.process = os.getpid()

    def words(self, count: int) -> Words:
        if os.getpid() != self.process:  # a forked copy would repeat its parent's words
            raise RuntimeError("a keystream must not be shared with a forked process")
        out = np.empty(count, dtype=np.uint64)
        room = out.view(np.uint8).data
        for start in range(0, len(room), len(ZEROS)):
            part = room[start : start + len(ZEROS)]
            self.cipher.update_into(ZEROS[: len(part)], part)
        return out


class FreshKeys:
    """Keystreams for a fleet, each under its own key from the operating system."""

    def stream(self, *labels: int | str) -> Entropy:
        return Keystream(os.urandom(16))


@dataclass(frozen=True)
class Simulation:
    """Keystreams for a repeatable run: same seed, purpose and labels, same words.

    >>> one, again = (Simulation(7, "plan").stream("slot", 3).words(2) for _ in range(2))
    >>> bool((one == again).all()), bool((one == Simulation(7, "plan").stream("slot", 4).words(2)).any())
    (True, False)
    """

    seed: int
    purpose: str  # what the run is about, such as a plan's id: another purpose, other words

    def stream(self, *labels: int | str) -> Entropy:
        names = [label if isinstance(label, str) else int(label) for label in labels]
        named = json.dumps(["hushwatt simulation", self.seed, self.purpose, *names])
        return Keystream(hashlib.sha256(named.encode()).digest()[:16])


def source_for(seed: int | None, purpose: str) -> Source:
    """The system's randomness, or a simulation's when a seed is given."""
    return FreshKeys() if seed is None else Simulation(seed, purpose)


def permutations(rows: int, columns: int, entropy: Entropy) -> NDArray[np.intp]:
    """Independent random orders of `columns` things, one per row.

    Each row sorts 64-bit random keys; two of a million are equal with chance 3 in 10⁸, and
    then only those two stand in the order they came.
    """
    keys = entropy.words(rows * columns).reshape(rows, columns)
    return np.argsort(keys, axis=1, kind="stable")


def shuffled(count: int, entropy: Entropy) -> NDArray[np.intp]:
    """A random order of `count` things."""
    return permutations(1, count, entropy).reshape(count)
