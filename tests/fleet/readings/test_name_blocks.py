"""Names are kept by number, and seldom copied."""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hushwatt.fleet.readings import name_blocks
from hushwatt.fleet.readings.name_blocks import NameBlocks


def filled(lists):
    """Blocks of these lists of names, added one after the other."""
    blocks = NameBlocks()
    for some in lists:
        blocks.add(pa.array(some, pa.string()))
    return blocks


@pytest.fixture
def small(monkeypatch):
    """Blocks that are full with a few names."""
    monkeypatch.setattr(name_blocks, "BLOCK_NAMES", 6)


@pytest.mark.usefixtures("small")
class TestNames:
    """What was added is there, whatever blocks it lies in."""

    @given(lists=st.lists(st.lists(st.text(max_size=3), max_size=9), max_size=9), start=st.integers(0, 30))
    def test_each_has_its_number(self, lists, start):
        """A name is found by its number, alone, in pieces and all together."""
        expected, blocks = [name for some in lists for name in some], filled(lists)

        assert len(blocks) == len(expected)
        assert [blocks.name(number).as_py() for number in range(len(expected))] == expected
        pieces = [piece.to_pylist() for piece in blocks.pieces(start, 4)]
        assert [name for piece in pieces for name in piece] == expected[start:]
        assert max(map(len, pieces), default=0) <= 4
        taken = [piece.to_pylist() for piece in blocks.taken()]
        assert [name for piece in taken for name in piece] == expected
        assert max(map(len, taken), default=0) <= 6
        assert len(blocks) == 0

    @given(lists=st.lists(st.lists(st.text("ab", max_size=2), max_size=9), max_size=9), data=st.data())
    def test_same(self, lists, data):
        """Each number is asked about a name of its own."""
        expected, blocks = [name for some in lists for name in some], filled(lists)
        numbers = data.draw(st.lists(st.sampled_from(range(len(expected))))) if expected else []
        asked = data.draw(st.lists(st.text("ab", max_size=2), min_size=len(numbers), max_size=len(numbers)))
        answers = blocks.same(np.array(numbers, dtype=np.int32), pa.array(asked, pa.string()))

        assert answers.tolist() == [expected[each] == name for each, name in zip(numbers, asked, strict=True)]


@pytest.mark.usefixtures("small")
def test_only_blocks_asked_about_are_looked_at(monkeypatch):
    """A few names cost the same, however many blocks there are."""
    looked, equal = [], pc.equal
    monkeypatch.setattr(pc, "equal", lambda left, right: looked.append(len(left)) or equal(left, right))
    blocks = filled([[f"home {number}"] for number in range(1_000)])

    assert blocks.same(np.array([999, 0, 1]), pa.array(["home 999", "home 0", "other"])).tolist() == [True, True, False]
    assert sorted(looked) == [1, 2]


def test_many_additions_copy_a_name_seldom(monkeypatch):
    """Single names are copied as often as a block can be halved, and not again when it is full."""
    copied, concatenated = [], pa.concat_arrays
    monkeypatch.setattr(name_blocks, "BLOCK_NAMES", 64)
    monkeypatch.setattr(
        pa, "concat_arrays", lambda arrays: copied.append(sum(map(len, arrays))) or concatenated(arrays)
    )
    blocks = filled([[f"home {number}"] for number in range(1_000)])

    assert len(blocks) == 1_000
    assert 0 < sum(copied) <= 1_000 * 7
    assert max(copied) < 2 * 64
