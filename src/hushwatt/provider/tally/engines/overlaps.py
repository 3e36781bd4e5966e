"""Which pieces of reports may hold the same report: those whose places in the order of all overlap."""

import numpy as np
from numpy.typing import NDArray

from hushwatt.wire.reports.order import KeyRange


def whole_slots(slots: NDArray[np.integer]) -> KeyRange:
    """Where reports in no order may lie: anywhere in their slots."""
    return (int(slots.min()), b"", 0), (int(slots.max()) + 1, b"", 0)


def overlapping(pieces: list[list[KeyRange]]) -> set[int]:
    """The pieces that overlap with another one, or with themselves.

    >>> ada, bob, cy = (0, b"ada", 0), (0, b"bob", 0), (0, b"cy", 0)
    >>> overlapping([[(ada, ada)], [(bob, cy)], [(cy, cy)]])
    {1, 2}
    """
    overlaps: set[int] = set()
    spans = sorted((span, piece) for piece, some in enumerate(pieces) for span in some)
    if not spans:
        return overlaps
    (_, reach), holder = spans[0]
    for (first, last), piece in spans[1:]:
        if first <= reach:
            overlaps |= {piece, holder}
        if last > reach:
            reach, holder = last, piece
    return overlaps
