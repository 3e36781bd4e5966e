"""Ranks say no more than the means can bear, and not much less."""

import numpy as np
import pytest
from scipy.stats import studentized_range

from hushwatt.provider.estimate.intervals import Z95
from hushwatt.provider.estimate.ranking.covariance import CovarianceBounds
from hushwatt.provider.estimate.ranking.ranks import ranks, sidak_quantile, tukey_quantile

WATTS = np.array([90.0, 60.0, 58.0, 30.0, 8.0, 4.0])
MANY = np.array([90.0, 80.0, 60.0, 58.0, 40.0, 38.0, 30.0, 20.0, 15.0, 10.0, 8.0, 4.0, 3.0, 2.0, 1.0])
TIMES = 2000


def ranks_of(watts, sd):
    """The ranks of means with bell-shaped, independent errors."""
    return ranks(watts, watts - Z95 * sd, watts + Z95 * sd)


def scattered(sd, seed=3, watts=WATTS, times=TIMES):
    return watts + np.random.default_rng(seed).normal(size=(times, len(watts))) * sd


@pytest.mark.parametrize("count", [2, 3, 10, 15, 40, 200])
def test_tukey_against_the_tables(count):
    """The allowance is the studentised range's 95 % point for known errors, over √2."""

    assert np.isclose(tukey_quantile(count), studentized_range.ppf(0.95, count, np.inf) / np.sqrt(2), atol=1e-4)


@pytest.mark.parametrize("sd", [0.5, 8.0, np.array([20.0, 1.0, 5.0, 0.1, 10.0, 2.0])])
def test_all_ranks_hold_together(sd):
    """In at least 95 % of all cases no appliance's true rank lies outside its interval."""
    found = [ranks_of(watts, sd) for watts in scattered(sd)]
    truth = np.arange(1, 7)

    assert np.mean([((each.best <= truth) & (truth <= each.worst)).all() for each in found]) > 0.945


def test_ties_hold_together():
    """When all appliances are equal, all ranks stay open in 95 % of all cases, and not in many more."""
    rng = np.random.default_rng(8)
    found = [ranks_of(watts, 1.0) for watts in rng.normal(size=(TIMES, 6))]
    together = np.mean([(each.best == 1).all() and (each.worst == 6).all() for each in found])

    assert 0.94 < together < 0.96


def test_ranks_by_watts():
    """The most watts are rank 1; equal ones keep the plan's order; clear gaps leave one rank."""
    found = ranks_of(np.array([10.0, 500.0, 10.0, 200.0]), 1.0)

    assert found.rank.tolist() == [3, 1, 4, 2]
    assert found.best.tolist() == [3, 1, 3, 2]
    assert found.worst.tolist() == [4, 1, 4, 2]


def test_one_appliance_and_none():
    """A single appliance is first for sure, and no appliances have no ranks."""
    alone, nobody = ranks_of(np.array([3.0]), 3.0), ranks_of(np.array([]), 1.0)

    assert (alone.rank.tolist(), alone.best.tolist(), alone.worst.tolist()) == ([1], [1], [1])
    assert nobody.rank.tolist() == []


def test_exact_means_are_ranked_exactly():
    """Without any error the smallest difference decides."""
    found = ranks_of(np.array([1.0, 1.0 + 1e-9]), 0.0)

    assert found.best.tolist() == found.worst.tolist() == [2, 1]


def test_each_rank_holds_by_itself():
    """When all appliances are equal, one appliance's own places stay all open in 95 % of all cases."""
    found = [ranks_of(watts, 1.0) for watts in np.random.default_rng(8).normal(size=(TIMES, 6))]
    open_places = np.mean([(each.best_alone == 1) & (each.worst_alone == 6) for each in found], axis=0)

    assert open_places.min() > 0.94
    assert open_places.max() < 0.98


def test_narrower_than_comparing_all_pairs_in_one_step():
    """Step by step all ranks hold together and are narrower; a single one's is narrower by more than a sixth."""
    sd, truth = 3.0, np.arange(1, 16)
    found = [ranks_of(watts, sd) for watts in scattered(sd, watts=MANY, times=500)]
    one_step = [
        (watts[:, None] - watts > tukey_quantile(15) * sd * np.sqrt(2)).sum()
        for watts in scattered(sd, watts=MANY, times=500)
    ]
    width = 14 - 2 * np.mean(one_step) / 15

    assert np.mean([((each.best <= truth) & (truth <= each.worst)).all() for each in found]) > 0.95
    assert np.mean([each.worst - each.best for each in found]) < 0.96 * width
    assert np.mean([each.worst_alone - each.best_alone for each in found]) < 0.83 * width


def test_sidak_against_its_product():
    """So many independent differences stay within the quantile with exactly 95 %."""
    from statistics import NormalDist

    for count in (1, 5, 105):
        assert (2 * NormalDist().cdf(sidak_quantile(count)) - 1) ** count == pytest.approx(0.95)


def test_a_long_upper_limit_does_not_lower_the_appliance_itself():
    """What may lie above an appliance's estimate keeps it from being surely below others, not surely above."""
    watts = np.array([100.0, 50.0])
    surely_first = ranks(watts, watts - 10, watts + np.array([500.0, 10.0]))
    perhaps = ranks(watts, watts - 10, watts + np.array([10.0, 500.0]))

    assert (surely_first.best.tolist(), surely_first.worst.tolist()) == ([1, 2], [1, 2])
    assert (perhaps.best.tolist(), perhaps.worst.tolist()) == ([1, 1], [2, 2])


def test_opposite_errors_make_ranks_less_sure():
    """Where the errors of two appliances may go against each other, a difference needs to be larger."""
    watts, apart = np.array([10.0, 6.5]), np.array([[0.0, -0.9], [-0.9, 0.0]])
    bounds = CovarianceBounds(apart, np.zeros((2, 2)))

    assert ranks(watts, watts - Z95, watts + Z95).worst.tolist() == [1, 2]
    assert ranks(watts, watts - Z95, watts + Z95, bounds).worst.tolist() == [2, 2]


@pytest.mark.parametrize("count", [1, 2, 5])
def test_the_top_is_as_sure_as_is_said(count):
    """Of the appliances that are not among the first k, at most 1 − c are said to be with confidence c or more."""
    sd, truth = 6.0, np.arange(15)
    found = np.array([ranks_of(watts, sd).in_top for watts in scattered(sd, watts=MANY, times=1000)])
    wrong = found[:, truth >= count, count - 1]

    for confidence in (0.6, 0.8, 0.9, 0.95):
        assert (wrong >= confidence).mean(axis=0).max() <= 1 - confidence + 0.02
    assert (found[:, :, 14] == 1).all()
    assert found[:, 0, count - 1].mean() > 0.3


def test_the_chance_of_the_top_against_two_appliances():
    """Of two appliances, the higher one is first with the normal distribution's confidence."""
    found = ranks_of(np.array([2.0, 0.0]), 1 / np.sqrt(2))

    assert found.in_top.tolist() == [pytest.approx([0.97725, 1.0], abs=1e-5), pytest.approx([0.02275, 1.0], abs=1e-5)]
