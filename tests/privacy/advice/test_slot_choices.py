"""Longer slots ask the same question, and what is thought of appliances follows."""

from dataclasses import replace

import pytest

from hushwatt.plan.appliance import Appliance
from hushwatt.plan.presets import preset
from hushwatt.plan.slot import SlotLength
from hushwatt.privacy.advice.prior import Prior, Tail, prior_of
from hushwatt.privacy.advice.slot_choices import prior_at, slot_choices, with_slot
from hushwatt.privacy.tails import prior_weights

PAPER = preset("paper")
HOURLY = replace(PAPER, slot=SlotLength.parse("1h"), window=72)


@pytest.mark.parametrize(
    "slot, choices",
    [("1h", "1h 1d 7d"), ("6h", "6h 1d 7d"), ("7h", "7h 7d"), ("2d", "2d"), ("7d", "7d"), ("30d", "30d")],
)
def test_only_slots_that_whole_ones_make_up(slot, choices):
    """Hours, days and weeks, never shorter, and never what would cut a slot."""
    assert " ".join(map(str, slot_choices(SlotLength.parse(slot)))) == choices


def test_what_lasts_as_long_as_before():
    """Window and published period cover at least the time that they did."""
    weekly = with_slot(replace(PAPER, window=30, publish=2), SlotLength.parse("7d"))

    assert (weekly.window, weekly.publish) == (5, 1)
    assert with_slot(PAPER, PAPER.slot) is PAPER


@pytest.mark.parametrize("slot", ["1d", "7d"])
def test_catalogue_agrees_with_itself(slot):
    """Hours that become days or weeks are thought of as the catalogue thinks of days and weeks."""
    longer = with_slot(HOURLY, SlotLength.parse(slot))
    for appliance in HOURLY.appliances:
        moved = prior_at(prior_of(HOURLY, appliance), appliance, HOURLY, longer.slot)
        assert moved.high == pytest.approx(prior_of(longer, appliance).high)
        assert moved.mean == prior_of(longer, appliance).mean


def test_unknown_appliances_even_out_too():
    """What no catalogue knows falls by the same rule, and never below its mean."""
    thing = Appliance.of("perpetual motion machine", edges=[100.0])
    prior = Prior(mean=10.0, high=80.0, source="plan", tail=Tail(40.0, tuple(prior_weights().tolist())))
    day, week = (prior_at(prior, thing, HOURLY, SlotLength.parse(slot)) for slot in ("1d", "7d"))

    assert 10 <= week.high < day.high < 80
    assert day.high == pytest.approx(22)
    assert day.tail.high == pytest.approx(11)
    assert prior_at(prior, thing, HOURLY, HOURLY.slot) is prior
