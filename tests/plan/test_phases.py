"""What a plan's slots ever measure of the day and of the week."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from math import gcd
from zoneinfo import ZoneInfo

import numpy as np
import pytest

from hushwatt.plan import SlotLength
from hushwatt.plan.phases import aliases, blind_spot, unseen_between

HOUR, QUARTER, TWO_DAYS = SlotLength(1, "h"), SlotLength(15, "m"), SlotLength(2, "d")


@pytest.fixture
def hourly(plan_of):
    return plan_of(2, method="lsp", slot=HOUR, window=24)


def test_hourly_with_a_day_sees_one_hour(hourly):
    """All homes speak at midnight, and never at another hour."""
    assert blind_spot(hourly) == "it only ever measures 00:00 to 01:00 (UTC)"


def test_clocks_that_change_are_followed(hourly):
    """In London the same instant is one o'clock in summer."""
    assert blind_spot(replace(hourly, timezone="Europe/London")).startswith("it only ever measures 00:00 to 02:00")


def test_clocks_do_not_hide_an_alias(hourly):
    """Every other hour in winter and the others in summer is still half of the hours at a time."""
    told = blind_spot(replace(hourly, timezone="Europe/London", window=2))

    assert told.startswith("between two changes of the clocks it only ever measures 12 hours of the day")


@pytest.mark.parametrize(
    "slot, window, told",
    [
        ("1d", 7, "it only ever measures Mondays"),
        ("1d", 14, "it only ever measures Mondays"),
        ("2d", 7, "it only ever measures Mondays and Tuesdays"),
        ("6h", 4, "it only ever measures 00:00 to 06:00 (UTC)"),
        ("8h", 6, "it only ever measures 00:00 to 08:00 (UTC)"),
        ("15m", 48, "it only ever measures 00:00 to 00:15 and 12:00 to 12:15 (UTC)"),
        ("1h", 168, "it only ever measures 00:00 to 01:00 (UTC)"),
    ],
)
def test_what_is_never_seen(plan_of, slot, window, told):
    """The first of January 2024 is a Monday."""
    assert blind_spot(plan_of(2, method="lsp", slot=SlotLength.parse(slot), window=window)) == told


def test_an_hour_on_some_weekdays_only(plan_of):
    """Seven hours go through all hours of the day, but each on one weekday."""
    told = blind_spot(plan_of(2, method="lsp", slot=HOUR, window=7))

    assert "every hour on some weekdays only, 14% of the hours of a week" in told


@pytest.mark.parametrize("window", range(1, 30))
def test_aliases_as_the_common_divisor_says(plan_of, window):
    """Over a long time every hour of the week is seen exactly when w and 168 have no common divisor."""
    plan = plan_of(2, method="lsp", slot=HOUR, window=window, expires=datetime(2034, 1, 1, tzinfo=UTC))

    assert aliases(plan) == (gcd(window, 168) > 1)


@pytest.mark.parametrize("method", ["lbu", "lpu", "lbd", "lba"])
def test_others_see_everything(plan_of, method):
    """Where some homes draw in every slot, nothing is left out."""
    assert not aliases(plan_of(2, method=method, slot=HOUR, window=24))


def test_short_collections(plan_of):
    """Ten slots with w = 24 are one sample; two windows of three days miss weekdays."""
    assert blind_spot(plan_of(2, method="lsp", slot=HOUR, window=24), 10).startswith("it only ever measures 00")
    assert aliases(plan_of(2, method="lsp", window=3), 6)
    assert not aliases(plan_of(2, method="lsp", window=3), 30)
    assert not aliases(plan_of(2, method="lsp", window=3), 1)


def test_as_a_walk_through_the_calendar_says(plan_of):
    """Hours that come up are those that walking from draw to draw finds, clock changes included."""
    plan = plan_of(2, method="lsp", slot=HOUR, window=48, timezone="America/New_York")
    where, hours = ZoneInfo("America/New_York"), set()
    for slot in range(0, plan.calendar.slots, 48):
        hours.add((plan.start + timedelta(hours=slot)).astimezone(where).hour)

    assert sorted(hours) == [19, 20]
    assert blind_spot(plan) == "it only ever measures 19:00 to 21:00 (America/New_York)"


def test_slots_that_were_measured(plan_of):
    """What was left out of a range is told from the slots that count."""
    plan = plan_of(2, slot=HOUR, method="lpu", window=24)
    asked = np.arange(240)
    night = asked[asked % 24 < 6]

    assert unseen_between(plan, night, asked) == "it only ever measures 00:00 to 06:00 (UTC)"
    assert unseen_between(plan, asked, asked) is None
    assert unseen_between(plan, night[:3], night[:3]) is None
