"""The bank of filters learns what is noise and what is change, and says how sure it is."""

import numpy as np
import pytest

from hushwatt.provider.bank import DRIFTS, FLICKERS, SPEEDS, Bank, Seen

SLOTS, SERIES, TIMES = 60, 5, 20


def filtered(estimates, noise, kept=0.0):
    """What the bank tells after each slot."""
    bank = Bank.start(Seen(estimates[0], noise))
    told = [bank.told()]
    for row in estimates[1:]:
        bank = bank.after(Seen(row, noise, kept))
        told.append(bank.told())
    return np.array(told).transpose(1, 0, 2)


def steady(rng):
    return np.zeros((SLOTS, SERIES))


def drifting(rng):
    return rng.normal(0, 0.15, (SLOTS, SERIES)).cumsum(axis=0)


def stepping(rng):
    return np.repeat(rng.normal(0, 4, (SLOTS // 20, SERIES)), 20, axis=0)


def flickering(rng):
    return rng.normal(0, 1.5, (SLOTS, SERIES))


@pytest.mark.parametrize(
    "life, gain", [(steady, 0.12), (drifting, 0.35), (stepping, 0.4), (flickering, 0.85)]
)
def test_noise_is_filtered_out(life, gain):
    """The squared error falls to a part of the plain estimate's, and the stated variance covers 93 %."""
    rng, squares, plain, held = np.random.default_rng(4), 0.0, 0.0, []
    for _ in range(TIMES):
        truth = life(rng)
        estimates = truth + rng.normal(size=truth.shape)
        told, variance = filtered(estimates, np.ones(SERIES))
        squares, plain = squares + ((told - truth) ** 2).sum(), plain + ((estimates - truth) ** 2).sum()
        held.append(np.abs(told - truth) < 1.96 * np.sqrt(variance))

    assert squares / plain < gain
    assert np.mean(held) > 0.93


def test_repeated_errors_are_not_averaged_away():
    """When nine tenths of the error come again in every slot, the bank does not take them for news."""
    rng, held, kept = np.random.default_rng(5), [], 0.9
    for _ in range(60):
        errors = rng.normal(size=(SLOTS, SERIES))
        for slot in range(1, SLOTS):
            errors[slot] = kept * errors[slot - 1] + np.sqrt(1 - kept**2) * errors[slot]
        told, variance = filtered(errors, np.ones(SERIES), kept)
        held.append(np.abs(told) < 1.96 * np.sqrt(variance))
    naive = filtered(errors, np.ones(SERIES))[1]

    assert np.mean(held) > 0.93
    assert variance[-1].mean() > 2 * naive[-1].mean()


def test_first_slot_is_what_it_is():
    """Before any history the estimate stands, with its own noise."""
    told, variance = Bank.start(Seen(np.array([3.0, -1.0]), np.array([4.0, 9.0]))).told()

    assert told.tolist() == [3.0, -1.0]
    assert np.allclose(variance, [4.0, 9.0])


def test_one_filter_is_the_textbook_one():
    """With the speeds known, the bank is the usual filter of a level that drifts."""
    bank = Bank.start(Seen(np.array([0.0]), np.array([1.0])))
    drift = DRIFTS.index(1.0) * len(FLICKERS)
    moved = bank._moved(seen := Seen(np.array([3.0]), np.array([1.0])))._taught(seen)
    gain = 2 / 3  # (1 + drift) / (1 + drift + noise)

    assert SPEEDS[drift].ravel().tolist() == [1.0, 0.0]
    assert np.isclose(moved.level[drift, 0], 3 * gain)
    assert np.isclose(moved.level_level[drift, 0], gain)
    assert np.isclose(3.0 - moved.error[drift, 0], 3 * gain)


def test_weights_are_chances():
    """The filters' say always adds up to one, however long and strange the series."""
    bank = Bank.start(Seen(np.zeros(2), np.full(2, 1e-12)))
    for value in (0.0, 1e6, -1e6, 0.5, 0.5):
        bank = bank.after(Seen(np.full(2, value), np.full(2, 1e-12)))

        assert np.allclose(bank.weights.sum(axis=0), 1)
        assert np.isfinite(bank.told()).all()
