"""Home Assistant's switch: everyone on the broker can pause, nobody there can resume."""

import pytest
from tests.household.living import fresh_store, join

from hushwatt.household.home_assistant import discovery, obey, state
from hushwatt.household.join import pause
from hushwatt.household.ledger.caps import Caps


@pytest.fixture
def store(plan_of):
    with fresh_store() as opened:
        join(opened, plan_of(3, 3))
        yield opened


def paused(store):
    return store.value("SELECT paused FROM plans") is not None


def test_the_switch_pauses(store):
    """A command to pause is obeyed."""

    assert obey(store, b"ON", retained=False, now=7)
    assert paused(store)


def test_the_switch_does_not_resume(store):
    """A pause stays, the switch goes back to on, and says how to resume."""
    pause(store, None, 7)

    assert not obey(store, b"OFF", retained=False, now=8)
    assert paused(store)
    assert state(store, Caps(), 9)["paused"] == "ON"
    assert "hushwatt household resume" in str(state(store, Caps(), 9)["to_resume"])


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


def test_the_switch_is_told_about():
    """The announcement says where its state and its attributes are."""
    switch = discovery()["homeassistant/switch/hushwatt/pause/config"]

    assert switch["state_topic"] == switch["json_attributes_topic"] == "hushwatt/state"
