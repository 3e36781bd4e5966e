"""Every moment has its slot, and slots follow the clocks on the wall."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hushwatt.errors import PlanError
from hushwatt.plan.calendar import Calendar
from hushwatt.plan.slot import SlotLength
from hushwatt.plan.times import nanoseconds

HOUR = timedelta(hours=1)
ZONES = [
    "UTC",
    "Europe/London",
    "America/New_York",
    "America/Sao_Paulo",
    "America/Havana",
    "Asia/Beirut",
    "America/St_Johns",
    "Pacific/Apia",
]


def _calendar(start, expires, slot="1d", timezone="UTC"):
    start, expires = (
        datetime.fromisoformat(text).replace(tzinfo=ZoneInfo(timezone)).astimezone(UTC) for text in (start, expires)
    )
    return Calendar(start, expires, timezone, SlotLength.parse(slot))


def _slots(calendar, moments):
    return calendar.slot_of([nanoseconds(moment) for moment in moments]).tolist()


@pytest.mark.parametrize(
    "timezone, day, hours",
    [
        ("Europe/London", "2024-03-31", 23),
        ("Europe/London", "2024-10-27", 25),
        ("America/New_York", "2024-03-10", 23),
        ("America/New_York", "2024-11-03", 25),
        ("America/Sao_Paulo", "2017-10-15", 23),  # has no midnight
        ("America/Sao_Paulo", "2018-02-17", 25),  # its last hour comes twice
        ("America/Havana", "2024-11-03", 25),  # has two midnights
        ("Asia/Beirut", "2024-03-31", 23),  # has no midnight
        ("America/St_Johns", "2010-11-06", 24),  # the clocks go back into it a minute after its end
        ("Pacific/Apia", "2011-12-30", 0),  # never happened
        ("UTC", "2024-03-31", 24),
    ],
)
def test_days_have_as_many_hours_as_the_clocks_give_them(timezone, day, hours):
    """A whole-day slot is the local day, of 23 to 25 hours, and all its moments are in it."""
    calendar = _calendar("2010-01-01", "2030-01-01", timezone=timezone)
    slot = (datetime.fromisoformat(day) - datetime(2010, 1, 1)).days
    start, end = calendar.start_of(slot), calendar.end_of(slot)
    tick = timedelta(microseconds=1)

    assert end - start == hours * HOUR
    assert _slots(calendar, [start - tick, end]) == [slot - 1, slot + 1]
    if hours:
        assert _slots(calendar, [start, start + HOUR, end - tick]) == [slot] * 3


@pytest.mark.parametrize("timezone", ZONES)
@pytest.mark.parametrize("slot", ["1d", "7d", "15m", "1h", "90s"])
def test_starts_and_slots_agree(timezone, slot):
    """A slot holds its start and every moment until the next one's."""
    calendar = _calendar("2010-02-03", "2013-01-01", slot, timezone)
    every = range(0, calendar.slots, max(1, calendar.slots // 500))
    full = [each for each in every if calendar.start_of(each) < calendar.end_of(each)]

    assert _slots(calendar, map(calendar.start_of, full)) == full
    assert _slots(calendar, [calendar.end_of(each) - timedelta(microseconds=1) for each in full[:-1]]) == full[:-1]


@given(
    st.sampled_from(ZONES),
    st.sampled_from(["1d", "3d", "5h"]),
    st.lists(st.datetimes(datetime(2009, 1, 1), datetime(2016, 1, 1)), min_size=1, max_size=30),
)
def test_as_many_at_once_as_one_by_one(timezone, slot, moments):
    """The slot of a moment is the last that has begun, whichever moments are asked together or before."""
    calendar = _calendar("2010-06-01", "2015-06-01", slot, timezone)
    moments = [moment.replace(tzinfo=UTC) for moment in moments]
    together = _slots(calendar, moments)
    fresh = [_slots(_calendar("2010-06-01", "2015-06-01", slot, timezone), [moment])[0] for moment in moments]

    assert together == fresh
    for moment, found in zip(moments, together, strict=True):
        if 0 <= found < calendar.slots:
            assert calendar.start_of(found) <= moment < calendar.end_of(found)
        else:
            assert moment < calendar.start or moment >= calendar.expires


def test_before_and_after():
    """Before the start it is −1; from expiry on it is no slot of the plan, even within the last one."""
    calendar = _calendar("2024-01-01T06:00", "2024-01-03T18:00", "1d")
    moments = [datetime(2024, 1, 1, 5, 59), datetime(2024, 1, 1, 6), datetime(2024, 1, 3, 17, 59)]
    moments += [datetime(2024, 1, 3, 18), datetime(2024, 1, 9)]

    assert calendar.slots == 3
    assert calendar.start_of(0) == datetime(2024, 1, 1, tzinfo=UTC)
    assert _slots(calendar, [moment.replace(tzinfo=UTC) for moment in moments]) == [-1, 0, 2, 3, 3]


def test_hours_are_counted_from_the_start():
    """Slots of hours begin with the plan, not on the hour, and do not mind the clocks."""
    calendar = _calendar("2024-03-30T12:30", "2024-04-01T12:31", "1h", "Europe/London")

    assert calendar.slots == 48 - 1 + 1
    assert calendar.start_of(24) == calendar.start + 24 * HOUR
    assert _slots(calendar, [calendar.start + 30 * HOUR - timedelta(seconds=1)]) == [29]


@pytest.mark.parametrize(
    "expires, slots",
    [("2024-01-01T00:00:01", 1), ("2024-01-08", 1), ("2024-01-08T00:00:01", 2), ("2024-12-30", 52)],
)
def test_slots_begin_before_expiry(expires, slots):
    """A slot counts when it begins before the plan expires."""

    assert _calendar("2024-01-01", expires, "7d").slots == slots


def test_a_day_begun_before_the_clocks_went_back_counts():
    """At 00:01 on 7 November 2010 Newfoundland's clocks went back to the 6th; the 7th had begun."""
    calendar = _calendar("2010-11-01", "2011-01-01", timezone="America/St_Johns")
    begun = calendar.start_of(6)
    until = Calendar(calendar.start, begun + timedelta(minutes=30), "America/St_Johns", SlotLength(1, "d"))

    assert (begun + timedelta(minutes=30)).astimezone(ZoneInfo("America/St_Johns")).day == 6
    assert until.slots == 7


def test_no_end_in_sight():
    """A plan until the end of all dates knows its slots and its moments at once."""
    calendar = _calendar("2024-01-01", "9999-12-31")

    assert calendar.slots == (datetime(9999, 12, 31) - datetime(2024, 1, 1)).days
    assert _slots(calendar, [datetime(2024, 1, 5, tzinfo=UTC)]) == [4]
    assert calendar.slot_of(np.array([np.iinfo(np.int64).min])).tolist() == [-1]
    assert 0 < calendar.slot_of(np.iinfo(np.int64).max - 1) < calendar.slots


def test_centuries():
    """Slots so long that the third begins after the last nanosecond still tell moments apart."""
    calendar = _calendar("2024-01-01", "9999-01-01", "36500d")

    assert _slots(calendar, [calendar.start, calendar.start_of(1), calendar.start_of(2)]) == [0, 1, 2]


def test_shapes():
    """Moments come back in the shape they came in, none included."""
    calendar = _calendar("2024-01-01", "2025-01-01")
    day = nanoseconds(datetime(2024, 1, 2, tzinfo=UTC))

    assert calendar.slot_of(np.array([[day, day]])).tolist() == [[1, 1]]
    assert calendar.slot_of(np.array([], dtype=np.int64)).shape == (0,)
    assert int(calendar.slot_of(day)) == 1
    assert calendar.slot_of([day]).dtype == np.int64


def test_there_is_no_slot_below_zero():
    """Slots count from 0."""
    with pytest.raises(PlanError, match="there is no slot -1; slots count from 0"):
        _calendar("2024-01-01", "2025-01-01").start_of(-1)


@pytest.mark.parametrize("slot", ["1d", "1h"])
def test_beyond_all_dates(slot):
    """A slot that no date can name is refused, not a crash."""
    with pytest.raises(PlanError, match="slot 4294967295 lies beyond the year 9999"):
        _calendar("2024-01-01", "2025-01-01", slot).start_of(2**32 - 1)
