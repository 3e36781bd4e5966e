"""True readings that would be known anywhere again, and the search for them.

Every home gets watts of its own, with so many digits that they turn up by chance nowhere.  They
are looked for as text and as numbers, in everything that a home writes, says or sends.
"""

import struct
from base64 import b64encode
from collections.abc import Iterable, Mapping
from decimal import ROUND_DOWN, Decimal

import numpy as np

from hushwatt.household.report.levels import Watts
from hushwatt.privacy.entropy import OperatingSystem

STEP = 10_000  # watts of one level, from its lower edge to the upper one
Places = Mapping[str, bytes]  # what is searched, by the name of the place


def middle_watts(levels: Iterable[int]) -> Watts:
    """Watts in the middle of the levels that the appliances are at."""
    return STEP * (np.array(list(levels), dtype=float) + 0.5)


def secret_watts(levels: int) -> Watts:
    """Watts that nobody guesses, one inside each of so many levels.

    >>> bool(STEP < secret_watts(2)[1] < 2 * STEP)
    True
    """
    ways = OperatingSystem().words(levels) * 2.0**-64
    watts: Watts = np.round(STEP * (np.arange(levels) + 0.11 + 0.85 * ways), 9)
    return watts


def shapes_of(watts: float) -> dict[str, bytes]:
    """How a reading would look in a file, in a log or on the wire.

    >>> shapes_of(3729.18374)["text"], shapes_of(3729.18374)["rounded text"]
    (b'3729.1', b'3729.2')
    """
    exact = Decimal(repr(float(watts)))
    little, big = struct.pack("<d", watts), struct.pack(">d", watts)
    return {
        "text": f"{exact.quantize(Decimal('0.1'), ROUND_DOWN)}".encode(),
        "rounded text": f"{watts:.1f}".encode(),
        "scientific text": f"{watts:e}"[:6].encode(),
        "kilowatts": f"{watts / 1000:.6f}".encode(),
        "milliwatts": f"{watts * 1000:.0f}".encode(),
        "little-endian number": little,
        "big-endian number": big,
        "little-endian hex": little.hex().encode(),
        "big-endian hex": big.hex().encode(),
        "base64": b64encode(little)[:10],
    }


def found(secrets: Iterable[float], places: Places) -> list[str]:
    """Where a secret turns up, and in which shape; never the secret itself."""
    shapes = [shape for secret in dict.fromkeys(secrets) for shape in shapes_of(secret).items()]
    return [f"{name} in the {place}" for place, content in places.items() for name, shape in shapes if shape in content]
