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


@pytest.mark.parametrize("topic, word", [(STATE, b'"unavailable"'), (STATUS, b"offline")])
def test_what_is_gone_is_not_measured(hub, topic, word):
    """When the entity or Home Assistant itself is gone, nothing holds any longer; a new state begins anew."""
    hub.open(PLAN, 10)
    hub.on_message(BEGIN, STATE, b"40", False)
    hub.on_message(BEGIN + DAY, topic, word, False)
    told = means(hub, range(10, 13))
    hub.open(PLAN, 13)
    hub.on_message(BEGIN + 3 * DAY, STATUS, b"online", False)
    hub.on_message(BEGIN + 3 * DAY, STATE, b"20", False)

    assert told[0] == 40.0
    assert all(isnan(each) for each in told[1:])
    assert means(hub, range(13, 15)) == [20.0, 20.0]


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
