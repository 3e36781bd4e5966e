"""The family of tails: closed forms, what the levels say of them, and no jumps."""

import numpy as np
import pytest

from hushwatt.privacy.tails import (
    LAWS,
    LIKELY,
    MAX_TAIL,
    SCALES,
    expected_loss,
    learnt_high,
    limited,
    lost,
    median_tail,
    median_tails,
    prior_weights,
    tail_ratios,
    tail_weights,
)

EXPONENTIAL = next(place for place, law in enumerate(LAWS) if law == ("weibull", 1.0, 1.0))
LOMAX = next(place for place, law in enumerate(LAWS) if law == ("lomax", 2.0, 1.0))
RATE = np.log(20)


def test_an_exponential_tail_is_the_closed_form():
    """E min(X, v) = (1 − e^{−λv})/λ with the 95th percentile at the high."""
    values = np.array([0.0, 20.0, 60.0, 300.0])
    below, means = limited(values, 60.0)

    assert below[EXPONENTIAL] == pytest.approx(60 / RATE * (1 - np.exp(-RATE * values / 60)), rel=1e-4)
    assert means[EXPONENTIAL] == pytest.approx(60 / RATE, rel=1e-4)


def test_a_lomax_tail_is_the_closed_form():
    rate = 20**0.5 - 1
    _, means = limited([0.0], 60.0)

    assert means[LOMAX] == pytest.approx(60 / rate, rel=1e-3)


def test_tail_ratio_turns_the_clipped_mean_into_the_real_one():
    """Σ v·f + r·T·f_T is the law's own mean, for every law and any levels."""
    for values in ([0.0, 100.0], [0.0, 40.0, 100.0], [0.0, 10.0, 50.0, 120.0, 400.0]):
        levels = np.array(values)
        below, means = limited(levels, 60.0)
        above = np.diff(below, axis=1) / np.diff(levels)
        held = above - np.concatenate([above[:, 1:], np.zeros((len(above), 1))], axis=1)
        ratios = tail_ratios(values, 60.0)
        real = held @ levels[1:] + ratios * levels[-1] * held[:, -1]

        sure = ratios < MAX_TAIL
        assert real[sure] == pytest.approx(means[sure], rel=1e-6)


def test_the_prior_is_of_the_high():
    assert prior_weights().sum() == pytest.approx(1)
    assert learnt_high(prior_weights(), 80.0) == pytest.approx(80.0)
    assert len(LAWS) == len(LIKELY) * len(SCALES)


def test_a_higher_top_loses_less():
    tops = np.geomspace(0.1, 20, 30)

    assert (np.diff(lost(tops, 1.0)) < 0).all()
    assert expected_loss(2.0) == pytest.approx(lost([120.0], 60.0)[0])


def test_two_levels_say_nothing_of_the_tail():
    assert (tail_weights([0.5, 0.5], [1e-9, 1e-9], [0, 100], 60) == prior_weights()).all()


@pytest.mark.parametrize("scale", [1.0, 5000.0])
def test_shares_and_numbers_of_homes_say_the_same(scale):
    one = tail_weights([0.6, 0.3, 0.1], [1e-4] * 3, [0, 40, 100], 60)
    other = tail_weights(np.array([0.6, 0.3, 0.1]) * scale, [1e-4 * scale**2] * 3, [0, 40, 100], 60)

    assert other == pytest.approx(one)


def test_without_reports_the_prior_stays():
    """Errors so large that no level is known leave the weights as they were."""
    assert tail_weights([0.3, 0.3, 0.1], [1e9] * 3, [0, 40, 100], 60) == pytest.approx(prior_weights(), rel=1e-3)


def test_however_many_homes_no_law_is_sure():
    """The slack keeps the weights from collapsing onto one law."""
    weights = tail_weights([0.6, 0.3, 0.1], [0.0] * 3, [0, 40, 100], 60)

    assert 1 / (weights**2).sum() > 10


def test_no_report_makes_the_median_jump():
    """A small change of the shares is a small change of the tail."""
    ratios = tail_ratios([0, 40, 100], 60)
    tops = np.linspace(0.0, 0.02, 1001)
    tails = [median_tail(ratios, tail_weights([0.5, 0.2, top], [1e-5] * 3, [0, 40, 100], 60)) for top in tops.tolist()]

    assert np.abs(np.diff(tails)).max() < 0.002
    assert tails[-1] > tails[0]


def test_the_covariance_of_the_upper_levels_counts():
    plain = tail_weights([0.6, 0.2, 0.2], [1e-2] * 3, [0, 40, 100], 60)
    tied = tail_weights([0.6, 0.2, 0.2], [1e-2] * 3, [0, 40, 100], 60, covariance=-9e-3)

    assert np.abs(plain - tied).max() > 1e-4


def test_the_median_of_every_row():
    rng = np.random.default_rng(1)
    ratios, weights = rng.random(63), rng.dirichlet(np.full(63, 0.3), 200)
    order = np.argsort(ratios)
    slow = [np.interp(0.5, np.cumsum(row[order]) - row[order] / 2, ratios[order]) for row in weights]

    assert median_tails(ratios, weights) == pytest.approx(np.array(slow))
    assert median_tail(ratios, weights[0]) == pytest.approx(slow[0])
