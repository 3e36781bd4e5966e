"""Days on pages are days of the plan's zone, also while UTC has another date."""

from datetime import UTC, date, datetime, timedelta
from urllib.parse import parse_qs, urlsplit
from zoneinfo import ZoneInfo

import pytest

from hushwatt.plan import SlotLength
from hushwatt.provider.dashboard import formatting
from hushwatt.provider.dashboard.page_context import PageContext
from hushwatt.provider.dashboard.page_layout import last_ranges, range_links
from hushwatt.provider.dashboard.query import parse_query
from hushwatt.provider.estimate.times.time_range import parse_time_range

ZONES = ("America/Los_Angeles", "Asia/Kolkata", "Pacific/Auckland", "UTC")


@pytest.mark.parametrize("zone", ZONES)
@pytest.mark.parametrize("hours", [1, 3, 12, 21, 24])
def test_the_last_days(collecting, plan_of, zone, hours):
    """They end with the local day of the last slot published, whatever the hour."""
    place = ZoneInfo(zone)
    start = datetime(2024, 1, 1, tzinfo=place).astimezone(UTC)
    talk = collecting(plan_of(3, slot=SlotLength(1, "h"), timezone=zone, start=start), grace="15m")
    talk.at_slot(24 * 9 + hours - 1, late=timedelta(minutes=15))
    talk.get("/slots").raise_for_status()
    read = talk.service.read
    links = range_links(PageContext(read, parse_query(read, {}, []), talk.clock.now()), "/top")
    queries = [parse_qs(urlsplit(link).query) for _, link, _ in links]

    assert read.state(talk.plan).published == 24 * 9 + hours - 1
    assert [label for label, _, _ in links] == ["Last 7 days", "Last 30 days", "Last 90 days", "All"]
    assert queries == [
        *(
            {"from": [(date(2024, 1, 11) - timedelta(days=days)).isoformat()], "to": ["2024-01-10"]}
            for days in (7, 30, 90)
        ),
        {},
    ]


@pytest.mark.parametrize(
    "slot, publish, first, name, tick",
    [
        ("1d", 1, 3, "4 Jan 2024", "4 Jan"),
        ("1d", 7, 7, "week of 8 Jan 2024", "8 Jan"),
        ("1d", 30, 360, "6 days from 26 Dec 2024", "26 Dec"),  # the last one is shorter
        ("7d", 2, 2, "14 days from 15 Jan 2024", "15 Jan"),
        ("15m", 672, 672, "week of 8 Jan 2024", "8 Jan"),
        ("15m", 8, 8, "2 hours from 1 Jan 2024, 02:00", "1 Jan 02:00"),
        ("1h", 168, 168 * 26, "7 days from 1 Jul 2024, 01:00", "1 Jul 01:00"),  # clocks were put forward
        ("1h", 1, 5, "1 Jan 2024, 05:00", "1 Jan 05:00"),
    ],
)
def test_what_is_published_together_has_a_name(plan_of, slot, publish, first, name, tick):
    """Weeks are weeks, and others say how long they last."""
    plan = plan_of(3, slot=SlotLength.parse(slot), publish=publish, timezone="Europe/London")

    assert formatting.slot_name(plan, first) == name
    assert formatting.slot_tick(plan, first) == tick


@pytest.mark.parametrize(
    "slot, publish, published, ranges",
    [
        ("1d", 7, 48, {"Last 7 days": ("2024-02-12", "2024-02-18"), "Last 28 days": ("2024-01-22", "2024-02-18")}),
        ("1d", 60, 59, {"Last 60 days": ("2024-01-01", "2024-02-29")}),
        ("1h", 6, 5, {}),
    ],
)
def test_the_last_periods(plan_of, slot, publish, published, ranges):
    """Ranges that are offered hold whole periods, as many as there are."""
    plan = plan_of(3, slot=SlotLength.parse(slot), publish=publish)
    offered = last_ranges(plan, published)

    assert offered == ranges
    for start, end in offered.values():
        parse_time_range(plan, start, end)
