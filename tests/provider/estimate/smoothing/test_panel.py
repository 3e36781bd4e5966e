"""All appliances side by side have the errors that each has alone."""

import numpy as np
from tests.provider.simulated import plan_of, repeated_slots, spread_out

from hushwatt.provider.estimate.arrays import SlotTimeline, TallyArrays
from hushwatt.provider.estimate.debias import DebiasedGroups
from hushwatt.provider.estimate.slots import slot_statistics
from hushwatt.provider.estimate.smoothing.panel import SeriesPanel

VALUES = [np.array([0.0, 100.0, 400.0]), np.array([0.0, 2000.0])]


def panel_of(oracle, reports=None):
    plan = plan_of(VALUES, oracle=oracle, epsilon="20", method="lpu", window=2)
    held = [spread_out(4000, [6, 3, 1]), spread_out(4000, [9, 1])]
    arrays = TallyArrays.of(plan, repeated_slots(np.random.default_rng(2), plan, held, 3, reports=reports))
    timeline = SlotTimeline.of(arrays, 1)
    slots = [slot_statistics(plan, place, DebiasedGroups.of(plan, arrays, place), timeline, 4000) for place in (0, 1)]
    return SeriesPanel.of(slots, VALUES), slots


def test_columns():
    """Levels and watts of one appliance, then of the next."""
    panel, slots = panel_of("grr")

    assert panel.starts.tolist() == [0, 4]
    assert panel.watts_columns.tolist() == [3, 6]
    assert (panel.estimate[:, :3] == slots[0].share).all()
    assert (panel.estimate[:, 6] == slots[1].watts).all()


def test_noise_is_that_of_the_slots():
    """Where the estimate is what was expected, the variances are those of the slots by themselves."""
    for oracle in ("grr", "oue"):
        panel, slots = panel_of(oracle, reports=2000)
        noise = panel.noise(1, panel.estimate[1])

        assert np.allclose(noise[:3], slots[0].share_variance[1], rtol=0.02)
        assert np.allclose(noise[[3, 6]], [each.watts_variance[1] for each in slots], rtol=0.05)


def test_sums_leave_the_watts_out():
    panel, _ = panel_of("grr")

    assert panel.sum_of_levels(np.arange(7.0)).tolist() == [3, 9]
