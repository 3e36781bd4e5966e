"""Columns that grow a few rows at a time, kept in the order of the first one.

They lie in parts, each at least twice as long as the next.  So adding n rows, however few at a time, moves
each of them log₂ n times at most, where one sorted whole would move all rows at every addition.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Columns = tuple[NDArray[Any], ...]
Keys = NDArray[np.uint64]


class Match(NamedTuple):
    """Keys that a part has."""

    rows: NDArray[np.bool_]  # which of those asked for
    found: Columns  # the columns beside the key, a row for each of them


class SortedParts:
    """Rows of columns by their key, the first column."""

    def __init__(self) -> None:
        self._parts: list[Columns] = []

    def __len__(self) -> int:
        return sum(len(part[0]) for part in self._parts)

    def add(self, *columns: NDArray[Any]) -> None:
        """Take in rows whose keys ascend."""
        while self._parts and len(self._parts[-1][0]) < 2 * len(columns[0]):
            columns = merged(self._parts.pop(), columns)
        if len(columns[0]):
            self._parts.append(columns)

    def matches(self, keys: Keys) -> Iterator[Match]:
        """What each part has of some keys; neighbours that ascend are found quicker."""
        for part in self._parts:
            places = np.minimum(np.searchsorted(part[0], keys), len(part[0]) - 1)
            rows = part[0][places] == keys
            yield Match(rows, tuple(column[places[rows]] for column in part[1:]))


def merged(part: Columns, other: Columns) -> Columns:
    """Both in one, in order.

    >>> merged((np.array([1, 4]), np.array([7, 8])), (np.array([2]), np.array([9])))
    (array([1, 2, 4]), array([7, 9, 8]))
    """
    places = np.searchsorted(part[0], other[0])
    return tuple(np.insert(one, places, more) for one, more in zip(part, other, strict=True))
