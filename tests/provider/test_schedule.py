"""Slots live: coming, open, grace, closed, published; and published numbers stay."""

from datetime import UTC, datetime, timedelta

import pytest
from tests.provider.collecting import STORES, histories, records

from hushwatt.plan.slot import SlotLength
from hushwatt.provider.schedule import SlotSchedule

both_stores = pytest.mark.parametrize("store_address", STORES, indirect=True)
HOUR = timedelta(hours=1)


@pytest.fixture
def life(plan_of):
    plan = plan_of(3, 4, slot=SlotLength(1, "h"), expires=datetime(2024, 1, 1, 2, 30, tzinfo=UTC))
    return SlotSchedule(plan, grace=timedelta(minutes=20), tolerance=timedelta(minutes=5))


@pytest.mark.parametrize(
    "minutes, state",
    [(-1, "coming"), (0, "open"), (59, "open"), (60, "grace"), (79, "grace"), (80, "closed")],
)
def test_a_slot_ages(life, minutes, state):
    """Open while it lasts, then in grace, then closed."""
    now = life.plan.start + timedelta(minutes=minutes)

    assert life.state(0, now, published=-1) == state
    assert life.state(0, now, published=0) == "published"
    assert (life.first_open(now) > 0) == (state == "closed")


def test_a_home_with_a_fast_clock_is_not_too_early(life):
    """A slot takes reports a little before it begins, by as much as clocks may differ."""
    start = life.plan.calendar.start_of(1)

    assert life.last_begun(start - timedelta(minutes=6)) == 0
    assert life.last_begun(start - timedelta(minutes=5)) == 1


def test_the_last_slot_outlives_the_plan(life):
    """A slot that had begun before the plan expired is taken to its end, and then for its grace."""
    end = life.plan.calendar.end_of(2)

    assert life.plan.calendar.slots == 3
    assert life.last_begun(life.plan.expires + timedelta(minutes=20)) == 2
    assert life.first_open(end + timedelta(minutes=19)) == 2
    assert not life.over(end + timedelta(minutes=19))
    assert life.over(end + timedelta(minutes=20))


@both_stores
def test_published_numbers_never_change(collecting, plan_of):
    """Neither late reports, nor new homes, nor homes that leave move what was published."""
    plan = plan_of(3, 4, 2, oracle="oue", minimum_homes=5)
    talk = collecting(plan, days=0.5)
    key, name, devices = talk.gateway(12)
    first, second = (records(devices, each) for each in histories(plan, 12, 2))
    size = len(first) // 12
    talk.send(key, name, first[: 8 * size])
    talk.at_slot(1)
    talk.send(key, name, second)
    (before,) = talk.get("/estimates").json()["slots"]

    talk.send(key, name, first)
    talk.gateway(7)
    talk.leave(key, name, devices[0])
    talk.at_slot(1, late=timedelta(days=1))
    after = talk.get("/estimates").json()

    assert before["reports"] == 8
    assert after["slots"][0] == before | {"homes": 12}
    assert after["homes"] == 18
    assert after["slots"][1]["reports"] == 11


@both_stores
def test_below_the_minimum_there_is_only_a_date(collecting, plan_of):
    """Not yet: how many, how many are needed, and when to look again; no number of an appliance."""
    plan = plan_of(3, 4, 2, oracle="oue", minimum_homes=10)
    talk = collecting(plan, days=0.5, grace="2h")
    key, name, devices = talk.gateway(12)
    (sent,) = histories(plan, 12, 1)
    body = records(devices, sent)
    talk.send(key, name, body[: 6 * len(body) // 12])

    early = talk.get("/estimates").json()
    talk.clock.forward(days=1)
    late = talk.get("/estimates").json()
    top = talk.get("/top").json()

    assert early["not_yet"] == {"have": 6, "need": 10, "next_look": "2024-01-02T02:00:00Z"}
    assert late["slots"][0]["too_few_homes"] == {"have": 6, "need": 10}
    assert late["not_yet"] == {"have": 0, "need": 10, "next_look": "2024-01-03T02:00:00Z"}
    for told in (early, late, top):
        assert told["appliances"] == {}
        assert told["top"] == []
        assert "mean_watts" not in str(told)


def test_slots_tell_how_complete_they_are(collecting, plan_of):
    """Each slot has its state, its reports, its homes and its late ones."""
    plan = plan_of(3, 4, 2, oracle="oue")
    talk = collecting(plan, days=0.5, grace="2h")
    key, name, devices = talk.gateway(4)
    (sent,) = histories(plan, 4, 1)
    talk.send(key, name, records(devices, sent))
    talk.clock.forward(days=1, hours=1)

    first, second = talk.get("/slots").json()["slots"]

    assert (first["state"], first["reports"], first["homes"], first["need"]) == ("published", 4, 4, 1)
    assert (second["state"], second["reports"], second["closes"]) == ("open", 0, "2024-01-03T02:00:00Z")
