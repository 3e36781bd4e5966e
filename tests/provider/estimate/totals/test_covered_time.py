"""Hours and local days behind a total, by the clocks of the plan."""

import numpy as np
import pytest
from tests.provider.estimate.times.test_fold import rows_of
from tests.provider.simulated import plan_of

from hushwatt.provider.estimate.times.time_filter import TimeFilter
from hushwatt.provider.estimate.totals.covered_time import CoveredTime, hours_a_day

VALUES = [0.0, 1000.0]


@pytest.mark.parametrize("start, hours", [("2024-03-31", 23), ("2024-10-27", 25), ("2024-06-01", 24)])
@pytest.mark.parametrize("slot", ["1d", "1h"])
def test_a_local_day(start, hours, slot):
    """A day on which clocks change is one day of 23 or 25 hours, in one slot or in many."""
    plan = plan_of([VALUES], slot=slot, start=start, timezone="Europe/Berlin")
    covered = CoveredTime.of(plan, rows_of(plan, 1 if slot == "1d" else hours))

    assert covered.hours.sum() == hours
    assert np.isclose(covered.days.sum(), 1)


def test_slots_over_midnight():
    """A slot that lies in two days, one of them short, is a part of each."""
    plan = plan_of([VALUES], slot="6h", start="2024-03-30T21:00", timezone="Europe/Berlin")
    covered = CoveredTime.of(plan, rows_of(plan, 1))

    assert np.isclose(covered.days[0], 3 / 24 + 3 / 23)


def test_a_last_period_that_is_shorter():
    """Slots published together last as long as they do; the plan's last ones are fewer."""
    plan = plan_of([VALUES], slot="1d", start="2024-01-01", expires="2024-01-11", publish=7)

    assert CoveredTime.of(plan, rows_of(plan, 10)).hours.tolist() == [7 * 24, 3 * 24]


def test_days_of_some_hours():
    """Where only an evening is asked for, a day is an evening."""
    plan = plan_of([VALUES], start="2024-01-01")
    evening = TimeFilter.parse("17-21", None)
    timeline = rows_of(plan, 48)
    timeline = timeline.only(evening.rows(plan, timeline))

    assert CoveredTime.of(plan, timeline).in_days_of(hours_a_day(plan, evening)).days[timeline.requested].sum() == 2


@pytest.mark.parametrize(
    "slot, hours, hour, found",
    [
        ("1h", None, None, None),
        ("1h", "17-21,22:30-6", None, 11.5),
        ("1h", None, 18, 1),
        ("15m", "17:30-21", 17, 0.5),
        ("6h", None, 18, 6),
        ("1h", "22-6", 23, 1),
    ],
)
def test_hours_of_a_day(slot, hours, hour, found):
    """Those of the filter, or of one hour as long as its slot is."""
    times = None if hours is None else TimeFilter.parse(hours, None)

    assert hours_a_day(plan_of([VALUES], slot=slot), times, hour) == found
