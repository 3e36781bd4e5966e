"""The length of a slot is a whole number and a unit."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hushwatt.errors import PlanError
from hushwatt.plan.slot import SlotLength


@given(st.integers(1, 30_000), st.sampled_from("smhd"))
def test_reads_back(count, unit):
    """A length written out is the same length."""
    length = SlotLength(count, unit)

    assert SlotLength.parse(str(length)) == length


def test_seconds():
    """A length in seconds counts a day as 24 hours."""

    assert SlotLength.parse("15m").seconds == 900
    assert SlotLength.parse("2d").seconds == 172_800


@pytest.mark.parametrize("text", ["", "d", "1", "1.5h", "-1d", "1 d", "1w", "1D", "٣d", "1d\n", "9" * 50 + "s"])
def test_not_a_length(text):
    """Anything but digits and one of the four units is refused."""
    with pytest.raises(PlanError, match="write a whole number and s, m, h or d"):
        SlotLength.parse(text)


@pytest.mark.parametrize("text", ["0s", "000d", "36601d", "999999999999h"])
def test_not_a_sensible_length(text):
    """A slot lasts at least a second and at most a century."""
    with pytest.raises(PlanError, match="at least 1 second and at most 100 years"):
        SlotLength.parse(text)
