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


@pytest.mark.parametrize(
    "slot, length, slots",
    [("1d", "365d", 365), ("15m", "365d", 35_040), ("1h", "90m", 2), ("2d", "3d", 2), ("1d", "1s", 1), ("7d", "7d", 1)],
)
def test_slots_of_a_length(slot, length, slots):
    """A length needs as many slots as hold all of it."""

    assert SlotLength.parse(slot).needed_for(length) == slots


@pytest.mark.parametrize("length", ["", "7", "0d", "36601d", "1w", "365 d", "plan", "-1d"])
def test_no_length_for_slots(length):
    """What is no length, or none between a second and a century, needs no number of slots."""

    assert SlotLength.parse("1d").needed_for(length) is None


@pytest.mark.parametrize(
    "slot, count, words",
    [
        ("1d", 1, "1 day"),
        ("15m", 3, "45 minutes"),
        ("15m", 96, "1 day"),
        ("7d", 3, "21 days"),
        ("90s", 1, "90 seconds"),
    ],
)
def test_lasting(slot, count, words):
    """Slots last so many of the longest unit that fits."""

    assert SlotLength.parse(slot).lasting(count) == words


def test_lasting_of_many_days():
    """Long windows are told with their thousands apart."""

    assert SlotLength.parse("1h").lasting(24 * 1_461) == "1,461 days"
