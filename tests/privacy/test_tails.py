"""The family of tails: closed forms, what the levels say of them, and no jumps."""

import numpy as np
import pytest

from hushwatt.privacy.tails import (
    LAWS,
    MAX_TAIL,
    SCALES,
    SHAPES,
    expected_loss,
    learnt_high,
    limited,
    lost,
    median_tail,
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
    assert len(LAWS) == 7 * len(SCALES)


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


def test_laws_have_their_high():
    """At scale 1 a twentieth of slots in use lies above the high, whatever the shape."""
    below, _ = limited([99.9, 100.1], 100)
    survival = (np.diff(below, axis=1) / 0.2)[:, 0].reshape(len(SHAPES), len(SCALES))

    assert survival[:, list(SCALES).index(1.0)] == pytest.approx(0.05, abs=1e-3)


def test_nothing_is_lost_above_everything():
    """E min(X, t) goes up to the mean, and the loss from all to nothing."""
    assert lost(0.0, 50)[0] == pytest.approx(1)
    assert lost(1e6, 50)[0] < 0.005
    assert np.all(np.diff(lost(np.linspace(1, 900, 50), 50)) < 0)


@pytest.mark.parametrize("law", [0, 13, 22, 40, 58])
def test_reports_that_a_law_predicts_make_it_likelier(law):
    """Shares as one law predicts them, known well, give it at least twice the weight it had, or the most."""
    values, high = np.array([0.0, 60.0, 150.0]), 75.0
    below, _ = limited(values, high)
    above = (np.diff(below, axis=1) / np.diff(values))[law]
    shares = np.array([1 - above[0], above[0] - above[1], above[1]])
    weights = tail_weights(shares, np.full(3, 1e-8), values, high)

    assert weights.sum() == pytest.approx(1)
    assert weights[law] > prior_weights()[law]
    assert weights[law] / prior_weights()[law] == pytest.approx((weights / prior_weights()).max(), rel=1e-6)
