"""A collection in memory is the collection through files."""

import numpy as np
import pytest

from hushwatt.fleet.randomise import randomise_file
from hushwatt.fleet.simulate import simulate
from hushwatt.privacy.entropy import FreshKeys, Simulation
from hushwatt.provider.estimate.estimate import estimate
from hushwatt.provider.tally.engines import tally_reports

METHODS = [
    ("lbu", {}),
    ("lsp", {}),
    ("lbd", {}),
    ("lba", {}),
    ("lpu", {}),
    ("lba", {"decision": "provider"}),
    ("lpd", {}),
    ("lpa", {}),
]


@pytest.mark.parametrize("method, more", METHODS)
def test_same_groups_as_through_files(tmp_path, plan_for, readings_at, method, more):
    """The same slots are known, drawn when they were drawn, and held by the same number of homes."""
    plan = plan_for(method, **more)
    watts = np.zeros((7, 42, 3))  # homes that turns divide evenly: who takes a turn left over is chance
    readings = readings_at(tmp_path / "r.parquet", watts, plan.names)
    randomise_file(plan, readings, tmp_path / "out.parquet")

    filed = estimate(plan, tally_reports(plan, tmp_path / "out.parquet"))
    direct = estimate(plan, simulate(plan, watts, 42, FreshKeys()))

    assert [slot.slot for slot in filed.slots] == [slot.slot for slot in direct.slots] == list(range(7))
    if method in ("lbu", "lsp", "lpu"):
        assert [(s.as_of, s.reports) for s in filed.slots] == [(s.as_of, s.reports) for s in direct.slots]


@pytest.mark.parametrize("method, more", METHODS)
@pytest.mark.parametrize("mapping", ["range", "dither"])
def test_estimates_are_unbiased(plan_for, method, more, mapping):
    """Over 40 runs the mean of the period lies within four standard errors of what the homes held."""
    plan = plan_for(method, mapping=mapping, epsilon=12, **more)
    watts = np.tile([[50.0, 150.0, 190.0]], (5, 200, 1)) * (np.arange(200) % 2)[:, None]
    truth = watts[0].mean(axis=0) if mapping == "dither" else [50, (50 + 150) / 2, (50 + 150) / 2]
    found = [estimate(plan, simulate(plan, watts, 200, Simulation(run, method))) for run in range(40)]

    for place, name in enumerate(plan.names):
        means = np.array([one.by_period[name].watts for one in found])
        errors = np.array([one.by_period[name].watts_se for one in found])
        away = (means.mean() - truth[place]) / (errors.mean() / np.sqrt(40))
        assert abs(away) < 4.5
        assert 0.6 < means.std(ddof=1) / errors.mean() < 1.45
