"""Errors that are expected beforehand: the published closed forms, and what simulations show."""

from dataclasses import replace

import numpy as np
import pytest

from hushwatt.plan.appliance import Appliance
from hushwatt.plan.presets import preset
from hushwatt.privacy.advice.judge import judged
from hushwatt.privacy.advice.level_choice import with_tops
from hushwatt.privacy.advice.prior import prior_of
from hushwatt.privacy.laws import law_for

PAPER = preset("paper")


@pytest.mark.parametrize(
    "window, method, oracle, asked, known",
    [
        (3, "lbu", "oue", 15, 80.8),
        (3, "lpu", "oue", 15, 26.5),
        (3, "lpu", "grr", 2, 2.2),
        (7, "lpu", "grr", 2, 5.3),
        (30, "lbu", "oue", 15, 8100),
    ],
)
def test_known_variances(window, method, oracle, asked, known):
    """The closed form gives the published K·Var of one level's share in one slot."""
    plan = replace(PAPER, method=method, decision=None, oracle=oracle, appliances_per_report=asked, window=window)
    priors = tuple(prior_of(plan, appliance) for appliance in plan.appliances)

    assert judged(plan, priors, 1_000_000, 30).cell_variance * 1_000_000 == pytest.approx(known, rel=0.03)


@pytest.mark.parametrize("measured, cost", [(0.4, 3.2), (0.6, 2.1), (0.7, 1.8)])
def test_cost_of_unmeasured(measured, cost):
    """One more answer at ε = 1: so many times the variance of homes that are known to measure, three levels."""
    plan = replace(PAPER, unmeasured="answer", method="lpu", decision=None, oracle="grr", epsilon=15_000_000)
    priors = tuple(replace(prior_of(plan, each), measured=measured) for each in plan.appliances)
    found = judged(with_tops(plan, priors, 10_000, 30), priors, 10_000, 30)

    assert found.cost_of_unmeasured == pytest.approx(cost, rel=0.1)


def test_unmeasured_variance_is_the_simulated_one():
    """Direct answers of homes of whom six in ten measure: the ratio's spread is the predicted one."""
    plan = replace(PAPER, unmeasured="answer", method="lpu", decision=None, oracle="grr", mapping="dither")
    appliance = Appliance.of("a", values=[0, 40, 100], mapping="dither", typical_mean=30, typical_high=90)
    plan = replace(plan, appliances=(appliance,), appliances_per_report=1, epsilon=1_000_000)
    prior = replace(prior_of(plan, appliance), measured=0.6)
    values, shares = np.array([0.0, 40.0, 100.0]), prior.dithered(np.array([0.0, 40.0, 100.0]))
    law, random = law_for("grr", 1_000_000, 1, 4), np.random.default_rng(4)
    reports = 400_000
    chances = float(law.rise) + float(law.hold - law.rise) * np.append(0.6 * shares, 0.4)
    held = (random.multinomial(reports, chances, 2000) / reports - float(law.rise)) / float(law.hold - law.rise)
    means = held[:, :3] @ values / held[:, :3].sum(axis=1)

    assert judged(plan, (prior,), reports, 3).variances[0] == pytest.approx(np.var(means), rel=0.1)
