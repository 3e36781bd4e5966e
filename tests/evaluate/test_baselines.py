"""Every baseline draws from the law it states, and a slightly wrong law is rejected."""

import numpy as np
import pytest
from scipy import stats

from hushwatt.evaluate.baselines import (
    BASELINES,
    MAX_WATTS,
    exponential,
    gamma,
    gaussian,
    geometric,
    laplace,
    rappor,
)
from hushwatt.evaluate.baselines import randomised_totals as totals

DRAWS = 200_000
DOUBT = 1e-6  # both verdicts use it; the seed makes them repeatable


def verdicts(drawn, right, wrong):
    """Whether the declared law is accepted and the other rejected."""
    return stats.kstest(drawn, right).pvalue > DOUBT, stats.kstest(drawn, wrong).pvalue < DOUBT


def test_laplace_law():
    """Accepts Laplace noise of scale Δ/ε and rejects one of a scale 3 % larger."""
    drawn = laplace.noise((DRAWS,), 2.0, np.random.default_rng(1))
    right, wrong = (stats.laplace(scale=scale * MAX_WATTS / 2).cdf for scale in (1, 1.03))

    assert verdicts(drawn, right, wrong) == (True, True)


def test_gaussian_law():
    """Accepts normal noise with the smallest deviation for (ε, δ) and rejects one 3 % larger."""
    drawn = gaussian.noise((DRAWS,), 1.0, np.random.default_rng(2))
    sigma = MAX_WATTS * gaussian.deviation(1.0)

    assert verdicts(drawn, stats.norm(scale=sigma).cdf, stats.norm(scale=1.03 * sigma).cdf) == (True, True)


@pytest.mark.parametrize("epsilon", [0.2, 1.0, 5.0])
def test_gaussian_delta(epsilon):
    """The deviation leaks exactly δ, worked out by summing the density where the loss exceeds ε."""
    sigma = gaussian.deviation(epsilon)
    points = np.linspace(-12 * sigma, 12 * sigma + 1, 2_000_001)
    here, there = stats.norm.pdf(points, 0, sigma), stats.norm.pdf(points, 1, sigma)
    leak = np.sum(np.maximum(there - np.exp(epsilon) * here, 0)) * (points[1] - points[0])

    assert leak == pytest.approx(gaussian.DELTA, rel=0.01)


def test_gamma_shares_add_up_to_laplace():
    """The shares of 50 homes add up to one Laplace noise; accepts it and rejects a scale 10 % larger."""
    drawn = gamma.noise((40_000, 50), 50, 1.0, np.random.default_rng(3)).sum(axis=1)
    right, wrong = (stats.laplace(scale=scale * MAX_WATTS).cdf for scale in (1, 1.1))

    assert verdicts(drawn, right, wrong) == (True, True)


def test_gamma_share_protects_nobody():
    """Of a thousand homes' answers most are within a watt of the reading: a share alone hides nothing."""
    drawn = gamma.noise((DRAWS,), 1000, 1.0, np.random.default_rng(4))

    assert not BASELINES["gamma"].local
    assert np.mean(np.abs(drawn) < 1) > 0.95


def test_geometric_law():
    """The chances of whole numbers fall by e^(−ε/Δ) a step: accepts that and rejects one 3 % steeper."""
    drawn = geometric.noise((DRAWS,), 3000.0, np.random.default_rng(5))
    steps = np.arange(-4, 5)
    seen = np.array([np.sum(drawn == step) for step in steps])

    def fits(decay):
        chances = (1 - decay) / (1 + decay) * decay ** np.abs(steps)
        return stats.chisquare(seen, chances / chances.sum() * seen.sum()).pvalue

    assert fits(np.exp(-1.0)) > DOUBT
    assert fits(np.exp(-1.03)) < DOUBT


def test_exponential_law():
    """Answers have chances ∝ e^(−ε·distance/2Δ): accepts that and rejects the same without the 2."""
    drawn = exponential.answers(np.full(DRAWS, 600.0), 2.0, np.random.default_rng(6))
    seen = np.array([np.sum(drawn == answer) for answer in exponential.ANSWERS])

    def fits(half):
        chances = np.exp(-2.0 * np.abs(exponential.ANSWERS - 600.0) / (half * MAX_WATTS))
        return stats.chisquare(seen, chances / chances.sum() * DRAWS).pvalue

    assert fits(2) > DOUBT
    assert fits(1) < DOUBT


def test_randomised_totals_law():
    """A 1 has chance q + (p − q)·watts/Δ: accepts that and rejects 2 % off."""
    ones = int(totals.answers(np.full(DRAWS, 900.0), 1.0, np.random.default_rng(7)).sum())
    rise = 1 / (1 + np.e)
    chance = rise + (1 - 2 * rise) * 0.3

    assert stats.binomtest(ones, DRAWS, chance).pvalue > DOUBT
    assert stats.binomtest(ones, DRAWS, 1.02 * chance).pvalue < DOUBT


def test_rappor_remembers():
    """The same level is answered from the same kept bits for ever; the answers themselves differ."""
    kept = rappor.memory((1, 1), 1.0, np.random.default_rng(8))[0, 0, 3]
    answers = rappor.instant(np.tile(kept, (20_000, 1)), np.random.default_rng(9)).mean(axis=0)

    assert answers == pytest.approx(np.where(kept, rappor.ALREADY, rappor.AGAIN), abs=0.02)


def test_rappor_kept_bits_cost_epsilon():
    """Two kept bits flipped with chance 1/(1 + e^(ε/2)) tell two levels apart by e^ε and not more."""
    bits = rappor.memory((100_000, 1), 2.0, np.random.default_rng(10))[:, 0, 0]
    right = bits[:, 0].mean()

    assert (right / (1 - right)) ** 2 == pytest.approx(np.exp(2.0), rel=0.03)


@pytest.mark.parametrize("name", sorted(set(BASELINES) - {"exponential", "rappor"}))
def test_means_are_unbiased(name):
    """With a large ε the mean comes out: no baseline but the exponential one is off on average."""
    watts = np.random.default_rng(11).uniform(0, MAX_WATTS, (4, 2000, 3))
    found = BASELINES[name].collect(watts, 50.0, np.random.default_rng(12))

    assert found == pytest.approx(watts.mean(axis=(0, 1)), abs=80)  # one bit has a deviation of 1500 W


def test_rappor_mean_is_that_of_its_ranges():
    """RAPPOR's mean is that of the ranges' middles."""
    watts = np.random.default_rng(13).uniform(0, MAX_WATTS, (4, 4000, 3))
    middles = (np.floor(watts / 300) + 0.5) * 300
    found = BASELINES["rappor"].collect(watts, 20.0, np.random.default_rng(14))

    assert found == pytest.approx(middles.mean(axis=(0, 1)), abs=60)


@pytest.mark.parametrize("name", BASELINES)
def test_every_baseline_states_its_guarantee(name):
    """Each says for which ε it holds, and only Gamma shares protect nobody by themselves."""
    baseline = BASELINES[name]

    assert "ε = 0.222" in baseline.guarantee(10 / 45)
    assert baseline.local == (name != "gamma")
