"""Which rows of all homes together are answered, and what they weigh."""

import numpy as np
from tests.provider.simulated import plan_of, repeated_slots

from hushwatt.provider.estimate.arrays import SlotTimeline, TallyArrays
from hushwatt.provider.estimate.row_weights import WholeRows


def test_slots_with_the_minimum_count_alike():
    """And others neither by themselves nor in a period."""
    plan = plan_of([[0.0, 1.0]], minimum_homes=5)
    tallies = repeated_slots(np.random.default_rng(1), plan, [np.array([4, 4])], times=3)
    timeline = SlotTimeline.of(TallyArrays.of(plan, tallies), plan.minimum_homes, first=1)
    speakers = np.array([8.0, 5.0, 4.0])

    assert WholeRows(plan).known(timeline, speakers).tolist() == [True, True, False]
    assert WholeRows(plan).weights(timeline, speakers).tolist() == [0.0, 1.0, 0.0]
