"""A rehearsal says what very many homes would show, beside what they really used."""

from types import SimpleNamespace

import numpy as np
import pytest

from hushwatt.errors import ReadingsError, UsageError
from hushwatt.fleet.rehearse import RehearsalResult, TrueWatts, quantised, rehearse


@pytest.fixture
def watts():
    return np.random.default_rng(5).uniform(0, 300, (7, 40, 3)) * [1.0, 0.6, 0.3]


@pytest.mark.parametrize("method", ["lbu", "lsp", "lpu"])
@pytest.mark.parametrize("mapping, asked", [("range", 3), ("dither", 1)])
def test_truth_is_what_the_estimates_aim_at(tmp_path, plan_for, readings_at, watts, method, mapping, asked):
    """Ten million homes tell the truth to within five standard errors, and these are small."""
    plan = plan_for(method, mapping=mapping, epsilon=9, oracle="grr", appliances_per_report=asked)

    found = rehearse(plan, readings_at(tmp_path / "r.parquet", watts, plan.names), 10_000_000, seed=1)

    assert found.like == 40
    assert found.estimates.homes == 10_000_000
    assert [found.truth[name].rank for name in plan.names] == [1, 2, 3]
    assert sum(true.share for true in found.truth.values()) == pytest.approx(1)
    for name, true in found.truth.items():
        period = found.estimates.by_period[name]
        assert abs(period.watts - true.counted) < 5 * period.watts_se
        assert period.watts_se < 0.5


def test_truth_of_repeats_is_that_of_the_draw(tmp_path, plan_for, readings_at):
    """Under lsp a slot in between is compared with what homes held when they drew."""
    plan = plan_for("lsp", mapping="dither")
    watts = np.arange(5)[:, None, None] * np.full((5, 4, 3), 10.0)

    found = rehearse(plan, readings_at(tmp_path / "r.parquet", watts, plan.names), 1000, seed=1)

    assert found.by_slot.watts[:, 0].tolist() == [0, 0, 0, 30, 30]


def test_truth_is_of_as_many_homes_as_each_stands_for(tmp_path, plan_for, readings_at):
    """When homes do not divide, a home of the table that stands for two counts twice in the truth."""
    plan = plan_for("lbu", mapping="dither")
    watts = np.array([[[10.0, 0, 0], [40.0, 0, 0]]])

    found = rehearse(plan, readings_at(tmp_path / "r.parquet", watts, plan.names), 3, seed=1)

    assert found.by_slot.watts[:, 0].tolist() == pytest.approx([30.0])


def test_truth_is_of_the_slots_that_count(plan_for):
    """An appliance is compared over the slots that its estimate is made of; one without any has no truth."""
    counts = {"a0": [True, False], "a1": [True, True], "a2": [False, False]}
    period = SimpleNamespace(low=9.0, high=11.0)
    estimates = SimpleNamespace(
        plan=plan_for(),
        by_slot={name: SimpleNamespace(counted=np.array(each)) for name, each in counts.items()},
        by_period={"a0": period, "a1": period, "a2": None},
    )
    watts = np.array([[10.0, 20.0, 1.0], [90.0, 40.0, 2.0]])
    found = RehearsalResult(estimates, 5, TrueWatts(watts, watts / 2, np.ones((2, 3))))  # type: ignore[arg-type]

    assert {name: (true.watts, true.rank) for name, true in found.truth.items()} == {
        "a0": (10.0, 2),
        "a1": (30.0, 1),
    }
    assert found.truth["a1"].share == 0.75
    assert found.within == 1


def test_truth_is_of_real_watts(tmp_path, plan_for, readings_at):
    """Nothing is cut off in the truth, whatever the levels; what they alone would count stands beside it."""
    plan = plan_for("lbu", mapping="dither")
    watts = np.full((2, 4, 3), 1000.0)

    found = rehearse(plan, readings_at(tmp_path / "r.parquet", watts, plan.names), 1000, seed=1)

    assert {(true.watts, true.counted) for true in found.truth.values()} == {(1000.0, 200.0)}
    assert found.within == 0


def test_truth_is_among_homes_that_measure(plan_for):
    """Homes that do not measure an appliance add nothing to its mean, slot by slot as many as there are."""
    plan = plan_for("lbu", mapping="dither")
    slots = [
        TrueWatts.of(plan, np.array([[10.0, 500.0, 0.0], [np.nan, np.nan, 0.0]]), np.array([0.25, 0.75])),
        TrueWatts.of(plan, np.array([[30.0, np.nan, 0.0], [50.0, np.nan, 0.0]]), np.array([0.25, 0.75])),
    ]
    found = TrueWatts.stack(slots)

    assert found.over(np.array([True, True]), 0) == ((2.5 + 7.5 + 37.5) / 1.25, (2.5 + 7.5 + 37.5) / 1.25, 0.625)
    assert found.over(np.array([True, True]), 1) == (500.0, 200.0, 0.125)
    assert found.over(np.array([False, True]), 1) == (0.0, 0.0, 0.0)


def test_watts_as_the_plan_counts_them(plan_for):
    """A range counts as its value; dithered watts are cut off at the last value."""
    watts = np.array([[50.0, 150.0, 999.0]])

    assert quantised(plan_for(mapping="range"), watts).tolist() == [[50, 150, 250]]
    assert quantised(plan_for(mapping="dither"), watts).tolist() == [[50, 150, 200]]


def test_a_seed_repeats_and_other_homes_differ(tmp_path, plan_for, readings_at, watts):
    """The same seed gives the same estimates; more homes are another rehearsal."""
    plan = plan_for("lpu")
    readings = readings_at(tmp_path / "r.parquet", watts, plan.names)

    one, again, more = (
        rehearse(plan, readings, homes, seed=3).estimates.by_period["a0"].watts for homes in (900, 900, 901)
    )

    assert one == again
    assert one != more


def test_what_cannot_be_rehearsed(tmp_path, plan_for, readings_at, watts):
    """Methods that decide, too few homes and readings of another time are refused in one line."""
    readings = readings_at(tmp_path / "r.parquet", watts, plan_for().names)

    with pytest.raises(UsageError, match="lba decides"):
        rehearse(plan_for("lba"), readings, 100)
    with pytest.raises(UsageError, match="at least the 40"):
        rehearse(plan_for("lbu"), readings, 39)
    early = readings_at(tmp_path / "early.parquet", watts, plan_for().names, first=-40)
    with pytest.raises(ReadingsError, match="no reading falls into the plan's time"):
        rehearse(plan_for("lbu"), early, 100)
