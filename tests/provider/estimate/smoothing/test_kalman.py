"""The bank of Kalman filters learns what is noise, what is change and what comes round again."""

import numpy as np
import pytest

from hushwatt.provider.estimate.smoothing.kalman import (
    DRIFTS,
    IRREGULARS,
    VARIANCES,
    KalmanBank,
    Observation,
)
from hushwatt.provider.estimate.smoothing.smooth import chi_squared

SLOTS, SERIES, TIMES = 60, 5, 20


def filtered(estimates, noise):
    """What the bank makes of each slot after the first; one that breaks with the past stands as it is."""
    bank, truths = KalmanBank.start(Observation(estimates[0], noise)), []
    for row in estimates[1:]:
        slot = Observation(row, noise)
        learnt, found = bank.update(slot)
        broken = found.innovation.sum() > chi_squared(SERIES)
        truths.append([row, noise] if broken else [found.truth, found.truth_variance])
        bank = bank.after_break(slot, found.weights) if broken else learnt
    return np.array(truths).transpose(1, 0, 2)


def steady(rng):
    return np.zeros((SLOTS, SERIES))


def drifting(rng):
    return rng.normal(0, 0.15, (SLOTS, SERIES)).cumsum(axis=0)


def stepping(rng):
    return np.repeat(rng.normal(0, 4, (SLOTS // 20, SERIES)), 20, axis=0)


def flickering(rng):
    return rng.normal(0, 1.5, (SLOTS, SERIES))


@pytest.mark.parametrize("life, gain", [(steady, 0.12), (drifting, 0.35), (stepping, 0.4), (flickering, 0.85)])
def test_noise_is_filtered_out(life, gain):
    """The squared error falls to a part of the plain estimate's, and the stated variance covers 93 %."""
    rng, squares, plain, held = np.random.default_rng(4), 0.0, 0.0, []
    for _ in range(TIMES):
        truth = life(rng)
        estimates = truth + rng.normal(size=truth.shape)
        truths, variance = filtered(estimates, np.ones(SERIES))
        squares += ((truths - truth[1:]) ** 2).sum()
        plain += ((estimates - truth)[1:] ** 2).sum()
        held.append(np.abs(truths - truth[1:]) < 1.96 * np.sqrt(variance))

    assert squares / plain < gain
    assert np.mean(held) > 0.93


def test_one_filter_is_the_textbook_one():
    """With the variances known, the bank is the usual filter of a level that drifts."""
    bank = KalmanBank.start(Observation(np.array([0.0]), np.array([1.0])))
    pair = DRIFTS.index(1.0) * len(IRREGULARS)
    alone = np.zeros_like(bank.weights)
    alone[0, pair] = 1.0
    sure = KalmanBank(alone, bank.level, bank.variance, bank.starts)
    after, found = sure.update(Observation(np.array([3.0]), np.array([1.0])))
    gain = 2 / 3  # (1 + drift) / (1 + drift + noise)

    assert VARIANCES[pair].ravel().tolist() == [1.0, 0.0]
    assert np.isclose(after.level[0, pair, 0], 3 * gain)
    assert np.isclose(after.variance[0, pair, 0], gain)
    assert np.isclose(found.innovation, 3.0**2 / 3, rtol=0.05)  # the others have a say of 2 % again


def test_a_season_that_is_known_is_not_strange():
    """The filters with a season explain what surprises those without, and take over."""
    noise, season = np.ones(1), np.zeros((2, 1, 1))
    bank = KalmanBank.start(Observation(np.zeros(1), noise, season), seasons=2)
    for _ in range(10):
        bank, _ = bank.update(Observation(np.zeros(1), noise, season))
    season[1] = 10.0
    learnt, found = bank.update(Observation(np.full(1, 10.0), noise, season))
    _, surprised = bank.update(Observation(np.full(1, 10.0), noise, 0 * season))

    assert found.innovation[0] < 1
    assert surprised.innovation[0] > 25
    assert learnt.weights[1].sum() > 0.99
    assert abs(learnt.deviation()[1, 0]) < 0.5


def test_after_a_break():
    """The level is where the slot says, as sure as the slot is, and the filters keep their say."""
    noise = np.ones(1)
    bank = KalmanBank.start(Observation(np.zeros(1), noise))
    for _ in range(30):
        bank, _ = bank.update(Observation(np.zeros(1), noise))
    jump = Observation(np.full(1, 50.0), noise)
    broken = bank.after_break(jump, bank.update(jump)[1].weights)

    assert np.allclose(broken.level, 50, atol=0.1)
    assert np.allclose(broken.variance, 1, atol=0.01)
    assert np.allclose(broken.weights, bank.weights, atol=0.03)


def test_series_are_chosen():
    """One bank in some series, another in the rest."""
    one, two = (KalmanBank.start(Observation(np.full(2, value), np.ones(2))) for value in (1.0, 2.0))

    assert one.where(np.array([True, False]), two).level[0, 0].tolist() == [1.0, 2.0]


def test_weights_are_chances():
    """The filters' say always adds up to one, however long and strange the series."""
    bank = KalmanBank.start(Observation(np.zeros(2), np.full(2, 1e-12)))
    for value in (0.0, 1e6, -1e6, 0.5, 0.5):
        bank, found = bank.update(Observation(np.full(2, value), np.full(2, 1e-12)))

        assert np.allclose(bank.weights.sum(axis=(0, 1)), 1)
        assert np.isfinite(found.truth).all()
