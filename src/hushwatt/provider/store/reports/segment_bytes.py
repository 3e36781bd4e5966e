"""The columns of many reports as a few bytes.

Homes lie close together and amounts repeat, so both are compressed, the bytes of equal weight side by side.  Payloads
are noise, which nothing makes smaller: they stand one after the other.
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
        _compressed(np.diff(reports.homes, prepend=reports.homes[:1])),
        _compressed(np.concatenate([reports.spent, reports.drawn, reports.as_of])),
        reports.payloads.tobytes(),
    )


def unpack_homes(homes: bytes, first_home: int) -> HomeNumbers:
    """The homes of some reports, ascending."""
    return np.cumsum(_decompressed(homes)) + first_home


def unpack_reports(packed: PackedReports, count: int, first_home: int) -> ReportRows:
    """The reports that these bytes hold."""
    spent, drawn, as_of = _decompressed(packed.amounts).reshape(3, count)
    payloads = np.frombuffer(packed.payloads, dtype=np.uint8).reshape(count, -1)
    return ReportRows(unpack_homes(packed.homes, first_home), spent, drawn, as_of, payloads)


def _compressed(numbers: HomeNumbers) -> bytes:
    by_weight = numbers.astype("<i8").view(np.uint8).reshape(-1, 8).T
    return zlib.compress(by_weight.tobytes(), FASTEST)


def _decompressed(packed: bytes) -> HomeNumbers:
    by_weight = np.frombuffer(zlib.decompress(packed), dtype=np.uint8).reshape(8, -1)
    return np.ascontiguousarray(by_weight.T).view("<i8").ravel().astype(np.int64)
