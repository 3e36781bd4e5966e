"""Names are sorted range by range."""

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hushwatt.fleet.readings import name_blocks, name_sort
from hushwatt.fleet.readings.name_blocks import NameBlocks
from hushwatt.fleet.readings.name_sort import joined, sort_names

NAMES = st.lists(st.one_of(st.text(max_size=3), st.text("ab\0", max_size=3)), unique=True, min_size=1, max_size=40)


@pytest.mark.parametrize("size", [1, 3, 100])
@given(homes=NAMES, cut=st.integers(1, 9))
def test_all_are_in_order(size, homes, cut):
    """As Python sorts them, whatever the ranges are, and every number finds its place."""
    blocks = NameBlocks()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(name_sort, "RANGE_NAMES", size)
        patch.setattr(name_blocks, "BLOCK_NAMES", cut)
        for start in range(0, len(homes), cut):
            blocks.add(pa.array(homes[start : start + cut], pa.string()))
        names, places = sort_names(blocks, sum(len(name.encode()) for name in homes))
    names.validate(full=True)

    assert names.to_pylist() == sorted(homes)
    assert [names[place].as_py() for place in places.tolist()] == homes


def test_ranges_are_of_about_one_size(monkeypatch):
    """Names that are drawn cut all of them well enough: no range has three times its share."""
    sizes, concatenated = [], pa.concat_arrays
    monkeypatch.setattr(name_sort, "RANGE_NAMES", 500)
    blocks = NameBlocks()
    blocks.add(pa.array([f"home {number}" for number in range(10_000)]))
    monkeypatch.setattr(pa, "concat_arrays", lambda arrays: sizes.append(sum(map(len, arrays))) or concatenated(arrays))
    sort_names(blocks, 1 << 20)

    assert sum(sizes) == 10_000
    assert len(sizes) == 20
    assert max(sizes) < 1_500


def test_joined_pieces():
    """Pieces become one column, parts of others and empty ones too."""
    pieces = [pa.array(["x", "ada", "é"])[1:], pa.array([], pa.string()), pa.array(["", "bob"])]
    names = joined(iter(pieces), 4, 100)
    names.validate(full=True)

    assert names.to_pylist() == ["ada", "é", "", "bob"]
    assert joined(iter([]), 0, 0).to_pylist() == []
