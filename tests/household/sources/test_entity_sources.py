"""Entities of Home Assistant as sources: a state holds while it is in reach, and nothing counts twice."""

import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hushwatt.household.clock import SECOND
from hushwatt.household.sources.entities import EntityEntry, EntityState
from hushwatt.household.sources.entity_sources import EntitySources
from hushwatt.household.sources.hub import Hub
from hushwatt.plan import SlotLength
from hushwatt.plan.times import nanoseconds

MINUTE, HOUR = 60 * SECOND, 3_600 * SECOND
KETTLE = EntityEntry("kettle", "appliance 0", "sensor.kettle_power")
OVEN = EntityEntry("oven", "appliance 1", "sensor.oven_power")

STEPS = st.sampled_from(["fill", "on", "lose"])


@pytest.fixture
def plan(plan_of):
    return plan_of(3, 3, slot=SlotLength(1, "h"))


@pytest.fixture
def home(plan):
    """A home in its first slot: the hub, the slot's start, and what was said."""
    said = []
    hub = Hub([], [], said.append, EntitySources.of([KETTLE, OVEN]))
    hub.open(plan, 0)
    return hub, nanoseconds(plan.calendar.start_of(0)), said


def watts(entity, word, changed=0, unit="W"):
    return EntityState(entity, str(word), unit, "power", "measurement", changed)


def energy(entity, word, changed=0):
    return EntityState(entity, str(word), "kWh", "energy", "total_increasing", changed)


def confirm(hub, start, first, last):
    for minute in range(first, last + 1):
        hub.confirm_entities(start + minute * MINUTE)


def test_a_state_holds_while_home_assistant_is_there(home, plan):
    """A state that never changes is no silence: 100 W for the whole hour, told once."""
    hub, start, _ = home
    hub.on_entity(start, watts("sensor.kettle_power", 100))
    confirm(hub, start, 1, 60)

    assert hub.entity_ids == ["sensor.kettle_power", "sensor.oven_power"]
    assert hub.means(plan, 0).tolist() == pytest.approx([100, 0])


def test_a_zero_that_never_changes_is_measured(home, plan):
    """Also for hours, where the plan tells 0 W from not measured."""
    hub, start, _ = home
    plan = replace(plan, unmeasured="answer")
    hub.open(plan, 0)
    hub.on_entity(start - 5 * HOUR, watts("sensor.kettle_power", 0))
    confirm(hub, start, 0, 60)
    means = hub.means(plan, 0)

    assert means[0] == 0
    assert np.isnan(means[1])


def test_what_has_held_for_a_while_counts_for_that_while(home, plan):
    """Heard first after 20 minutes, but unchanged since before the slot."""
    hub, start, _ = home
    hub.on_entity(start + 20 * MINUTE, watts("sensor.kettle_power", 60, start - HOUR))
    hub.on_entity(start + 20 * MINUTE, watts("sensor.oven_power", 60, start + 10 * MINUTE))
    confirm(hub, start, 21, 60)

    assert hub.means(plan, 0).tolist() == pytest.approx([60, 50])


def test_an_owner_may_believe_it_for_less_long(home, plan):
    """With `stale`, a state that does not change for longer is not believed any more."""
    hub, start, _ = home
    hub.replace_entities([replace(KETTLE, stale=6 * MINUTE), OVEN])
    hub.on_entity(start, watts("sensor.kettle_power", 1000, start))
    confirm(hub, start, 1, 60)

    assert hub.means(plan, 0)[0] == pytest.approx(100)


def test_nothing_is_known_while_it_is_out_of_reach(home, plan):
    """From the time it was last heard; and once it is back, what it has held meanwhile counts."""
    hub, start, _ = home
    hub.on_entity(start, watts("sensor.kettle_power", 60))
    confirm(hub, start, 1, 10)
    hub.lose_entities(start + 10 * MINUTE, "Home Assistant does not answer")
    lost = hub.health(start + 12 * MINUTE)[0]
    hub.on_entity(start + 40 * MINUTE, watts("sensor.kettle_power", 600, start + 30 * MINUTE))
    confirm(hub, start, 41, 60)

    assert (lost["fresh"], lost["trouble"]) == (False, "Home Assistant does not answer")
    assert hub.means(plan, 0)[0] == pytest.approx((10 * 60 + 30 * 600) / 60)


class TestFill:
    """Statistics count where nothing is known, once, and in open slots only."""

    def lost_and_back(self, home):
        hub, start, _ = home
        hub.on_entity(start, watts("sensor.kettle_power", 60))
        hub.lose_entities(start + 10 * MINUTE, "gone")
        hub.on_entity(start + 30 * MINUTE, watts("sensor.kettle_power", 120, start + 30 * MINUTE))
        return hub, start

    @pytest.mark.parametrize("times", [1, 3])
    def test_a_gap_is_filled_once(self, home, plan, times):
        """However often the same rows come, and where they overlap what is known."""
        hub, start = self.lost_and_back(home)
        for _ in range(times):
            for minute in range(0, 60, 5):
                hub.fill("sensor.kettle_power", start + minute * MINUTE, start + (minute + 5) * MINUTE, 600)
        confirm(hub, start, 31, 60)

        assert hub.means(plan, 0)[0] == pytest.approx((10 * 60 + 20 * 600 + 30 * 120) / 60)

    def test_a_past_slot_is_not_filled(self, home, plan):
        """The slot that is over was reported; its rows change nothing, nor the next slot."""
        hub, start = self.lost_and_back(home)
        confirm(hub, start, 31, 60)
        before = hub.means(plan, 0)[0]
        hub.open(plan, 1)
        hub.fill("sensor.kettle_power", start, start + HOUR, 600)
        confirm(hub, start, 61, 120)

        assert before == pytest.approx((10 * 60 + 30 * 120) / 60)
        assert hub.means(plan, 1)[0] == pytest.approx(120)

    @pytest.mark.parametrize("mean", [float("nan"), float("inf"), -1e6, 1e9])
    def test_impossible_statistics_are_none(self, home, plan, mean):
        """As impossible readings are."""
        hub, start = self.lost_and_back(home)
        hub.fill("sensor.kettle_power", start, start + HOUR, mean)
        confirm(hub, start, 31, 60)

        assert hub.means(plan, 0)[0] == pytest.approx((10 * 60 + 30 * 120) / 60)

    def test_a_counter_needs_no_statistics_but_when_it_started_again(self, home, plan):
        """Its rise tells what was missed; a reset in between leaves a gap that they fill."""
        hub, start, _ = home
        for entity, word in (("sensor.kettle_power", 7.5), ("sensor.oven_power", 0.1)):
            hub.on_entity(start, energy(entity, 7, start))
            hub.lose_entities(start + 1, "gone")
            hub.on_entity(start + 30 * MINUTE, energy(entity, word, start + 30 * MINUTE))
            hub.fill(entity, start, start + HOUR, 200)
            hub.on_entity(start + HOUR, energy(entity, word, start + HOUR))

        assert hub.means(plan, 0).tolist() == pytest.approx([500, 100])

    @given(
        st.lists(
            st.tuples(st.integers(0, 60), st.integers(1, 30), st.sampled_from(["fill", "on", "lose"])), max_size=30
        )
    )
    def test_no_minute_counts_twice(self, steps):
        """Whatever comes in which order, an appliance of 100 W has at most 100 W."""
        sources = EntitySources.of([KETTLE])
        sources.open("plan", 0, HOUR)
        [source] = sources.sources
        now = 0
        for start, length, step in steps:
            now = min(now + length * MINUTE // 4, HOUR)
            if step == "fill":
                source.plug.fill(start * MINUTE, (start + length) * MINUTE, 100)
            elif step == "lose":
                sources.lose(now, "gone")
            else:
                source.take(now, watts("sensor.kettle_power", 100, start * MINUTE))

        assert source.plug.take_mean("plan") <= 100.0001


class TestCounters:
    """Energy entities tell only of changes."""

    def test_a_rise_after_a_long_rest_belongs_to_the_end_of_it(self, home, plan):
        """A kettle that stood still for 50 minutes used its energy now, not over the hours before."""
        hub, start, _ = home
        hub.on_entity(start - 5 * HOUR, energy("sensor.kettle_power", 1))
        confirm(hub, start, -290, 50)
        hub.on_entity(start + 52 * MINUTE, energy("sensor.kettle_power", 1.1))
        confirm(hub, start, 53, 60)

        assert hub.means(plan, 0)[0] == pytest.approx(100, abs=2)

    def test_small_steps_add_up(self, home, plan):
        """60 W as ten steps of 0.006 kWh, six minutes apart."""
        hub, start, _ = home
        for minute in range(-12, 61):
            if minute % 6 == 0:
                hub.on_entity(start + minute * MINUTE, energy("sensor.kettle_power", round(5 + 0.001 * minute, 6)))
            hub.confirm_entities(start + minute * MINUTE)

        assert hub.means(plan, 0)[0] == pytest.approx(60, rel=0.02)


class TestReplacing:
    """The owner chooses others while a slot is open."""

    @pytest.fixture(params=["zero", "answer"])
    def plan(self, plan, request):
        return replace(plan, unmeasured=request.param)

    def test_another_entity_goes_on_where_one_ended(self, home, plan):
        """Half of the hour one, half of the hour the other: one mean."""
        hub, start, _ = home
        hub.on_entity(start, watts("sensor.kettle_power", 100))
        confirm(hub, start, 1, 30)
        hub.replace_entities([replace(KETTLE, entity="sensor.new"), OVEN])
        hub.on_entity(start + 30 * MINUTE, watts("sensor.new", 300, start))
        confirm(hub, start, 31, 60)

        assert hub.entity_ids == ["sensor.new", "sensor.oven_power"]
        assert hub.means(plan, 0)[0] == pytest.approx(200)
        hub.open(plan, 1)
        confirm(hub, start, 60, 120)

        assert hub.means(plan, 1)[0] == pytest.approx(300)

    def test_an_entity_that_is_given_up_counts_until_then(self, home, plan):
        """And not at all in the next slot, whose silence is its own."""
        hub, start, _ = home
        hub.on_entity(start, watts("sensor.kettle_power", 100))
        confirm(hub, start, 1, 45)
        hub.replace_entities([OVEN])
        expected = 75 if not plan.answers_unmeasured else 100

        assert hub.means(plan, 0)[0] == pytest.approx(expected)
        hub.open(plan, 1)

        assert np.nan_to_num(hub.means(plan, 1)).tolist() == [0, 0]
        assert hub.entities.replaced == []

    def test_a_counter_goes_on_where_power_ended(self, home, plan):
        """What it has stood at since before tells nothing of the time that the other has told of."""
        hub, start, _ = home
        hub.on_entity(start, watts("sensor.kettle_power", 100))
        confirm(hub, start, 1, 30)
        hub.replace_entities([replace(KETTLE, entity="sensor.new"), OVEN])
        hub.on_entity(start + 30 * MINUTE, energy("sensor.new", 5, start))
        hub.on_entity(start + 60 * MINUTE, energy("sensor.new", 5.15, start + 60 * MINUTE))

        assert hub.means(plan, 0)[0] == pytest.approx(200)

    def test_a_slot_that_was_never_reported_is_forgotten(self, home, plan):
        """As after a pause: what was counted in it is in no later slot."""
        hub, start, _ = home
        hub.on_entity(start, watts("sensor.kettle_power", 100))
        confirm(hub, start, 1, 45)
        hub.replace_entities([OVEN])
        hub.open(plan, 1)

        assert np.nan_to_num(hub.means(plan, 1)).tolist() == [0, 0]

    def test_what_stays_is_not_touched(self, home, plan):
        """Entities that are chosen again count on."""
        hub, start, _ = home
        hub.on_entity(start, watts("sensor.kettle_power", 100))
        confirm(hub, start, 1, 30)
        hub.replace_entities([OVEN, KETTLE])
        confirm(hub, start, 31, 60)

        assert hub.means(plan, 0)[0] == pytest.approx(100)

    def test_one_that_was_given_up_before_its_slot_began_leaves_nothing(self, home, plan):
        """A slot that was opened early is not held by what never counted in it."""
        hub, start, _ = home
        hub.replace_entities([OVEN])
        hub.on_entity(start, watts("sensor.oven_power", 50))
        confirm(hub, start, 1, 60)

        assert np.nan_to_num(hub.means(plan, 0)).tolist() == [0, pytest.approx(50)]


def test_trouble_is_said_once_and_nothing_is_shown(home):
    """Unavailable, no number, no unit of power: one line each time it begins, never what was there."""
    hub, start, said = home
    said.clear()
    for word, unit in (("54321", "W"), ("unavailable", "W"), ("unavailable", "W"), ("54321", "W"), ("54321", "horses")):
        hub.on_entity(start, watts("sensor.kettle_power", word, unit=unit))
    hub.on_entity(start, watts("sensor.nobody", 5))

    assert said == [
        "entity kettle: it shows more than 25000 W, or less than nothing: not a reading",
        "entity kettle: Home Assistant says it is unavailable",
        "entity kettle: it shows more than 25000 W, or less than nothing: not a reading",
        "entity kettle: its unit is none of power or energy",
    ]
    assert "54321" not in json.dumps(hub.health(start)) + repr(hub)


def test_which_slot_is_open(home):
    """The start of the earliest slot that a time lies in; what is opened ahead is not in the past."""
    hub, start, _ = home

    assert hub.entities.open_since(start + MINUTE) == start
    assert hub.entities.open_since(start - 1) is None
    assert hub.entities.open_since(start + 5 * HOUR) is None
