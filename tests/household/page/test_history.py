"""Days as the home's own calendar has them."""

from datetime import UTC, date
from zoneinfo import ZoneInfo

import pytest

from hushwatt.household.page.history import day_records

FIRST = date(2024, 1, 1)


def test_each_day_has_what_left_on_it(owner):
    """Sent, waiting, silent and why; days without anything are empty."""
    with owner.home.store.transaction() as disk:
        disk.execute("UPDATE reports SET tries = 0, answer = NULL, due = 9 WHERE slot = 4")
    days = dict(day_records(owner.data, FIRST))
    kinds = {day.day: record.kind for day, record in days.items()}

    assert len(days) == 31
    assert kinds[1] == "silent"
    assert days[FIRST].words == "silent: hushwatt was not running"
    assert [kinds[day] for day in (2, 3, 4, 5, 6)] == ["sent", "sent", "sent", "waiting", "none"]


def test_days_of_another_zone(owner):
    """A slot counts on the local day on which it begins."""
    owner.zone = ZoneInfo("America/New_York")  # midnight UTC is 19:00 the day before
    days = dict(day_records(owner.data, FIRST))

    assert [days[date(2024, 1, day)].sent for day in (1, 2, 3, 4, 5)] == [1, 1, 1, 1, 0]


def test_the_calendar_is_read_aloud(owner):
    """Every day says what became of it, not by its colour alone."""
    text = owner.text("history", month="2024-01")

    assert "Tuesday 2 January 2024: 1 report sent" in text
    assert "Wednesday 31 January 2024: nothing was due" in text
    assert "When it was silent, and why Monday 1 January 2024: hushwatt was not running (“Kettles”)" in text


@pytest.mark.parametrize("month", ["", "soon", "0001-01", "9999-12", "2024-13", "2024-1", "<b>"])
def test_a_month_that_is_none_is_this_one(owner, month):
    """Whatever an address says."""

    assert "January 2024" in owner.text("history", month=month)


def test_other_months_are_a_click_away(owner):
    """Before and after."""
    page = owner.get("history", month="2024-03").body

    assert 'href="history?month=2024-02"' in page
    assert 'href="history?month=2024-04"' in page
    assert "March 2024" in owner.text("history", month="2024-03")


@pytest.mark.parametrize("zone", [UTC, ZoneInfo("Europe/Berlin"), None])
def test_months_in_which_clocks_change(owner, zone):
    """Days of 23 and 25 hours are days."""
    owner.zone = zone

    assert len(dict(day_records(owner.data, date(2024, 3, 1)))) == 31
    assert len(dict(day_records(owner.data, date(2024, 10, 1)))) == 31
