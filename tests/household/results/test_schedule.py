"""Results are fetched at times that the calendar and one throw of a die decide, and nothing else."""

import random
from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.household.living import fresh_store

from hushwatt.audit.harness.plans import plan_for
from hushwatt.household.clock import SECOND
from hushwatt.household.ledger.caps import DAY
from hushwatt.household.results.schedule import FetchSchedule, interval_of, is_due
from hushwatt.plan import SlotLength
from hushwatt.plan.times import nanoseconds
from hushwatt.privacy.entropy import Simulation

YEAR = plan_for(random.Random(1), share_results=True)  # slots of ten minutes
START = nanoseconds(YEAR.start)


def fetches(store, times, seed=1):
    entropy = Simulation(seed, "fetch").stream("offset")
    return [time for time in times if is_due(store, YEAR, time, entropy)]


@pytest.fixture
def store():
    with fresh_store() as store:
        yield store


def hours(first, last):
    return [START + hour * 3_600 * SECOND for hour in range(first, last)]


@pytest.mark.parametrize("slot, length, seconds", [("1d", 400, 86_400), ("1h", 60, 86_400), ("1s", 0.01, 17)])
def test_once_a_stretch_and_once_a_day(slot, length, seconds):
    """A week's stretch is looked for every day; one of seconds not more often than every ten."""
    until = datetime(2024, 1, 1, tzinfo=UTC) + timedelta(days=length)
    plan = plan_for(random.Random(1), slot=SlotLength.parse(slot), expires=until, share_results=True)

    assert interval_of(plan) == seconds * SECOND


@given(offset=st.integers(0, DAY - 1), now=st.integers(START - 10 * DAY, START + 400 * DAY))
def test_the_next_time_lies_ahead(offset, now):
    """Less than an interval away once there is something to fetch, and always on the same grid."""
    schedule = FetchSchedule.of(YEAR, offset)
    following = schedule.after(now)

    assert following > now
    assert (following - schedule.begin) % schedule.interval == 0
    assert following == schedule.begin or following - now <= schedule.interval


def test_every_day_at_the_same_time(store):
    """After the first week, and for two weeks after the plan is over."""
    times = fetches(store, hours(0, 24 * 400))

    assert 7 <= (times[0] - START) / DAY <= 8
    assert {later - earlier for earlier, later in pairwise(times)} == {DAY}
    assert 13 <= (times[-1] - nanoseconds(YEAR.expires)) / DAY <= 14


def test_homes_fetch_at_different_times():
    """Each draws an offset of its own, once."""
    first = set()
    for seed in range(5):
        with fresh_store() as store:
            first.add(fetches(store, hours(0, 24 * 9), seed)[0])

    assert len(first) > 1


def test_a_home_that_was_away_fetches_once(store):
    """Not once for every time that it missed; and then as ever."""
    fetches(store, hours(0, 24 * 10))
    times = fetches(store, hours(24 * 60, 24 * 62))

    assert times[0] == START + 60 * DAY
    assert len(times) == 3


def test_a_clock_set_back_does_not_end_the_fetches(store):
    """The times before are asked at again."""
    fetches(store, hours(0, 24 * 100))
    again = fetches(store, hours(24 * 20, 24 * 25))

    assert 4 <= len(again) <= 5
