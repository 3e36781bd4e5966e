"""What readings say of appliances, for advice."""

from dataclasses import replace
from datetime import timedelta

import numpy as np
import pytest

from hushwatt.errors import ReadingsError
from hushwatt.fleet.typical import _Usage, typical_usage


def test_mean_and_high_of_slots_in_use(tmp_path, plan_for, readings_at):
    """The mean over everything, and the 95th percentile of what is not standby, within a grid's step."""
    plan = plan_for("lbu", mapping="dither")
    random = np.random.default_rng(1)
    watts = random.weibull(1.0, (20, 50, 3)) * 100 * (random.random((20, 50, 3)) < 0.3)

    found = typical_usage(plan, readings_at(tmp_path / "r.parquet", watts, plan.names))

    for place, name in enumerate(plan.names):
        used = watts[:, :, place][watts[:, :, place] > 1]
        assert found[name].mean == pytest.approx(watts[:, :, place].mean())
        assert found[name].high == pytest.approx(np.percentile(used, 95, method="inverted_cdf"), rel=0.01)
        assert found[name].measured == 1


def test_readings_of_any_time_count(tmp_path, plan_for, readings_at):
    """Readings from before the plan are what one learns from."""
    plan = plan_for("lbu", mapping="dither")
    readings = readings_at(tmp_path / "r.parquet", np.full((3, 4, 3), 7.0), plan.names)
    later = replace(plan, start=plan.start + timedelta(days=2000), expires=plan.expires + timedelta(days=2000))

    assert typical_usage(later, readings) == typical_usage(plan, readings)


def test_what_is_not_measured_or_used():
    """NaN is no part of a mean; an appliance without any use says nothing."""
    usage = _Usage()
    usage.add(np.array([np.nan, 10.0, 30.0, np.nan]))

    assert (usage.typical.mean, usage.typical.measured) == (20.0, 0.5)
    assert usage.typical.high == pytest.approx(30, rel=0.01)
    unused = _Usage()
    unused.add(np.zeros(3))
    assert unused.typical is None


def test_standby_does_not_hide_a_rare_use():
    """A washing machine that draws 3 W all day and 700 W in one hour of fifty: its high is an hour of washing."""
    usage = _Usage()
    usage.add(np.array([3.0] * 49 + [700.0]))

    assert usage.typical.high == pytest.approx(700, rel=0.01)


def test_no_readings_are_refused(tmp_path, plan_for):
    """A table without rows is no knowledge."""
    empty = tmp_path / "r.csv"
    empty.write_text("household,time,appliance,watts\n")

    with pytest.raises(ReadingsError):
        typical_usage(plan_for(), empty)
