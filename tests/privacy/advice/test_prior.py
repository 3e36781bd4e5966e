"""Prior knowledge: a law with the given mean and high, from the plan, the catalogue or the edges."""

from dataclasses import replace

import numpy as np
import pytest

from hushwatt.plan.appliance import Appliance
from hushwatt.plan.presets import preset
from hushwatt.privacy.advice.prior import Prior, prior_of

PAPER = preset("paper")


@pytest.mark.parametrize("mean, high", [(10, 15), (10, 22), (10, 40), (10, 2000), (10, 10)])
def test_law_has_its_mean(mean, high):
    """The law's mean is the given one, however far the high is."""
    prior = Prior(mean, high, "plan")

    assert prior.clipped(0) == pytest.approx(mean, rel=1e-6)
    assert prior.clipped(1e6) == pytest.approx(0, abs=1e-6)


@pytest.mark.parametrize("high", [15, 22, 40, 200])
def test_high_is_a_95th_percentile_of_users(high):
    """About one in twenty of the homes that use it lies above the high."""
    watts, weights = Prior(10, high, "plan")._law
    using = weights[1:] / weights[1:].sum()

    assert using[watts[1:] > high].sum() == pytest.approx(0.05, abs=0.01)


@pytest.mark.parametrize("high", [15, 40, 200])
def test_dithering_keeps_the_mean(high):
    """Random rounding loses nothing but what lies above the last value."""
    prior, values = Prior(10, high, "plan"), np.array([0.0, 0.3, 1.0]) * high

    assert values @ prior.dithered(values) == pytest.approx(10 - prior.clipped(high))


@pytest.mark.parametrize("lost", [0.005, 0.1])
def test_top(lost):
    """Above the top lies the asked share of the mean."""
    prior = Prior(10, 40, "plan")

    assert prior.clipped(prior.top(lost)) == pytest.approx(lost * 10, rel=1e-3)


def test_sources():
    """The plan's word comes first, then the catalogue's, then a tenth of the last edge and the last edge."""
    kettle = Appliance.of("kettle", edges=[100])
    said = Appliance.of("kettle", edges=[100], typical_mean=3, typical_high=7)
    unknown = Appliance.of("perpetual motion machine", edges=[100, 500])

    assert prior_of(PAPER, said) == Prior(3, 7, "plan", 2800)
    assert prior_of(PAPER, kettle).source == "catalogue"
    assert prior_of(PAPER, unknown) == Prior(50, 500, "edges")


def test_short_slots_see_an_appliance_running():
    """In a slot of minutes a kettle can show its rated power, in a day it cannot."""
    kettle = Appliance.of("kettle", edges=[100])
    minutes = replace(PAPER, slot=type(PAPER.slot)(5, "m"))

    assert prior_of(minutes, kettle).high > 10 * prior_of(PAPER, kettle).high


def test_a_high_hour_is_a_high_day_in_three_hours():
    """A high day's use falls into about two hours and a slot, up to the rated power."""
    hours = replace(PAPER, slot=type(PAPER.slot)(1, "h"))

    assert prior_of(hours, Appliance.of("dishwasher", edges=[100])).high == 84 * 8
    assert prior_of(hours, Appliance.of("fridge", edges=[100])).high == 110


def test_among_homes_that_measure():
    """Where "not measured" is an answer, the catalogue's mean is that of owners; the plan's own stays."""
    asked = replace(PAPER, unmeasured="answer")
    said = Appliance.of("dishwasher", edges=[100], typical_mean=3, typical_high=7)

    assert prior_of(asked, Appliance.of("dishwasher", edges=[100])).mean == pytest.approx(10.4 / 0.34)
    assert prior_of(asked, Appliance.of("dishwasher", edges=[100])).measured == 0.34
    assert prior_of(asked, Appliance.of("kettle", edges=[100])).measured == 0.6
    assert prior_of(asked, said).mean == 3
    assert prior_of(PAPER, Appliance.of("dishwasher", edges=[100])).measured == 1
