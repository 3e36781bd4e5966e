"""Bytes that nobody should send: documents with the wrong thing in every place, and then bent.

A template is a sensible message with gaps.  Filled by the grammar of odd values it is JSON of
the right shape and any type; half of them are bent further, as bytes.
"""

import os
import random
from collections.abc import Sequence
from pathlib import Path
from typing import TypeVar

Anything = TypeVar("Anything")

PAGES = Path("/proc/self/statm")
GAP = b"\x00"
SENSIBLE = (b"0", b"1", b"12.5", b"-3", b"230", b'"12.5"', b"4711.25", b"1e3")
ODD = (
    b"null", b"true", b"false", b"NaN", b"-Infinity", b"Infinity", b"1e999", b"-1e999", b"1e-999", b"-0.0",
    b"9" * 30, b"-" + b"9" * 400, b"9" * 5_000, b"1" * 300 + b".5", b"[]", b"{}", b"[1]", b"[null]", b"[[1]]",
    b"[1, 2, \"x\"]", b'{"a": 1}', b'{"power": 1}', b'{"switch:0": [1]}', b'{"switch:0": {"apower": []}}',
    b'""', b'" "', b'"unavailable"', b'"nan"', b'"inf"', b'"1_000"', "\"١٢\"".encode(), b'"\\ud800"',
    b'"\\u0000"', b'"\\u202e"', b'"1e999"', b'"0x10"', b'"12 W"', b'"' + b"a" * 3_000 + b'"', b'"\xff"',
    b"[" * 40 + b"1" + b"]" * 40, b"[" * 900 + b"1" + b"]" * 900, b'{"a":' * 60 + b"1" + b"}" * 60,
    b"01", b"+1", b".5", b"1.", b"'1'", b"undefined", b"", b",", b"}", b"]", b"\\", b"/*", b"\xef\xbb\xbf1",
)  # fmt: skip
SPLICES = (*ODD[:8], b'"', b"{", b"[", b"}", b"]", b":", b",", b"\x00", b"\xff", b"\n", b"\xc3\x28", b"\\u")
HUGE = (b"[" * 200_000, b'{"a":' * 50_000, b"0" * 2_000_000, b"[" + b"0," * 20_000 + b"0]", bytes(100_000))


class Mutator:
    """A stream of such bytes, decided by its seed."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self._random = self.chance.random

    def pick(self, among: Sequence[Anything]) -> Anything:
        return among[int(self._random() * len(among))]

    def happens(self, share: float) -> bool:
        return self._random() < share

    def filled(self, template: bytes) -> bytes:
        """A template with a value in every gap: a sensible one, or one that nobody expects."""
        first, *rest = template.split(GAP)
        parts = [first]
        for part in rest:
            parts += (self.pick(SENSIBLE if self._random() < 0.4 else ODD), part)
        return b"".join(parts)

    def message(self, template: bytes) -> bytes:
        """A filled template, bent half of the time; now and then something huge, or nothing but noise."""
        kind = self._random()
        if kind < 0.0005:
            return self.pick(HUGE)
        if kind < 0.02:
            return self.chance.randbytes(int(self._random() * 40))
        data = self.filled(template)
        return self.bent(data) if kind < 0.5 else data

    def bent(self, data: bytes) -> bytes:
        """The same bytes with one or a few of them cut, doubled, spliced or turned around."""
        while True:
            place, end = sorted((int(self._random() * (len(data) + 1)), int(self._random() * (len(data) + 1))))
            kind = int(self._random() * 5)
            if kind == 0:
                data = data[:place]
            elif kind == 1:
                data = data[:place] + data[end:]
            elif kind == 2:
                data = data[:end] + data[place:end] + data[end:]
            elif kind == 3:
                data = data[:place] + self.pick(SPLICES) + data[place:]
            else:
                data = data[:place] + bytes([int(self._random() * 256)]) + data[place + 1 :]
            if self._random() < 0.6:
                return data


def resident() -> int:
    """Bytes in memory now; 0 where the system does not say."""
    if not PAGES.exists():
        return 0
    return int(PAGES.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
