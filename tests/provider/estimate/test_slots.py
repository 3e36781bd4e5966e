"""What one slot says of an appliance: how homes differ is judged without the noise."""

import numpy as np
import pytest
from tests.provider.simulated import plan_of, repeated_slots, spread_out

from hushwatt.provider.estimate.arrays import SlotTimeline, TallyArrays
from hushwatt.provider.estimate.debias import DebiasedGroups
from hushwatt.provider.estimate.slots import slot_statistics

VALUES = np.array([0.0, 100.0, 600.0])


def slots_of(plan, tallies):
    arrays = TallyArrays.of(plan, tallies)
    timeline = SlotTimeline.of(arrays, minimum=1)
    return slot_statistics(plan, 0, DebiasedGroups.of(plan, arrays, 0), timeline, tallies.homes)


@pytest.mark.parametrize("oracle", ["oue", "grr"])
def test_how_homes_differ(oracle):
    """With few reports and some noise, f(1−f) and the variance of the watts come out right on average."""
    plan, held = plan_of([VALUES], oracle=oracle, epsilon="5"), spread_out(600, [40, 35, 25])
    found = slots_of(plan, repeated_slots(np.random.default_rng(1), plan, [held], 4000, reports=12))
    part = held / 600
    watts = part @ VALUES**2 - (part @ VALUES) ** 2

    assert np.allclose(found.share_spread.mean(axis=0), part * (1 - part), rtol=0.04)
    assert np.isclose(found.watts_spread.mean(), watts, rtol=0.04)


def test_absent_homes():
    """The part of the homes that did not speak; with `dither` always all of it."""
    for mapping, absent in (("range", 0.9), ("dither", 1.0)):
        plan = plan_of([VALUES], mapping=mapping)
        tallies = repeated_slots(np.random.default_rng(1), plan, [spread_out(100, [1, 1, 1])], 2, reports=10)

        assert np.allclose(slots_of(plan, tallies).correction, absent)


def test_one_lonely_report():
    """A single report of many homes has an answer with a finite error."""
    plan = plan_of([VALUES], oracle="grr", epsilon="3")
    found = slots_of(plan, repeated_slots(np.random.default_rng(1), plan, [spread_out(100, [1, 1, 1])], 5, reports=1))

    assert np.isfinite(found.share_variance).all()
    assert (found.watts_variance > 0).all()


def test_homes_that_have_all_left():
    """Reports of homes that had left when the slot was published still have an answer with a finite error."""
    plan = plan_of([VALUES], oracle="grr", epsilon="3")
    tallies = repeated_slots(np.random.default_rng(1), plan, [spread_out(100, [1, 1, 1])], 2, reports=10)
    tallies.homes = 0

    assert np.isfinite(slots_of(plan, tallies).watts_variance).all()
