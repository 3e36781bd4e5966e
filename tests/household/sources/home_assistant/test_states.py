"""States as a subscriber is told of them: all at first, then what changed; strange ones change nothing."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hushwatt.household.clock import SECOND
from hushwatt.household.sources.entities import EntityState
from hushwatt.household.sources.home_assistant.states import SubscribedStates, entity_state

NEW = {"s": "12", "a": {"unit_of_measurement": "W", "device_class": "power", "other": 1}, "lc": 5.5}


@pytest.fixture
def states():
    made = SubscribedStates({"sensor.kettle"})
    list(made.on_event({"a": {"sensor.kettle": NEW, "sensor.other": NEW}}))
    return made


def test_all_at_first(states):
    """Only of entities that were asked for."""
    assert states.known == {
        "sensor.kettle": EntityState("sensor.kettle", "12", "W", "power", None, 5 * SECOND + SECOND // 2)
    }


def test_then_what_changed(states):
    """The rest stays as it was; an attribute that is taken away is none."""
    [changed] = states.on_event({"c": {"sensor.kettle": {"+": {"s": "13", "lc": 6}, "-": {"a": ["device_class"]}}}})

    assert changed == EntityState("sensor.kettle", "13", "W", None, None, 6 * SECOND)


def test_what_is_gone_is_known_no_more(states):
    """And what changes in it is about nothing."""
    assert list(states.on_event({"r": ["sensor.kettle", 3, None]})) == []
    assert states.known == {}
    assert list(states.on_event({"c": {"sensor.kettle": {"+": {"s": "13"}}}})) == []


@pytest.mark.parametrize(
    "state", [None, 3, [], {"s": 3}, {"s": "1" * 10_000}, {"s": ["1"]}, {"a": 3, "lc": "x", "s": None}]
)
def test_a_strange_state_is_unknown(states, state):
    """Of another type, or too long."""
    [told] = states.on_event({"a": {"sensor.kettle": state}})

    assert told.state in ("", "unknown")


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.floats()
    | st.integers()
    | st.text(max_size=5)
    | st.sampled_from(["sensor.kettle", "s"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["a", "c", "r", "+", "-", "s", "lc", "sensor.kettle"]), inner, max_size=4)
    ),
    max_leaves=20,
)


@given(VALUES)
def test_nothing_that_comes_breaks_it(event):
    """Whatever an event holds."""
    made = SubscribedStates({"sensor.kettle"})
    list(made.on_event({"a": {"sensor.kettle": NEW}}))
    for told in made.on_event(event):
        assert isinstance(told, EntityState)


def test_one_of_a_list():
    """As `get_states` has it."""
    table = {"entity_id": "sensor.oven", "state": "1.5", "attributes": {"unit_of_measurement": "kW"}}

    assert entity_state(table) == EntityState("sensor.oven", "1.5", "kW")


def test_no_reading_in_a_repr(states):
    """Nor when it changed."""
    assert "12" not in repr(states)
