"""Many small groups of reports add up to what each does by itself."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hushwatt.provider.tally import small_groups
from hushwatt.provider.tally.small_groups import tally_groups
from hushwatt.provider.tally.tally import Rows, tally_subset
from hushwatt.wire.payload import Layout
from hushwatt.wire.row_error import RowError

LAYOUTS = [
    Layout("oue", (3, 2, 8), 3),
    Layout("sue", (10,) * 15, 15),
    Layout("grr", (3, 9, 2), 3),
    Layout("grr", (4, 3, 2, 5), 2),
    Layout("oue", (4, 3, 2, 5), 2),
]
SIZES = st.lists(st.integers(1, 6), min_size=1, max_size=9)


def plainly(tallies):
    return [(tally.rows, tally.reports.tolist(), tally.counts.tolist()) for tally in tallies]


def payloads_of(layout, count, seed=1):
    """Payloads that a home may send: levels that there are, of ascending appliances."""
    rng = np.random.default_rng(seed)
    levels = np.stack([rng.integers(0, width, count) for width in layout.widths], axis=1).astype(np.uint16)
    if not layout.partial:
        return layout.pack_answers(levels)
    asked = layout.asked
    members = np.sort(rng.permuted(np.tile(np.arange(len(layout.widths)), (count, 1)), axis=1)[:, :asked], axis=1)
    return layout.pack(np.take_along_axis(levels, members, axis=1), members.astype(np.uint16))


@pytest.mark.parametrize("layout", LAYOUTS, ids=str)
@given(sizes=SIZES, mixed=st.booleans())
def test_each_as_by_itself(layout, sizes, mixed):
    """Neighbouring rows or rows from here and there, however many there are."""
    rows = payloads_of(layout, sum(sizes))
    edges = np.cumsum([0, *sizes])
    order = np.random.default_rng(2).permutation(len(rows))
    groups = [order[start:end] if mixed else slice(start, end) for start, end in pairwise(edges)]

    assert plainly(tally_groups(layout, rows, groups)) == plainly(tally_subset(layout, rows, each) for each in groups)


@pytest.mark.parametrize("layout", LAYOUTS, ids=str)
def test_a_few_at_a_time(layout, monkeypatch):
    """No more groups are added up together than their counts have room, and none is lost."""
    rows, groups = payloads_of(layout, 30), [slice(start, start + 3) for start in range(0, 30, 3)]
    whole = plainly(tally_groups(layout, rows, groups))
    monkeypatch.setattr(small_groups, "MAX_CELLS", 400)

    assert plainly(tally_groups(layout, rows, groups)) == whole
    monkeypatch.setattr(small_groups, "NEAR_BITS", 8 * 4 * layout.size)  # groups of three rows, four at a time
    assert plainly(tally_groups(layout, rows, groups)) == whole


def test_few_bits_are_unpacked_at_once(monkeypatch):
    """What is added up takes eight bytes for each bit meanwhile, so it is never all rows of a batch."""
    layout, unpacked, unpack = LAYOUTS[1], [], np.unpackbits
    rows = payloads_of(layout, 10_000)
    monkeypatch.setattr(np, "unpackbits", lambda rows, **words: unpacked.append(rows.size) or unpack(rows, **words))
    list(tally_groups(layout, rows, [slice(start, start + 2) for start in range(0, 10_000, 2)]))

    assert sum(unpacked) == rows.size
    assert 8 * max(unpacked) <= small_groups.NEAR_BITS


@pytest.mark.parametrize("layout", LAYOUTS, ids=str)
@pytest.mark.parametrize("wrong", [0, 7, 19])
def test_a_refused_payload(layout, wrong):
    """It is the same row, and the same words, as when its group is added up by itself."""
    rows = payloads_of(layout, 20)
    rows[wrong] = 255
    groups: list[Rows] = [np.arange(10, 20), slice(0, 5), slice(5, 10)]
    with pytest.raises(RowError) as together:
        list(tally_groups(layout, rows, groups))
    with pytest.raises(RowError) as alone:
        for each in groups:
            tally_subset(layout, rows, each)

    assert (together.value.row, str(together.value)) == (alone.value.row, str(alone.value))
    assert together.value.row == wrong


def test_many_groups_are_one_addition(monkeypatch):
    """A thousand groups of two reports are not a thousand additions."""
    layout, calls = LAYOUTS[2], []
    rows = payloads_of(layout, 2_000)
    monkeypatch.setattr(small_groups, "tally_subset", lambda *words: pytest.fail("by itself"))
    answers = Layout.answers
    monkeypatch.setattr(Layout, "answers", lambda self, *words: calls.append(1) or answers(self, *words))
    list(tally_groups(layout, rows, [slice(start, start + 2) for start in range(0, 2_000, 2)]))

    assert len(calls) == len(layout.widths)
