"""Pieces that may hold the same report are found, and no others."""

from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from hushwatt.provider.tally.engines.overlaps import overlapping


@given(pieces=st.lists(st.lists(st.tuples(st.integers(0, 30), st.integers(0, 3)), max_size=3), max_size=6))
def test_who_overlaps(pieces):
    """Exactly the pieces that have a span which touches another piece's, or another of their own."""
    spans = [[((low, b"", 0), (low + more, b"", 0)) for low, more in piece] for piece in pieces]
    pairs = combinations([(index, span) for index, some in enumerate(spans) for span in some], 2)
    expected = {
        index
        for (one, (low, high)), (other, (low2, high2)) in pairs
        if low <= high2 and low2 <= high
        for index in (one, other)
    }

    assert overlapping(spans) == expected
