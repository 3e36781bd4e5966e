"""Days on pages are days of the plan's zone, also while UTC has another date."""

from datetime import UTC, date, datetime, timedelta
from urllib.parse import parse_qs, urlsplit
from zoneinfo import ZoneInfo

import pytest

from hushwatt.plan import SlotLength
from hushwatt.provider.dashboard.page_context import PageContext
from hushwatt.provider.dashboard.page_layout import range_links
from hushwatt.provider.dashboard.query import parse_query

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
