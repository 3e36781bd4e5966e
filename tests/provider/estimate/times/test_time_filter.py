"""Hours and weekdays, as a person writes them, by the plan's clocks."""

import pytest
from tests.provider.estimate.times.test_fold import VALUES, rows_of
from tests.provider.simulated import plan_of

from hushwatt.errors import UsageError
from hushwatt.provider.estimate.times.time_filter import TimeFilter


def kept(plan, slots, hours=None, weekdays=None):
    """The local beginnings of the slots that stay."""
    timeline = rows_of(plan, slots)
    mask = TimeFilter.parse(hours, weekdays).rows(plan, timeline)
    from hushwatt.plan.times import zone

    starts = [plan.calendar.start_of(int(slot)).astimezone(zone(plan.timezone)) for slot in timeline.slots[mask]]
    return [start.strftime("%a %H:%M") for start in starts]


def test_an_evening():
    plan = plan_of([VALUES], start="2024-01-01")

    assert kept(plan, 24, "17-21") == ["Mon 17:00", "Mon 18:00", "Mon 19:00", "Mon 20:00"]
    assert kept(plan, 24, "23-1,12-12:30") == ["Mon 00:00", "Mon 23:00"]


def test_a_night_over_midnight_and_weekdays():
    """A night belongs to both days that it touches; weekdays are those that a slot begins on."""
    plan = plan_of([VALUES], start="2024-01-05", slot="6h")

    assert kept(plan, 12, "18-6") == [f"{day} {hour}" for day in ("Fri", "Sat", "Sun") for hour in ("00:00", "18:00")]
    assert kept(plan, 12, None, "sat,sun") == [
        f"{day} {hour:02}:00" for day in ("Sat", "Sun") for hour in (0, 6, 12, 18)
    ]
    assert kept(plan, 40, "12-18", "sat-mon") == ["Sat 12:00", "Sun 12:00", "Mon 12:00", "Sat 12:00", "Sun 12:00"]


def test_slots_that_lie_in_the_hours_by_half_do_not_count():
    plan = plan_of([VALUES], start="2024-01-01T00:30", slot="1h")

    assert kept(plan, 24, "17-20") == ["Mon 17:30", "Mon 18:30"]


def test_clocks_that_change():
    """An evening is the evening by the clocks on the wall before and after they change."""
    plan = plan_of([VALUES], start="2024-03-30", timezone="Europe/Berlin")

    assert kept(plan, 71, "17-19") == [f"{day} {hour}:00" for day in ("Sat", "Sun", "Mon") for hour in (17, 18)]
    assert kept(plan, 71, "1-3") == ["Sat 01:00", "Sat 02:00", "Sun 01:00", "Mon 01:00", "Mon 02:00"]


@pytest.mark.parametrize("hours", ["17", "17-17", "25-3", "17:60-18", "evening", "24-3", "", "1-2-3"])
def test_hours_that_are_none(hours):
    with pytest.raises(UsageError, match="hours"):
        TimeFilter.parse(hours, None)


@pytest.mark.parametrize("weekdays", ["noday", "mon-tue-wed", "", "1-5"])
def test_weekdays_that_are_none(weekdays):
    with pytest.raises(UsageError, match="write them as mon-fri or sat,sun"):
        TimeFilter.parse(None, weekdays)


def test_times_that_no_slot_lies_in():
    """Days have no hours."""
    plan = plan_of([VALUES], slot="1d", start="2024-01-01")

    with pytest.raises(UsageError, match=r"hours 17-21: no slot lies in that whole; a slot lasts"):
        kept(plan, 3, "17-21")


def test_as_it_is_written():
    assert str(TimeFilter.parse("17-21", None)) == "hours 17-21"
    assert str(TimeFilter()) == "all times"
    assert TimeFilter.parse(None, None).everything
