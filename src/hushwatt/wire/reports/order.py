"""The order of a table of reports: by slot, then household, then round, each once.

A table in this order shows a report that is there twice by comparing neighbours.
"""

from collections.abc import Iterator
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

SortKeys = tuple[pa.Array, NDArray[np.int32], NDArray[np.int8]]  # household, slot and round of each report
Mask = NDArray[np.bool_]
SortKey = tuple[int, bytes, int]  # slot, household and round of one report
KeyRange = tuple[SortKey, SortKey]  # the first and the last of reports in order

MAX_SLOT_SPANS = 64  # slots in a batch that are told apart when its spans are made


class ReportOrder:
    """Told the reports batch by batch, says where they break the order."""

    def __init__(self) -> None:
        self._last: SortKeys | None = None

    def first_break(self, keys: SortKeys) -> int | None:
        """The first row that is not above the one before it; None when there is none."""
        bad = self._not_above(keys)
        return int(bad.argmax()) if bad.any() else None

    def repeats(self, keys: SortKeys) -> Mask | None:
        """Which rows are the same report as the one before; None when one is below it."""
        last, bad = self._last, self._not_above(keys)
        if bad.any():
            return _same(last, keys, bad)
        return bad

    def _not_above(self, keys: SortKeys) -> Mask:
        """For every row: is it not above the one before it, in this batch or the last?"""
        last, count = self._last, len(keys[1])
        bad: Mask = np.zeros(count, dtype=np.bool_)
        if count:
            bad[1:] = _not_above(_part(keys, slice(0, count - 1)), _part(keys, slice(1, count)))
            if last is not None:
                bad[:1] = _not_above(last, _part(keys, slice(0, 1)))
            self._last = _part(keys, slice(count - 1, count))
        return bad


def sort_order(keys: SortKeys) -> NDArray[np.intp]:
    """The rows of a table that is in any order, in the order it should have; the same report as it came."""
    households, slots, rounds = keys
    named = households.dictionary_encode()
    home = _ranks(named.dictionary)[named.indices.to_numpy()]
    if len(home) and home.max() < 1 << 31:  # one number is sorted quicker than three
        return np.argsort(slots.astype(np.int64) << 32 | home << 1 | rounds, kind="stable")
    return np.lexsort((rounds, home, slots))


def same_as_before(keys: SortKeys) -> Mask:
    """For every row of a table in order: is it the same report as the one before?"""
    households, slots, rounds = keys
    same: Mask = np.zeros(len(slots), dtype=np.bool_)
    same[1:] = (slots[1:] == slots[:-1]) & (rounds[1:] == rounds[:-1])
    if same.any():
        same[1:] &= to_mask(pc.equal(households[1:], households[:-1]))
    return same


def key_ranges(keys: SortKeys) -> Iterator[KeyRange]:
    """Between which reports those of an ordered batch lie: slot by slot, unless the slots are many."""
    slots = keys[1]
    edges = [0, *(np.flatnonzero(slots[1:] != slots[:-1]) + 1).tolist(), len(slots)]
    for start, end in pairwise(edges if len(edges) <= MAX_SLOT_SPANS else [0, len(slots)]):
        if start < end:
            yield key_at(keys, start), key_at(keys, end - 1)


def key_at(keys: SortKeys, row: int) -> SortKey:
    """What tells one report apart; keys compare as reports do."""
    households, slots, rounds = keys
    return int(slots[row]), households[row].cast(pa.binary()).as_py(), int(rounds[row])


def _ranks(names: pa.Array) -> NDArray[np.int64]:
    """The place of each of some different names in their order."""
    ranks = np.arange(len(names))
    if not pc.all(pc.greater(names[1:], names[:-1])).as_py():
        ranks[pc.sort_indices(names).to_numpy()] = np.arange(len(names))
    return ranks


def _part(keys: SortKeys, rows: slice) -> SortKeys:
    return keys[0][rows], keys[1][rows], keys[2][rows]


def _not_above(below: SortKeys, above: SortKeys) -> Mask:
    """For every pair of rows: is the second not above the first?"""
    bad: Mask = above[1] <= below[1]
    if bad.any():
        bad &= (above[1] < below[1]) | ~to_mask(pc.greater(above[0], below[0]))
    if bad.any():
        next_round = (above[1] == below[1]) & (above[2] > below[2])
        bad &= ~(next_round & to_mask(pc.equal(above[0], below[0])))
    return bad


def _same(last: SortKeys | None, keys: SortKeys, bad: Mask) -> Mask | None:
    """The rows that are not above the one before as they are the same; None when one is not."""
    rows = np.flatnonzero(bad)
    here = _taken(keys, rows)
    before = _taken(keys, np.maximum(rows - 1, 0))
    if rows[0] == 0 and last is not None:
        before = (
            pa.concat_arrays([last[0], before[0][1:]]),
            np.concatenate([last[1], before[1][1:]]),
            np.concatenate([last[2], before[2][1:]]),
        )
    same = (here[1] == before[1]) & (here[2] == before[2]) & to_mask(pc.equal(here[0], before[0]))
    return bad if same.all() else None


def _taken(keys: SortKeys, rows: NDArray[np.intp]) -> SortKeys:
    return keys[0].take(pa.array(rows)), keys[1][rows], keys[2][rows]


def to_mask(answers: pa.Array) -> Mask:
    """Arrow's yes and no for NumPy."""
    mask: Mask = answers.to_numpy(zero_copy_only=False)
    return mask
