"""Slots by the clock on the wall."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest

from hushwatt.household.words import clock_words
from hushwatt.household.words.clock_words import clock_time, day_words, every_words, moment_words, zone_name
from hushwatt.plan.presets import preset
from hushwatt.plan.slot import SlotLength
from hushwatt.plan.times import nanoseconds

HOURLY = replace(preset("advised"), slot=SlotLength.parse("1h"), timezone="Europe/London")


def test_a_slot_of_an_hour():
    """From the minute it begins to the minute it ends, in the home's zone, not the plan's."""

    assert clock_time(HOURLY, 13, UTC) == "Monday 1 January 2024, 13:00 to 14:00"
    assert clock_time(HOURLY, 23, UTC) == "Monday 1 January 2024, 23:00 to Tuesday 2 January 2024, 00:00"
    assert clock_time(HOURLY, 13, ZoneInfo("Asia/Tokyo")) == "Monday 1 January 2024, 22:00 to 23:00"


def test_short_slots_have_seconds():
    """Where minutes would not tell one from the next."""
    short = replace(preset("advised"), slot=SlotLength.parse("20s"))

    assert clock_time(short, 1, UTC) == "Monday 1 January 2024, 00:00:20 to 00:00:40"
    assert moment_words(5 * 10**9, UTC, exactly=True) == "Thursday 1 January 1970, 00:00:05"


def test_slots_of_days_are_dates():
    """One day, or several, where they begin at the home's midnight."""
    weekly = replace(preset("advised"), slot=SlotLength.parse("7d"))

    assert clock_time(preset("advised"), 59, UTC) == "Thursday 29 February 2024"
    assert clock_time(weekly, 0, UTC) == "Monday 1 January 2024 to Sunday 7 January 2024"


def test_a_day_of_23_hours_is_a_day():
    """When the clocks go forward, a local day still is one."""
    berlin = replace(preset("advised"), timezone="Europe/Berlin")

    assert clock_time(berlin, 90, ZoneInfo("Europe/Berlin")) == "Sunday 31 March 2024"


def test_moments_and_days():
    """To the minute, in English whatever the machine speaks."""
    moment = nanoseconds(datetime(2026, 5, 3, 21, 59, tzinfo=UTC))

    assert moment_words(moment, ZoneInfo("Europe/Berlin")) == "Sunday 3 May 2026, 23:59"
    assert day_words(datetime(2026, 12, 1).date()) == "Tuesday 1 December 2026"
    assert every_words(SlotLength.parse("1d"), 3) == "every 3 days"


def test_the_zone_has_a_name(monkeypatch, tmp_path):
    """That of the zone that was given, of TZ, of /etc/localtime, or what the clocks call it."""
    file = tmp_path / "zoneinfo" / "Europe" / "Madrid"
    file.parent.mkdir(parents=True)
    file.touch()
    (tmp_path / "localtime").symlink_to(file)
    monkeypatch.delenv("TZ", raising=False)
    monkeypatch.setattr(clock_words, "LOCALTIME", tmp_path / "localtime")

    assert zone_name(ZoneInfo("Europe/Oslo")) == "Europe/Oslo"
    assert zone_name(timezone(timedelta(hours=1), "CET")) == "CET"
    assert zone_name() == "Europe/Madrid"
    for given in ("Asia/Tokyo", ":/usr/share/zoneinfo/Asia/Tokyo"):
        monkeypatch.setenv("TZ", given)
        assert zone_name() == "Asia/Tokyo"
    monkeypatch.setenv("TZ", "XYZ-3")
    assert zone_name()


@pytest.mark.parametrize("zone", [None, UTC])
def test_without_a_zone_it_is_the_machines(zone, monkeypatch):
    """Nothing but the machine's own clock is asked."""

    assert moment_words(0, zone)
