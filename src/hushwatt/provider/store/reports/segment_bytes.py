"""The columns of many reports as a few bytes.

Homes lie close together: the steps between them are kept, in as few bytes each as the longest needs, so that a thousand
are read in microseconds.  Amounts repeat, so they are compressed, the bytes of equal weight side by side.  Payloads are
noise, which nothing makes smaller: they stand one after the other.
"""

import zlib
from typing import NamedTuple

import numpy as np

from hushwatt.provider.store.session import HomeNumbers, ReportRows

FASTEST = 1  # of zlib's levels: the others hardly make these columns smaller


class PackedReports(NamedTuple):
    """The bytes of some reports."""

    homes: bytes
    amounts: bytes  # spent, drawn and the slot drawn in
    payloads: bytes


def pack_reports(reports: ReportRows) -> PackedReports:
    """Reports as bytes.

    >>> one = np.array([1, 1])
    >>> rows = ReportRows(np.array([3, 7]), 5 * one, 4 * one, one, np.zeros((2, 3), dtype=np.uint8))
    >>> unpacked = unpack_reports(pack_reports(rows), 2, first_home=3)
    >>> unpacked.homes.tolist(), unpacked.spent.tolist(), unpacked.payloads.shape
    ([3, 7], [5, 5], (2, 3))
    """
    return PackedReports(
        pack_homes(reports.homes),
        _compressed(np.concatenate([reports.spent, reports.drawn, reports.as_of])),
        reports.payloads.tobytes(),
    )


def pack_homes(homes: HomeNumbers) -> bytes:
    """How many homes lie between each and the next, ascending; nothing where none does.

    >>> pack_homes(np.array([3, 7, 8])), pack_homes(np.array([3, 4, 5]))
    (b'\\x03\\x00', b'')
    """
    between = np.diff(homes) - 1
    most = int(between.max(initial=0))
    return between.astype(np.min_scalar_type(most).newbyteorder("<")).tobytes() if most else b""


def unpack_homes(packed: bytes, first_home: int, count: int) -> HomeNumbers:
    """So many homes, ascending.

    >>> unpack_homes(b"\\x03\\x00", first_home=3, count=3).tolist()
    [3, 7, 8]
    """
    homes = np.arange(first_home, first_home + count)
    if packed:
        homes[1:] += np.cumsum(np.frombuffer(packed, dtype=f"<u{len(packed) // (count - 1)}"), dtype=np.int64)
    return homes


def unpack_reports(packed: PackedReports, count: int, first_home: int) -> ReportRows:
    """The reports that these bytes hold."""
    spent, drawn, as_of = _decompressed(packed.amounts).reshape(3, count)
    payloads = np.frombuffer(packed.payloads, dtype=np.uint8).reshape(count, -1)
    return ReportRows(unpack_homes(packed.homes, first_home, count), spent, drawn, as_of, payloads)


def _compressed(numbers: HomeNumbers) -> bytes:
    by_weight = numbers.astype("<i8").view(np.uint8).reshape(-1, 8).T
    return zlib.compress(by_weight.tobytes(), FASTEST)


def _decompressed(packed: bytes) -> HomeNumbers:
    by_weight = np.frombuffer(zlib.decompress(packed), dtype=np.uint8).reshape(8, -1)
    return np.ascontiguousarray(by_weight.T).view("<i8").ravel().astype(np.int64)
