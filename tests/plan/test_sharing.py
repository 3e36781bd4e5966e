"""What of the results is shared: whole stretches, by the calendar alone."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hushwatt.plan.plan import Plan
from hushwatt.plan.presets import preset
from hushwatt.plan.sharing import TRAILING, shared_ranges, stretches
from hushwatt.plan.slot import SlotLength

DAILY = preset("advised")


@pytest.mark.parametrize(
    "slot, publish, length",
    [("1d", 1, 7), ("1d", 7, 7), ("1d", 5, 10), ("1d", 30, 30), ("1h", 1, 168), ("15m", 4, 672), ("2d", 1, 4)],
)
def test_a_stretch_lasts_a_week(slot, publish, length):
    """In whole published periods, however short the slots are."""
    plan = replace(DAILY, slot=SlotLength.parse(slot), publish=publish)

    assert stretches(plan).length == length


def test_a_short_plan_has_short_stretches(written):
    """So that homes see something before it is over."""
    plan = Plan.parse(written(start="2024-01-01", expires="2024-01-02", slot='"1m"'))

    assert stretches(plan).length == 28


@given(publish=st.integers(1, 60), published=st.integers(-1, 400))
def test_only_whole_published_periods_are_shared(publish, published):
    """Nothing of a part of one, nothing that is not published, and no two ranges alike."""
    plan = replace(DAILY, publish=publish)
    ranges = shared_ranges(plan, published)

    assert len(set(ranges)) == len(ranges) <= len(TRAILING)
    for each in ranges:
        assert 0 <= each.first <= each.last <= published
        assert plan.periods.first_of(each.first) == each.first
        assert plan.periods.last_of(each.last) == each.last
        assert each.slots == each.last - each.first + 1


def test_nothing_is_shared_before_a_stretch_is_complete():
    """And the last, shorter one is shared when the plan is over."""
    slots = DAILY.calendar.slots

    assert shared_ranges(DAILY, 5) == []
    assert [each.slots for each in shared_ranges(DAILY, 6)] == [7]
    assert shared_ranges(DAILY, slots - 1)[0].last == slots - 1
