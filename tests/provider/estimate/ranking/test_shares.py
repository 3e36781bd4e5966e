"""Shares say no more than the means can bear."""

import numpy as np
import pytest

from hushwatt.provider.estimate.intervals import normal_interval
from hushwatt.provider.estimate.ranking.shares import shares

WATTS = np.array([90.0, 60.0, 58.0, 30.0, 8.0, 4.0])
TIMES = 4000


def shares_of(watts, variance):
    """The shares of means with bell-shaped, independent errors."""
    return shares(watts, *normal_interval(watts, variance))


def scattered(sd, seed=3):
    return WATTS + np.random.default_rng(seed).normal(size=(TIMES, len(WATTS))) * sd


def share_coverage(sd, claimed=None):
    """How often each share's interval holds the true share, when means have the standard errors `sd`."""
    claimed = sd if claimed is None else claimed
    found = [shares_of(watts, np.broadcast_to(claimed, WATTS.shape) ** 2) for watts in scattered(sd)]
    truth = WATTS / WATTS.sum()
    return np.mean([(each.low <= truth) & (truth <= each.high) for each in found], axis=0)


@pytest.mark.parametrize("sd", [0.1, 2.0, 8.0, np.array([20.0, 1.0, 5.0, 0.1, 10.0, 2.0]), 25.0, 60.0, 200.0])
def test_share_intervals_cover(sd):
    """At least 93 % of the intervals hold the true share, from quiet totals to hopeless ones."""

    assert share_coverage(sd).min() > 0.93


@pytest.mark.parametrize("sd", [2.0, 25.0])
def test_share_intervals_are_not_idle(sd):
    """Claiming a standard error a third too small is noticed, quiet or noisy."""

    assert share_coverage(sd, claimed=sd * 2 / 3).min() < 0.9


def test_quiet_shares_are_not_too_wide():
    """With a quiet total the intervals cover about 95 %, not all."""

    assert share_coverage(2.0).max() < 0.97


def test_both_ways_meet():
    """Where the total begins to be noisy, the delta method and Fieller's nearly agree."""
    quiet, noisy = (shares_of(WATTS, np.full(6, (ratio * WATTS.sum()) ** 2 / 6)) for ratio in (0.0999, 0.1001))

    assert np.allclose(quiet.low, noisy.low, atol=0.01)
    assert np.allclose(quiet.high, noisy.high, atol=0.02)


def test_noisy_limits_are_fiellers():
    """At both limits the watts less that part of the total are exactly 1.96 standard errors from zero."""
    variance = np.array([300.0, 900.0, 400.0, 100.0, 400.0, 200.0])
    found = shares_of(WATTS, variance)

    for limit in (found.low, found.high):
        free = (limit > 0) & (limit < 1)
        error = variance - 2 * limit * variance + limit**2 * variance.sum()
        distance = np.abs(WATTS - limit * WATTS.sum()) / np.sqrt(error)
        assert free.sum() >= 3
        assert np.allclose(distance[free], 1.959964)


def test_shares_are_not_clipped():
    """A negative mean is a negative share, and the shares add up to one."""
    found = shares_of(np.array([50.0, -2.0, 12.0]), np.ones(3))

    assert found.share[1] < 0
    assert np.isclose(found.share.sum(), 1)
    assert ((found.low <= found.share) & (found.share <= found.high)).all()


@pytest.mark.parametrize("watts", [[5.0, -4.0, 1.0], [-3.0, 1.0, 1.0]])
def test_a_total_that_may_be_zero_bounds_nothing(watts):
    """When the total cannot be told from zero, any share is possible, and the estimate lies inside."""
    found = shares_of(np.array(watts), np.full(3, 100.0))

    assert ((found.low <= 0) & (found.high >= 1)).all()
    assert ((found.low <= found.share) & (found.share <= found.high)).all()


def test_a_total_of_zero_has_no_shares():
    """Nothing divided by nothing is no number, and no error."""
    found = shares_of(np.array([1.0, -1.0]), np.ones(2))

    assert np.isnan(found.share).all()
    assert (found.low == 0).all()
    assert (found.high == 1).all()


@pytest.mark.parametrize("scale", [0.02, 1.0])
def test_uneven_limits_of_shares(scale):
    """A share is lowest when its own watts are low and the others' high: each limit takes those variances.

    With a sure total √[(1−s)²·v + s²·Σ v'] away from the share, v and v' its own and others' on that side;
    with a noisy one the r for which watts − r·total is z standard errors from zero, with the same variances.
    """
    watts = np.array([50.0, 30.0, 20.0])
    below, above = scale * np.array([4.0, 12.0, 7.0]), scale * np.array([30.0, 9.0, 45.0])
    found = shares(watts, watts - below, watts + above)

    for place, share in enumerate(watts / 100):
        for limit, own, others in ((found.low[place], below, above), (found.high[place], above, below)):
            rest = (others**2).sum() - others[place] ** 2
            ratio = share if scale < 1 else limit
            reach = np.sqrt((1 - ratio) ** 2 * own[place] ** 2 + ratio**2 * rest)
            assert abs(watts[place] - limit * 100) == pytest.approx(reach)
