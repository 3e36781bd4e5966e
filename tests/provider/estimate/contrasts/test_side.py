"""Sides of a comparison as people write them."""

import numpy as np
import pytest
from tests.provider.simulated import MICRO, plan_of, tallies_of

from hushwatt.errors import HushwattError, UsageError
from hushwatt.provider.estimate.contrasts.side import Side
from hushwatt.provider.tally.tally import TallyKey

PLAN = plan_of([[0, 100]], start="2024-01-01", timezone="Europe/London")


@pytest.mark.parametrize(
    "text, first, last, times",
    [
        ("2024-01-02..2024-01-03", 24, 71, "all times"),
        ("2024-01-02", 24, 47, "all times"),
        ("2024-01-02..", 24, None, "all times"),
        ("hours=17-21", None, None, "hours 17-21"),
        (" 2024-01-02.. , weekdays=sat+sun , hours=0-6+22-24", 24, None, "hours 0-6,22-24, weekdays sat,sun"),
    ],
)
def test_parts_in_any_order(text, first, last, times):
    side = Side.parse(PLAN, text)

    assert (side.first, side.last, str(side.times), side.what) == (first, last, times, text)


@pytest.mark.parametrize("text", ["", "hours=17-21,hours=2-3", "hours=", "2024-01-01,2024-01-02", "tariff=A", "hours"])
def test_what_is_no_side(text):
    """One line that says what, and how to write it."""
    with pytest.raises(HushwattError) as refused:
        Side.parse(PLAN, text)
    assert "\n" not in str(refused.value)


def test_a_time_without_reports():
    tallies = tallies_of(10, [TallyKey(0, 0, 0, MICRO)], [np.array([10])], [np.full((1, 2), 5)])

    assert Side.parse(PLAN, "2024-01-01").collected(PLAN, tallies).slots == 1
    with pytest.raises(UsageError, match=r"2024-02-01: there are no reports in that time"):
        Side.parse(PLAN, "2024-02-01").collected(PLAN, tallies)


def test_slots_before_there_are_reports():
    """The hours of a side within the plan, as they will count; open ends are the plan's."""
    two_days = Side.parse(PLAN, "2024-01-02..2024-01-03,hours=0-2").planned_slots(PLAN)
    ends = Side.parse(PLAN, "hours=23-24").planned_slots(PLAN)

    assert two_days.tolist() == [24, 25, 48, 49]
    assert (ends[0], ends[-1]) == (23, PLAN.calendar.slots - 1)
    with pytest.raises(UsageError, match="no slots in that time"):
        Side.parse(PLAN, "1999-01-01").planned_slots(PLAN)
