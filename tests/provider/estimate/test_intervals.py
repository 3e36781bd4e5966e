"""95 % intervals hold the truth at least 93 times in 100, counted exactly.

For one level the number of answers has a known distribution, so no coverage here is
simulated: every possible count is tried and weighed by its probability.
"""

from itertools import product

import numpy as np
import pytest
from scipy.stats import binom, hypergeom, poisson

from hushwatt.privacy.laws import debias, law_for, noise
from hushwatt.provider.estimate.intervals import (
    Z95,
    VarianceFunction,
    mean_interval,
    normal_interval,
    score_interval,
)

MICRO = 1_000_000
ORACLES = [("oue", 2), ("sue", 2), ("grr", 2), ("grr", 10), ("grr", 40)]
BUDGETS = ["0.05", "0.5", "1", "3", "5", "7", "10", "20"]
COARSE = 3.3  # a spread of so few answers leaves no room for 95 % exactly


def errors_of(law, reports, absent, quieter=1.0):
    """The errors of a level's share; `quieter` plants a variance that is wrong."""
    quiet, loud = (float(noise(float(chance), 1, law)) * quieter for chance in (law.rise, law.hold))
    step, lowest = float(debias(1, 0, law)), float(debias(0, 1, law))
    return VarianceFunction(*map(np.array, (float(reports), quiet, loud - quiet, absent, step, lowest, lowest + step)))


def chances(law, holders, reports):
    """The distribution of the answers for a level that `holders` of the reporting homes hold."""
    those = binom.pmf(np.arange(holders + 1), holders, float(law.hold))
    others = binom.pmf(np.arange(reports - holders + 1), reports - holders, float(law.rise))
    return np.convolve(those, others)


def census(law, homes, holders):
    """All homes report, and who holds the level is fixed."""
    return chances(law, holders, homes), errors_of(law, homes, 0.0)


def sample(law, homes, holders):
    """A fifth of the homes reports, picked at random."""
    reports = homes // 5
    among = np.arange(max(0, holders - homes + reports), min(holders, reports) + 1)
    weights = hypergeom.pmf(among, homes, holders, reports)
    likely = [(here, weight) for here, weight in zip(among, weights, strict=True) if weight > 1e-9]
    return sum(w * chances(law, int(h), reports) for h, w in likely), errors_of(law, reports, 1 - reports / homes)


def dither(law, homes, holders):
    """All homes report, and each draws its level at random."""
    chance = float(law.rise) + holders / homes * float(law.hold - law.rise)
    return binom.pmf(np.arange(homes + 1), homes, chance), errors_of(law, homes, 1.0)


def coverage(law, likely, errors, share):
    """How often the interval holds `share`, and the spread of the answers."""
    counts = np.arange(len(likely))
    low, high = score_interval(debias(counts, errors.reports, law) / errors.reports, errors)
    held = (low <= share + 1e-9) & (share - 1e-9 <= high)
    return likely @ held, np.sqrt(likely @ counts**2 - (likely @ counts) ** 2)


def coverages(design, homes, holders, oracle, levels):
    for budget, held in product(BUDGETS, holders):
        law = law_for(oracle, int(float(budget) * MICRO), 1, levels)
        likely, errors = design(law, homes, held)
        yield coverage(law, likely, errors, held / homes)


@pytest.mark.parametrize("design", [census, sample, dither])
@pytest.mark.parametrize("oracle, levels", ORACLES)
def test_levels_are_covered(design, oracle, levels):
    """From a level nobody holds to one that everybody holds, at all budgets: 93 % or more."""
    holders = [0, 1, 2, 3, 4, 5, 7, 10, 20, 60, 150, 290, 299, 300]
    found = list(coverages(design, 300, holders, oracle, levels))

    assert min(covered for covered, _ in found) > 0.93


@pytest.mark.parametrize("oracle, levels", ORACLES)
def test_levels_are_not_covered_too_well(oracle, levels):
    """When all homes report and the answers are not a mere handful, at most 97 %."""
    found = list(coverages(census, 300, [0, 1, 3, 10, 60, 150, 300], oracle, levels))
    fine = [covered for covered, spread in found if spread > COARSE]

    assert len(fine) > 5
    assert max(fine) < 0.97


@pytest.mark.parametrize("homes", [1, 2, 5, 12, 40])
@pytest.mark.parametrize("oracle, levels", ORACLES)
def test_a_handful_of_homes_is_covered(homes, oracle, levels):
    """Even where a bell curve is far off."""
    found = list(coverages(census, homes, range(homes + 1), oracle, levels))

    assert min(covered for covered, _ in found) > 0.93


def test_a_wrong_variance_is_noticed():
    """Noise taken to be a fifth smaller loses the 93 %; the sampling left out does, too."""
    law = law_for("oue", MICRO // 2, 1, 2)
    likely, errors = census(law, 300, 60)
    sampled, right = sample(law_for("grr", 5 * MICRO, 1, 10), 300, 150)
    fixed = errors_of(law_for("grr", 5 * MICRO, 1, 10), 60, 0.0)

    assert coverage(law, likely, errors, 0.2)[0] > 0.93
    assert coverage(law, likely, errors_of(law, 300, 0.0, quieter=0.8), 0.2)[0] < 0.93
    assert coverage(law_for("grr", 5 * MICRO, 1, 10), sampled, right, 0.5)[0] > 0.93
    assert coverage(law_for("grr", 5 * MICRO, 1, 10), sampled, fixed, 0.5)[0] < 0.7


def test_wilson_is_the_special_case():
    """When homes are a sample of many, the interval is Wilson's on π = q + f(p−q), mapped back."""
    law, counts = law_for("grr", 2 * MICRO, 1, 5), np.arange(300, 900)
    errors = errors_of(law, 1000, 1.0)
    low, high = score_interval(debias(counts, 1000, law) / 1000, errors)
    part, doubt = counts / 1000, Z95**2 / 1000
    middle = (part + doubt / 2) / (1 + doubt)
    reach = np.sqrt(doubt * part * (1 - part) + doubt**2 / 4) / (1 + doubt)

    assert np.allclose(low, debias(1000 * (middle - reach), 1000, law) / 1000)
    assert np.allclose(high, debias(1000 * (middle + reach), 1000, law) / 1000)


@pytest.mark.parametrize("oracle, levels", ORACLES)
@pytest.mark.parametrize("absent", [0.0, 0.4, 1.0])
def test_the_estimate_lies_inside(oracle, levels, absent):
    """For every possible count the estimate is in its interval, and more answers never lower a limit."""
    law = law_for(oracle, MICRO, 1, levels)
    share = debias(np.arange(201), 200, law) / 200
    low, high = score_interval(share, errors_of(law, 200, absent))

    assert ((low <= share) & (share <= high)).all()
    assert (np.diff(low) >= 0).all()
    assert (np.diff(high) >= 0).all()


@pytest.mark.parametrize("expected", [0.02, 0.1, 0.5, 1, 2, 3, 5, 10, 40, 200])
def test_rare_events_are_covered(expected):
    """A mean of rare events that are counted, each of one watt: 93 % or more."""
    counts = np.arange(int(expected + 20 * np.sqrt(expected) + 20))
    limits = np.array([mean_interval(float(count), float(count), slope=1.0, jump=1.0) for count in counts])
    held = (limits[:, 0] <= expected) & (expected <= limits[:, 1])

    assert poisson.pmf(counts, expected) @ held > 0.93


@pytest.mark.parametrize("expected", [0.1, 1, 3, 10])
def test_rare_losses_are_covered(expected):
    """The same when every event takes a watt away."""
    counts = np.arange(60)
    limits = np.array([mean_interval(-float(count), float(count), slope=-1.0, jump=1.0) for count in counts])
    held = (limits[:, 0] <= -expected) & (-expected <= limits[:, 1])

    assert poisson.pmf(counts, expected) @ held > 0.93


def test_half_an_answer_on_either_side():
    """Where one answer is all there is, the interval reaches half of it both ways."""

    assert mean_interval(7.0, 0.0, slope=0.0, jump=2.0) == (6.0, 8.0)


def test_a_mean_of_many_is_a_bell_curve():
    """With no coarseness the interval of a mean is plain z standard errors."""
    low, high = normal_interval(50.0, 16.0)

    assert np.allclose(mean_interval(50.0, 16.0, slope=0.0, jump=0.0), (low, high))
    assert np.isclose(high - 50, 4 * 1.95996, atol=1e-3)
