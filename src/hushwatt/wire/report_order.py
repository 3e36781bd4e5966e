"""The order of a table of reports: by slot, then household, then round, each once.

A table in this order has no report twice, and that is seen by comparing
neighbours.
"""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

Places = tuple[pa.Array, NDArray[np.int32], NDArray[np.int8]]  # household, slot and round of each report


class ReportOrder:
    """Told the reports batch by batch, says where they break the order."""

    def __init__(self) -> None:
        self._last: Places | None = None

    def first_break(self, places: Places) -> int | None:
        """The first row that is not above the one before it; None when there is none."""
        joined = places if self._last is None else _joined(self._last, places)
        if len(places[1]):
            self._last = places[0][-1:], places[1][-1:], places[2][-1:]
        bad = _not_above(joined)
        return int(bad.argmax()) + len(places[1]) - len(bad) if bad.any() else None


def ascending_order(places: Places) -> NDArray[np.intp]:
    """The rows of a table that is in any order, in the order it should have."""
    households, slots, rounds = places
    named = households.dictionary_encode()
    rank = np.empty(len(named.dictionary), dtype=np.int64)
    rank[pc.sort_indices(named.dictionary).to_numpy()] = np.arange(len(rank))
    home = rank[named.indices.to_numpy()]
    return np.lexsort((rounds, home, slots))


def _joined(last: Places, places: Places) -> Places:
    """The boundary between two batches is a pair of neighbours as well."""
    return (
        pa.concat_arrays([last[0], places[0]]),
        np.concatenate([last[1], places[1]]),
        np.concatenate([last[2], places[2]]),
    )


def _not_above(places: Places) -> NDArray[np.bool_]:
    """For every row but the first: is it not above the one before it?"""
    households, slots, rounds = places
    below, above = households[:-1], households[1:]
    bad: NDArray[np.bool_] = slots[1:] <= slots[:-1]
    if bad.any():
        bad &= (slots[1:] < slots[:-1]) | ~pc.greater(above, below).to_numpy(zero_copy_only=False)
    if bad.any():
        next_round = (slots[1:] == slots[:-1]) & (rounds[1:] > rounds[:-1])
        bad &= ~(next_round & pc.equal(above, below).to_numpy(zero_copy_only=False))
    return bad
