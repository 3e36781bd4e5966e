"""Tallies of many groups of few reports: added up together, for a group by itself costs as much as a thousand reports.

So it is where a window has many turns, and each turn few homes.
"""

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from hushwatt.provider.tally.tally import Rows, Tally, tally_subset
from hushwatt.wire.payload import Layout
from hushwatt.wire.row_error import RowError, refuse

SMALL = 512  # reports of a group, on average, below which groups are added up together
MAX_CELLS = 1 << 22  # counts that are held at once
NEAR_BITS = 1 << 17  # bits added up at once: as numbers of eight bytes they stay in a near cache
Payloads = NDArray[np.uint8]


def tally_groups(layout: Layout, payloads: Payloads, groups: Sequence[Rows]) -> Iterator[Tally]:
    """The tally of each group of rows, in their order; a payload that is refused is counted among all."""
    if layout.partial or len(payloads) >= SMALL * len(groups):
        yield from (tally_subset(layout, payloads, rows) for rows in groups)
        return
    step = max(1, MAX_CELLS // (8 * layout.size + layout.starts[-1]))
    for start in range(0, len(groups), step):
        yield from _together(layout, payloads, groups[start : start + step])


def _together(layout: Layout, payloads: Payloads, groups: Sequence[Rows]) -> Iterator[Tally]:
    places = [np.arange(rows.start, rows.stop) if isinstance(rows, slice) else rows for rows in groups]
    rows, sizes = payloads[np.concatenate(places)], [len(each) for each in places]
    try:
        counts = (_count_numbers if layout.direct else _count_bits)(layout, rows, np.array(sizes))
        refuse(layout.padding(rows), "its payload has bits beyond the last field")
    except RowError:  # the first of them by itself says where and what
        yield from (tally_subset(layout, payloads, rows) for rows in groups)
        return
    for size, count in zip(sizes, counts, strict=True):
        yield Tally(size, np.full(len(layout.widths), size, dtype=np.int64), count)


def _count_numbers(layout: Layout, rows: Payloads, sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    """A row for each group: how often each level was answered."""
    counts = np.empty((len(sizes), layout.starts[-1]), dtype=np.int64)
    group = np.repeat(np.arange(len(sizes)), sizes)
    for entry, width in enumerate(layout.widths):
        answers = layout.answers(rows, entry)
        refuse(layout.beyond(answers, width), "its payload has a level beyond the last")
        found = np.bincount(group * width + answers, minlength=len(sizes) * width)
        counts[:, layout.starts[entry] : layout.starts[entry + 1]] = found.reshape(len(sizes), width)
    return counts


def _count_bits(layout: Layout, rows: Payloads, sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    """A row for each group: how many of its rows have a 1 for each level."""
    bits, group = layout.places[-1], np.repeat(np.arange(len(sizes)), sizes)
    counts, step = np.zeros((len(sizes), bits), dtype=np.int64), max(1, NEAR_BITS // (8 * layout.size))
    for start in range(0, len(rows), step):
        part = slice(start, start + step)
        firsts = np.flatnonzero(np.diff(group[part], prepend=-1))
        unpacked = np.unpackbits(rows[part], axis=1, bitorder="little", count=bits)
        counts[group[part][firsts]] += np.add.reduceat(unpacked, firsts, axis=0, dtype=np.int64)
    return counts
