"""The fields of times, and times in sentences."""

import pytest
from tests.provider.simulated import plan_of

from hushwatt.provider.dashboard.chosen_times import TimeFields, times_text
from hushwatt.provider.estimate.times.time_filter import TimeFilter
from hushwatt.provider.estimate.times.time_range import parse_query_range

HOURLY = plan_of([[0, 9]], timezone="Europe/Berlin", start="2024-10-01")
DAILY = plan_of([[0, 9]], timezone="Europe/Berlin", start="2024-10-01", slot="1d")


def fields(plan, **given):
    return TimeFields.of(plan, {name.replace("start", "from"): text for name, text in given.items()})


@pytest.mark.parametrize(
    "plan, start, shown, kind",
    [
        (HOURLY, "", "", "datetime-local"),
        (HOURLY, "2024-10-05", "2024-10-05T00:00", "datetime-local"),
        (HOURLY, "2024-10-05T13:00", "2024-10-05T13:00", "datetime-local"),
        (HOURLY, "2024-10-05T13:00Z", "2024-10-05T15:00", "datetime-local"),
        (HOURLY, "2024-10-27T02:00+02:00", "2024-10-27T02:00", "datetime-local"),
        (HOURLY, "2024-10-27T02:00+01:00", "2024-10-27T02:00+01:00", "text"),  # the hour's second time
        (HOURLY, "1999-01-01", "1999-01-01", "text"),  # before the plan
        (DAILY, "", "", "date"),
        (DAILY, "2024-10-05", "2024-10-05", "date"),
        (DAILY, "2024-10-05T13:00", "2024-10-05T13:00", "text"),
    ],
)
def test_a_field_means_what_the_address_means(plan, start, shown, kind):
    """What stands in the field is the same slot again when it is sent, or stands as it was written."""
    found = fields(plan, start=start)

    assert (found.start, found.kinds[0]) == (shown, kind)
    assert parse_query_range(plan, found.start, "") == parse_query_range(plan, start, "")


@pytest.mark.parametrize("end", ["2024-10-05", "2024-10-27", "2024-10-05T13:00", "2024-10-27T02:00+01:00"])
def test_an_end_means_the_same_slot_again(end):
    """A date is its last slot, also on a day with 25 hours."""
    found = fields(HOURLY, to=end)

    assert parse_query_range(HOURLY, "", found.end) == parse_query_range(HOURLY, "", end)


def test_weekdays_that_no_list_has_can_still_be_chosen():
    """What the address asks for is among the choices; hours are asked for only where slots are shorter than days."""

    assert ("mon,thu", "mon,thu") in fields(HOURLY, weekdays="mon,thu").days
    assert ("mon-fri", "Mon to Fri") in fields(HOURLY, weekdays="mon-fri").days
    assert fields(HOURLY).clock
    assert not fields(DAILY).clock


@pytest.mark.parametrize(
    "hours, weekdays, between, words",
    [
        (None, None, (None, None), "all the time"),
        ("17-21", None, (None, None), "between 17 and 21 h"),
        ("6:30-8,22-6", "sat,sun", (None, None), "at weekends between 6:30 and 8 h or between 22 and 6 h"),
        (None, "mon-fri", (24, 47), "from Mon to Fri on 2 Oct 2024"),
        (None, "mon,wed", (24, 71), "on Mon, Wed from 2 Oct 2024 to 3 Oct 2024"),
        (None, None, (30, 35), "from 06:00 on 2 Oct 2024 to 12:00 on 2 Oct 2024"),
        (None, None, (None, 47), "to 2 Oct 2024"),
    ],
)
def test_times_in_a_sentence(hours, weekdays, between, words):
    """Weekdays, hours and dates, in words that go after "more" and after "than"."""
    first, last = between

    assert times_text(HOURLY, first, last, TimeFilter.parse(hours, weekdays)) == words
