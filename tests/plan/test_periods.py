"""Published periods: which slots are in one, when it is complete, and how long it lasts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hushwatt.plan.periods import PublishPeriods, how_often, whole_slots
from hushwatt.plan.slot import SlotLength


@given(length=st.integers(1, 40), slots=st.integers(1, 200))
def test_every_slot_is_in_one_period(length, slots):
    """The periods follow one another, and only the last may be shorter."""
    periods = PublishPeriods(length, slots)
    firsts = sorted({periods.first_of(slot) for slot in range(slots)})

    assert len(firsts) == periods.count
    assert [periods.last_of(first) + 1 for first in firsts] == [*firsts[1:], slots]
    assert all(periods.last_of(first) - first + 1 == length for first in firsts[:-1])


@given(length=st.integers(1, 40), slots=st.integers(1, 200), slot=st.integers(-1, 250))
def test_the_last_complete_period(length, slots, slot):
    """A period is complete when its last slot is."""
    periods = PublishPeriods(length, slots)
    complete = [last for last in map(periods.last_of, range(slots)) if last <= slot]

    assert periods.last_complete(slot) == max(complete, default=-1)


@pytest.mark.parametrize(
    "slots, slot, words",
    [
        (7, "1d", "7 days"),
        (1, "7d", "7 days"),
        (4, "15m", "1 hour"),
        (5, "30m", "150 minutes"),
        (90, "1s", "90 seconds"),
    ],
)
def test_a_length_in_words(slots, slot, words):
    """The largest unit that fits."""
    assert SlotLength.parse(slot).lasting(slots) == words
    assert how_often(slots, SlotLength.parse(slot)) == f"once every {words.removeprefix('1 ')}"


def test_a_time_of_no_known_form():
    """Only a whole number and a unit are a time."""
    assert [whole_slots(text, SlotLength(1, "d")) for text in ("", "7", "7 d", "-7d", "7w")] == [None] * 5
