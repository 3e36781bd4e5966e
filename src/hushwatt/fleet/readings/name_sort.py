"""All names in ascending order, with little memory beside their own.

The blocks of names are cut into ranges, each of which is sorted on its own.  What has gone into the next form is
given up, so names are there little more than once at any time.
"""

from bisect import bisect_left
from collections.abc import Iterator

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from hushwatt.fleet.readings.name_blocks import NameBlocks
from hushwatt.privacy.entropy import OperatingSystem
from hushwatt.wire.reports.columns import byte_lengths, name_bytes

Places = NDArray[np.int32]
RANGE_NAMES = 1 << 19  # names in a range, about
SAMPLES = 64  # names of each range that are drawn to find out where it ends

Piece = tuple[pa.Array, Places]  # names, and their numbers


def sort_names(names: NameBlocks, size: int) -> tuple[pa.Array, Places]:
    """The names in order, and for every number its place there; they have at most `size` bytes, and are given up.

    >>> names = NameBlocks()
    >>> names.add(pa.array(["cy", "ada", "bob"]))
    >>> ascending, places = sort_names(names, 8)
    >>> ascending.to_pylist(), places.tolist()
    (['ada', 'bob', 'cy'], [2, 0, 1])
    """
    places = np.empty(len(names), dtype=np.int32)
    return joined(_ascending(_ranges(names), places), len(places), size), places


def joined(pieces: Iterator[pa.Array], count: int, size: int) -> pa.Array:
    """So many names, of at most `size` bytes, in one piece; those there were may be gone as soon as the next comes."""
    offsets, data, done = np.zeros(count + 1, dtype=np.int32), np.empty(size, dtype=np.uint8), 0
    for piece in pieces:
        stop = done + len(piece)
        offsets[done + 1 : stop + 1] = offsets[done] + np.cumsum(byte_lengths(piece))
        data[offsets[done] : offsets[stop]] = name_bytes(piece)
        done = stop
    return pa.Array.from_buffers(pa.string(), count, [None, pa.py_buffer(offsets), pa.py_buffer(data[: offsets[-1]])])


def _ranges(names: NameBlocks) -> list[list[Piece]]:
    """The names, cut so that those of a range are all below those of the next."""
    ends, first = _range_ends(names), 0
    ranges: list[list[Piece]] = [[] for _ in range(len(ends) + 1)]
    for block in names.taken():
        order = pc.sort_indices(block).to_numpy().astype(np.int32)
        rows = range(len(block))
        cuts = [bisect_left(rows, end, key=lambda row: block[int(order[row])].as_py()) for end in ends]
        for pieces, inside in zip(ranges, np.split(order, cuts), strict=True):
            pieces.append((block.take(pa.array(inside)), inside + np.int32(first)))
        first += len(block)
    return ranges


def _range_ends(names: NameBlocks) -> list[str]:
    """Names that cut all of them into ranges of about one size, found by drawing some."""
    ranges = -(-len(names) // RANGE_NAMES)
    drawn = OperatingSystem().words(SAMPLES * ranges) % np.uint64(len(names))
    return sorted(names.name(int(number)).as_py() for number in drawn)[SAMPLES::SAMPLES]


def _ascending(ranges: list[list[Piece]], places: Places) -> Iterator[pa.Array]:
    """The names of each range in order, while the places of their numbers are written down."""
    done = 0
    while ranges:
        pieces = ranges.pop(0)
        names, numbers = (
            pa.concat_arrays([piece[0] for piece in pieces]),
            np.concatenate([piece[1] for piece in pieces]),
        )
        del pieces
        order = pc.sort_indices(names)
        places[numbers[order.to_numpy()]] = np.arange(done, done + len(names), dtype=np.int32)
        done += len(names)
        yield names.take(order)
        del names, order
        pa.default_memory_pool().release_unused()  # else the allocator keeps it
