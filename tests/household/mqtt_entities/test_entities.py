"""The home's entities: names that no other home or plan has, states without readings, a switch that only pauses."""

import json
import re

import pytest
from tests.household.living import NO_CAPS, HomeUnderTest, fresh_store, join

from hushwatt.household.join import pause
from hushwatt.household.ledger.caps import Caps
from hushwatt.household.mqtt_entities.entities import EntityNames, entity_messages, obey
from hushwatt.household.upload.delivery_note import note_failure
from hushwatt.household.upload.http import Unreachable


@pytest.fixture
def store(plan_of):
    with fresh_store() as opened:
        join(opened, plan_of(3, 3))
        yield opened


@pytest.fixture
def second(plan_of):
    """Another home with the same plan."""
    with fresh_store() as opened:
        join(opened, plan_of(3, 3))
        yield opened


def paused(store):
    return store.value("SELECT paused FROM plans") is not None


def messages(store, now=9, caps=NO_CAPS):
    return entity_messages(store, caps, [], now)


def home_of(told):
    return next(iter(told.states.values()))


def test_the_switch_pauses(store):
    """A command to pause is obeyed."""
    assert obey(store, b"ON", retained=False, now=7)
    assert paused(store)


def test_the_switch_of_a_plan_pauses_that_plan(store, plan_of):
    """And no other; one that is unknown, none."""
    join(store, plan_of(2))
    obey(store, b"ON", retained=False, now=7, plan_id="f" * 64)
    assert [row["paused"] for row in store.rows("SELECT paused FROM plans")] == [None, None]
    obey(store, b"ON", retained=False, now=7, plan_id=plan_of(2).id)

    told = messages(store)
    assert [row["paused"] for row in store.rows("SELECT paused FROM plans ORDER BY place")] == [None, 7]
    assert [each["paused"] for each in told.states.values()] == ["OFF", "OFF", "ON"]


def test_the_switch_does_not_resume(store):
    """A pause stays, the switch goes back to on, and says how to resume."""
    pause(store, None, 7)

    assert not obey(store, b"OFF", retained=False, now=8)
    assert not obey(store, b"OFF", retained=False, now=8, plan_id=store.value("SELECT plan FROM plans"))
    assert paused(store)
    assert home_of(messages(store))["paused"] == "ON"
    assert "hushwatt household resume" in str(home_of(messages(store))["to_resume"])


@pytest.mark.parametrize("payload", [b"ON", b"OFF"])
def test_what_the_broker_kept_is_no_command(store, payload):
    """A retained message changes nothing, in either direction."""
    for before in (False, True):
        if before:
            pause(store, None, 7)
        obey(store, payload, retained=True, now=8)

        assert paused(store) is before


@pytest.mark.parametrize("payload", [b"", b"on", b"\xff", b"O" * 10_000, None, 3, 1.5, b"OFF "])
def test_anything_else_is_no_command(store, payload):
    """Whatever is published there."""
    pause(store, None, 7)

    assert obey(store, payload, retained=False, now=8)
    assert paused(store)


def test_nothing_to_pause():
    """A home without a plan takes the command in silence."""
    with fresh_store() as empty:
        assert obey(empty, b"ON", retained=False, now=8)


def test_no_two_homes_share_a_name(store, second):
    """Topics, ids and devices of two homes with the same plan have nothing in common."""
    for part in ("configs", "states", "commands"):
        assert not getattr(messages(store), part).keys() & getattr(messages(second), part).keys()
    ids = [{config["unique_id"] for config in messages(each).configs.values()} for each in (store, second)]
    assert not ids[0] & ids[1]


def test_no_two_plans_share_a_name(store, plan_of):
    """Nor do two plans of a home, which are devices of their own behind that of the home."""
    join(store, plan_of(2))
    configs = messages(store).configs.values()
    devices = {config["device"]["identifiers"][0]: config["device"] for config in configs}

    assert len({config["unique_id"] for config in configs}) == len(configs) == 9 + 7 + 7
    assert len(devices) == 3
    assert [each.get("via_device") for each in devices.values()] == [None, *[EntityNames.of(store.home).device] * 2]


def test_the_homes_own_name_stays_at_home(store):
    """What is on the broker is derived from it, and nobody can go back."""
    assert store.home not in repr(messages(store))


def test_every_config_says_what_home_assistant_needs(store):
    """Each belongs to a topic of its own kind, knows when it is unavailable, and finds its value in a state."""
    told = messages(store)
    for topic, config in told.configs.items():
        kind = topic.split("/")[1]
        assert re.fullmatch(r"homeassistant/(sensor|binary_sensor|switch)/[a-z0-9_]+/[a-z_]+/config", topic)
        assert config["availability_topic"] == EntityNames.of(store.home).availability
        key = re.fullmatch(r"\{\{ value_json\.([a-z_]+) \}\}", config["value_template"])[1]
        assert key in told.states[config["state_topic"]]
        assert (config.get("command_topic") in told.commands) is (kind == "switch")
    kinds = {topic.split("/")[3]: config.get("device_class") for topic, config in told.configs.items()}
    assert kinds["next_report"] == kinds["last_report"] == "timestamp"
    assert kinds["trouble"] == "problem"
    json.dumps([told.configs, told.states])


def test_times_are_times(folder, plan_of):
    """ISO times with a zone, and none before there is any."""
    with HomeUnderTest(folder / "ledger.sqlite") as home:
        join(home.store, plan_of(3, name="times"))
        assert home_of(messages(home.store, home.clock.wall))["last_report"] is None
        seconds = plan_of(3).slot.seconds
        home.live(4 * seconds, seconds)
        told = home_of(messages(home.store, home.clock.wall))

    assert re.fullmatch(r"2024-\d\d-\d\dT\d\d:\d\d:\d\dZ", told["last_report"])
    assert told["next_report"] > told["last_report"]


def test_troubles_are_shown_where_they_are(store, plan_of):
    """In words, at the home and at the plan they are about."""
    join(store, plan_of(2, unmeasured="answer"))
    note_failure(store, 2, Unreachable("gone"), 7)
    told = entity_messages(store, NO_CAPS, [{**health(name), "name": name} for name in plan_of(3, 3).names], 9)
    home, first, second = told.states.values()

    assert (home["trouble"], first["trouble"], second["trouble"]) == ("ON", "OFF", "ON")
    assert "out of reach" in second["troubles"][0]
    assert home["troubles"] == second["troubles"]
    assert first["troubles"] == []


def health(appliance):
    return {"appliance": appliance, "heard": 1, "fresh": True, "trouble": None}


def test_a_plan_that_was_left_is_taken_back(store):
    """Its configurations are removed, and its switch is not obeyed any more."""
    before = messages(store)
    store.disk.execute("UPDATE plans SET left = 1")
    after = messages(store)

    assert set(after.removed) == before.configs.keys() - after.configs.keys()
    assert len(after.removed) == 7
    assert len(after.commands) == len(after.states) == 1
    assert not before.removed


def test_the_budgets_that_are_left(store):
    """Without a limit that is said; a window's is that of its plan."""
    home, plan = messages(store, caps=Caps()).states.values()

    assert (home["budget_left_today"], home["budget_left_lifetime"]) == ("10", "100")
    assert float(plan["budget_left_window"]) > 0
