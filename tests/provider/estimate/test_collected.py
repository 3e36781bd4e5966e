"""What was collected in some slots, and in some of these."""

import numpy as np
from tests.provider.estimate.times.test_fold import HOMES, NAME, VALUES, living_homes, spoken_by_turns
from tests.provider.simulated import plan_of

from hushwatt.provider.estimate.collected import CollectedSlots
from hushwatt.provider.estimate.times.time_filter import TimeFilter


def collected(**asked):
    plan, rng = plan_of([VALUES], oracle="grr", epsilon="6", window=24, method="lpu"), np.random.default_rng(1)
    return CollectedSlots.of(plan, spoken_by_turns(rng, plan, living_homes(rng)), **asked)


def test_the_slots_that_are_asked_for():
    """Dates and times both, and nothing is drawn elsewhere."""
    two_days = collected(first=24, last=71)
    evenings = collected(first=24, last=71, times=TimeFilter.parse("17-21", None))

    assert (two_days.slots, evenings.slots, evenings.homes) == (48, 8, HOMES)
    assert two_days.drawn_slots(NAME).tolist() == list(range(24, 72))
    assert evenings.drawn_slots(NAME).tolist() == [41, 42, 43, 44, 65, 66, 67, 68]
    assert list(evenings.known) == [NAME]


def test_some_of_the_rows_are_what_would_have_been_collected():
    """Taking rows out later is the same as never asking for them."""
    whole = collected()
    rows = TimeFilter.parse("17-21", None).rows(whole.plan, whole.timeline)
    some, asked = whole.only(rows).series[NAME], collected(times=TimeFilter.parse("17-21", None)).series[NAME]

    assert np.array_equal(some.period.share, asked.period.share)
    assert some.limits == asked.limits
