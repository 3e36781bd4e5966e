"""Local times become the right instants, whatever the clocks do."""

from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hushwatt.errors import PlanError
from hushwatt.plan.times import (
    instant_of,
    local_day,
    midnight,
    nanoseconds,
    parse_instant,
    show_instant,
    zone,
)

ZONES = [
    "UTC",
    "Europe/London",
    "America/New_York",
    "America/Sao_Paulo",  # the clocks jumped at midnight until 2019
    "America/Havana",  # they fall back onto midnight
    "Asia/Beirut",
    "America/St_Johns",  # at one minute past midnight until 2011
    "Pacific/Apia",  # left out 30 December 2011
    "Asia/Kathmandu",
]
MOMENTS = st.datetimes(datetime(1971, 1, 1), datetime(2060, 1, 1))


def _first_by_search(local: datetime, where: ZoneInfo) -> datetime:
    """The first whole minute at which the clocks show `local` or later, looking at each of them."""
    moment = local.replace(tzinfo=UTC) - timedelta(hours=16)
    while moment.astimezone(where).replace(tzinfo=None) < local:
        moment += timedelta(minutes=1)
    return moment


@pytest.mark.parametrize(
    "name, day",
    [
        ("UTC", date(2024, 2, 29)),
        ("Europe/London", date(2024, 3, 31)),
        ("America/Sao_Paulo", date(2017, 10, 15)),
        ("America/Sao_Paulo", date(2018, 2, 18)),
        ("America/Havana", date(2024, 3, 10)),
        ("America/Havana", date(2024, 11, 3)),
        ("Asia/Beirut", date(2024, 3, 31)),
        ("America/St_Johns", date(2010, 3, 14)),
        ("America/St_Johns", date(2010, 11, 7)),
        ("Pacific/Apia", date(2011, 12, 30)),
        ("Africa/Monrovia", date(1972, 1, 7)),  # jumped at midnight by 44 minutes and a half
    ],
)
def test_midnight_is_the_first_instant_of_the_day(name, day):
    """The start of a day is where a patient search finds it, also where midnight is skipped or doubled."""
    where = ZoneInfo(name)
    found = midnight(day, where)

    assert abs(found - _first_by_search(datetime.combine(day, time()), where)) < timedelta(minutes=1)
    assert local_day(found, where) >= day
    assert local_day(found - timedelta(seconds=1), where) < day


def test_gap_that_begins_before_midnight():
    """Where the clocks jump from before midnight to after it, the day begins with the jump."""
    where = ZoneInfo("America/Toronto")  # 1919-03-30 23:30 became 1919-03-31 00:30
    found = midnight(date(1919, 3, 31), where)

    assert found.astimezone(where).replace(tzinfo=None) == datetime(1919, 3, 31, 0, 30)
    assert local_day(found - timedelta(seconds=1), where) == date(1919, 3, 30)


@given(st.sampled_from(ZONES), MOMENTS)
def test_instants_show_what_was_asked_or_the_clocks_skipped_it(name, local):
    """The clocks show the local time at its instant; if never, they show less just before."""
    where = ZoneInfo(name)
    found = instant_of(local, where)
    shown, before = (moment.astimezone(where).replace(tzinfo=None) for moment in (found, found - timedelta(seconds=1)))

    assert shown == local or before < local < shown


@given(MOMENTS)
def test_shown_instants_read_back(moment):
    """ISO text of an instant is that instant."""
    instant = moment.replace(tzinfo=UTC)

    assert parse_instant("start", show_instant(instant), ZoneInfo("Asia/Tokyo")) == instant


@pytest.mark.parametrize(
    "value, expected",
    [
        (date(2024, 7, 1), datetime(2024, 6, 30, 23, tzinfo=UTC)),
        ("2024-07-01", datetime(2024, 6, 30, 23, tzinfo=UTC)),
        (datetime(2024, 7, 1, 12), datetime(2024, 7, 1, 11, tzinfo=UTC)),
        ("2024-07-01T12:00", datetime(2024, 7, 1, 11, tzinfo=UTC)),
        ("2024-07-01T12:00:00Z", datetime(2024, 7, 1, 12, tzinfo=UTC)),
        ("2024-07-01T12:00:00+02:00", datetime(2024, 7, 1, 10, tzinfo=UTC)),
    ],
)
def test_parse_instant(value, expected):
    """Dates and times without an offset are local, the others say what they mean."""

    assert parse_instant("start", value, ZoneInfo("Europe/London")) == expected


@pytest.mark.parametrize("value", ["soon", "2024-13-01", 2024, True, None, time(12), ["2024-01-01"]])
def test_not_a_date(value):
    """What is no date is refused by its key."""
    with pytest.raises(PlanError, match=r"^start is .*; write a date such as"):
        parse_instant("start", value, ZoneInfo("UTC"))


@pytest.mark.parametrize("value", ["0001-01-01", "9999-12-31T23:59:59-08:00"])
def test_outside_the_calendar(value):
    """An instant before the first year or after the last is refused by its key."""
    with pytest.raises(PlanError, match=r"^expires is .*outside the calendar"):
        parse_instant("expires", value, ZoneInfo("Asia/Tokyo"))


@pytest.mark.parametrize(
    "name",
    ["", "Leeds", "Europe", "../etc/passwd", "/etc/localtime", "right/UTC", "localtime", "x" * 500, "\0"],
)
def test_no_such_zone(name):
    """Zones that no machine, or not every machine, knows are refused."""
    with pytest.raises(PlanError, match=r"^timezone is .*; write a name such as"):
        zone(name)


def test_nanoseconds():
    """Nanoseconds are exact, before 1970 too."""

    assert nanoseconds(datetime(1969, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC)) == -1_000
    assert nanoseconds(datetime(2024, 1, 1, tzinfo=UTC)) == 1_704_067_200 * 10**9
