"""Dates and times mean the slots that hold them."""

from dataclasses import replace
from datetime import date, datetime, time, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest
from tests.provider.simulated import plan_of

from hushwatt.errors import HushwattError, UsageError
from hushwatt.provider.estimate.times.time_range import parse_time_range

DAYS = plan_of([[0, 1]], slot="1d", timezone="Europe/London", start="2024-06-01", expires="2024-07-01")
HOURS = plan_of([[0, 1]], slot="1h", timezone="Europe/London", start="2024-06-01", expires="2024-07-01")


@pytest.mark.parametrize(
    "plan, start, end, slots",
    [
        (DAYS, None, None, (None, None)),
        (DAYS, "2024-06-03", "2024-06-05", (2, 4)),
        (DAYS, "2024-06-03T23:30", "2024-06-05T00:00", (2, 4)),
        (DAYS, "2024-06-03T23:30Z", "2024-06-05T23:30Z", (3, 5)),
        (HOURS, "2024-06-01", "2024-06-01", (0, 23)),
        (HOURS, "2024-06-01T05:59", "2024-06-01T06:00", (5, 6)),
        (HOURS, "2024-06-01T05:59Z", None, (6, None)),
        (DAYS, "2023-01-01", "2025-01-01", (-1, 30)),
        (DAYS, "0001-01-02", "9999-12-31", (-1, 30)),
        (HOURS, "1000-01-01T00:00", "9999-12-30T23:59:59", (-1, 720)),
    ],
)
def test_slots_that_hold_them(plan, start, end, slots):
    """Both ends are included, a date is the whole day, and what has no offset is local."""

    assert parse_time_range(plan, start, end) == slots


@pytest.mark.parametrize("slot", ["15m", "1h", "1d"])
@pytest.mark.parametrize(
    ("zone", "day"),
    [
        ("Europe/London", "2024-03-31"),  # 23 hours
        ("Europe/London", "2024-10-27"),  # 25 hours
        ("America/New_York", "2024-03-10"),
        ("America/Santiago", "2024-09-08"),  # its midnight does not exist
        ("Australia/Lord_Howe", "2024-04-07"),  # 24 hours and a half
    ],
)
def test_days_on_which_clocks_change(slot, zone, day):
    """The day, its day before and its day after are whole, each as long as it is, and share no slot."""
    plan = plan_of([[0, 1]], slot=slot, timezone=zone, start="2024-01-01", expires="2024-12-31")
    place, middle = ZoneInfo(zone), date.fromisoformat(day)
    days = [middle + timedelta(days=step) for step in (-1, 0, 1, 2)]
    starts = [datetime.combine(each, time(), place).timestamp() for each in days]
    first = datetime(2024, 1, 1, tzinfo=place).timestamp()
    length = plan.slot.seconds
    expected = [(int((start - first) // length), int((end - 1 - first) // length)) for start, end in pairwise(starts)]
    if slot == "1d":
        expected = [(number, number) for number in ((each - date(2024, 1, 1)).days for each in days[:3])]

    found = [parse_time_range(plan, each.isoformat(), each.isoformat()) for each in days[:3]]

    assert found == expected


def test_backwards():
    """An end before the start is refused."""
    with pytest.raises(UsageError, match="--from 2024-06-05 is after --to 2024-06-03"):
        parse_time_range(DAYS, "2024-06-05", "2024-06-03")


@pytest.mark.parametrize("start, end, option", [("soon", None, "--from"), (None, "2024-13-01", "--to")])
def test_no_time_at_all(start, end, option):
    """What is no time is refused, by the option it came with."""
    with pytest.raises(HushwattError, match=f"{option} is .*; write a date such as"):
        parse_time_range(DAYS, start, end)


WEEKS = replace(DAYS, publish=7)
EVENINGS = replace(HOURS, publish=6)


@pytest.mark.parametrize(
    "plan, start, end, slots",
    [
        (WEEKS, "2024-06-01", "2024-06-07", (0, 6)),
        (WEEKS, "2024-06-08T12:00", None, (7, None)),
        (WEEKS, "2024-06-29", "2024-06-30", (28, 29)),  # the last one is shorter
        (WEEKS, "2023-01-01", "2025-01-01", (-1, 30)),
        (EVENINGS, "2024-06-02", "2024-06-02", (24, 47)),
        (EVENINGS, "2024-06-01T18:30", "2024-06-01T23:00", (18, 23)),
    ],
)
def test_whole_periods(plan, start, end, slots):
    """A stretch may begin and end where something that is published together does."""

    assert parse_time_range(plan, start, end) == slots


@pytest.mark.parametrize(
    "plan, start, end, wrong, near",
    [
        (WEEKS, "2024-06-03", None, "--from 2024-06-03", "7 days; write 2024-06-01 or 2024-06-08"),
        (WEEKS, "2024-06-30", None, "--from 2024-06-30", "7 days; write 2024-06-29"),
        (WEEKS, None, "2024-06-05", "--to 2024-06-05", "7 days; write 2024-06-07"),
        (WEEKS, None, "2024-06-12", "--to 2024-06-12", "7 days; write 2024-06-07 or 2024-06-14"),
        (
            EVENINGS,
            "2024-06-01T19:00",
            None,
            "--from 2024-06-01T19:00",
            "6 hours; write 2024-06-01T18:00:00+01:00 or 2024-06-02",
        ),
        (
            EVENINGS,
            None,
            "2024-06-02T02:10",
            "--to 2024-06-02T02:10",
            "6 hours; write 2024-06-01 or 2024-06-02T05:00:00+01:00",
        ),
    ],
)
def test_a_part_of_a_period_is_refused_with_the_nearest(plan, start, end, wrong, near):
    """The line names what to write, and that is taken."""
    with pytest.raises(UsageError) as refusal:
        parse_time_range(plan, start, end)

    assert str(refusal.value) == f"{wrong} is within a period, and results are published once every {near}"
    for word in near.partition("write ")[2].split(" or "):
        parse_time_range(plan, word if start else None, word if end else None)
