"""Statestream publishes changes only: what does not change still holds."""

from dataclasses import replace
from math import isnan
from pathlib import Path

import pytest

from hushwatt.household.clock import SECOND
from hushwatt.household.sources.hub import Hub
from hushwatt.household.sources.presets import HomeAssistant
from hushwatt.household.sources.sources_file import SourcesFile
from hushwatt.plan.appliance import Appliance
from hushwatt.plan.presets import preset
from hushwatt.plan.times import nanoseconds

PLAN = replace(
    preset("everyday"),
    appliances=(Appliance.of("fridge", values=[0, 60]),),
    appliances_per_report=1,
    appliance_epsilon=None,
)
DAY = 86_400 * SECOND
BEGIN = nanoseconds(PLAN.calendar.start_of(10))
STATE, STATUS = "homeassistant/sensor/fridge/state", "homeassistant/status"


@pytest.fixture
def hub(tmp_path: Path) -> Hub:
    plug = {"appliance": "fridge", "preset": "homeassistant", "topic": "sensor.fridge"}
    return Hub.of(SourcesFile.parse({"plug": [plug]}, tmp_path), lambda line: None)


def means(hub: Hub, slots: range) -> list[float]:
    """The means of these days."""
    told = []
    for slot in slots:
        hub.open(PLAN, slot)
        told.append(float(hub.means(PLAN, slot)[0]))
    return told


def test_a_fridge_that_is_off_says_so_once(hub):
    """Its 0 W hold for days, as measured and fresh."""
    hub.open(PLAN, 10)
    hub.on_message(BEGIN, STATE, b"0", False)

    assert means(hub, range(10, 16)) == [0.0] * 6
    assert hub.health(BEGIN + 6 * DAY)[0]["fresh"] is True


def test_a_state_of_days_ago_still_counts(hub):
    """A lamp that was left on is on."""
    hub.open(PLAN, 10)
    hub.on_message(BEGIN, STATE, b'"40.0"', False)

    assert means(hub, range(10, 13)) == [40.0] * 3


def test_what_is_unavailable_is_not_measured(hub):
    """When the entity is gone nothing holds any longer; a new state begins anew."""
    hub.open(PLAN, 10)
    hub.on_message(BEGIN, STATE, b"40", False)
    hub.on_message(BEGIN + DAY, STATE, b'"unavailable"', False)
    told = means(hub, range(10, 13))
    hub.open(PLAN, 13)
    hub.on_message(BEGIN + 3 * DAY, STATE, b"20", False)

    assert told[0] == 40.0
    assert all(isnan(each) for each in told[1:])
    assert means(hub, range(13, 15)) == [20.0, 20.0]


def test_home_assistant_starts_anew(hub):
    """It repeats nothing, so what it said before goes on; meanwhile it holds, and its owner is told."""
    hub.open(PLAN, 10)
    hub.on_message(BEGIN, STATE, b"40", False)
    hub.on_message(BEGIN + DAY // 2, STATUS, b"offline", False)
    away = hub.health(BEGIN + DAY // 2)[0]
    hub.on_message(BEGIN + DAY // 2 + 300 * SECOND, STATUS, b"online", False)

    assert away["trouble"] == "Home Assistant is not there"
    assert hub.health(BEGIN + DAY)[0]["trouble"] is None
    assert means(hub, range(10, 13)) == [40.0] * 3


def test_home_assistant_is_gone_for_days(hub):
    """After an hour nothing holds, and what was missed stays missed when it comes back."""
    hub.open(PLAN, 10)
    hub.on_message(BEGIN, STATE, b"40", False)
    hub.on_message(BEGIN + DAY, STATUS, b"offline", False)
    hub.on_message(BEGIN + DAY + 60 * SECOND, STATUS, b"offline", False)
    told = means(hub, range(10, 13))
    hub.open(PLAN, 13)
    hub.on_message(BEGIN + 3 * DAY + DAY // 4, STATUS, b"online", False)
    (energy,) = [each for each in hub.plugs[0].plug._energies[PLAN.id] if each.start == BEGIN + 3 * DAY]
    covered = energy.covered

    assert told[0] == 40.0
    assert all(isnan(each) for each in told[1:])
    assert covered == 0
    assert means(hub, range(13, 15)) == [40.0, 40.0]


def test_longer_than_a_week_is_silence(hub):
    """Unless the owner says otherwise."""
    hub.open(PLAN, 10)
    hub.on_message(BEGIN, STATE, b"0", False)
    told = means(hub, range(10, 19))

    assert HomeAssistant.hold == 7 * DAY
    assert [isnan(each) for each in told] == [False] * 7 + [True] * 2


def test_a_counter_that_rests_does_not_run_on(hub):
    """Of an entity that counts energy the last rise holds for an hour at most, not for as long as a state."""
    hub.open(PLAN, 10)
    hub.on_message(BEGIN, "homeassistant/sensor/fridge/unit_of_measurement", b"kWh", False)
    hub.on_message(BEGIN, STATE, b"10", False)
    hub.on_message(BEGIN + DAY // 2, STATE, b"34", False)
    told = means(hub, range(10, 12))

    assert told[0] == pytest.approx((24_000 + 2_000) / 13)
    assert isnan(told[1])
