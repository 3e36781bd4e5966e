"""The family of tails, and what reports say of it."""

import numpy as np
import pytest

from hushwatt.privacy.tails import SCALES, SHAPES, limited, lost, prior_weights, tail_weights


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


def test_two_levels_say_nothing():
    """Without a level below the top, and without reports, the prior stays."""
    assert tail_weights([0.6, 0.4], [1e-6] * 2, [0, 100], 50).tolist() == prior_weights().tolist()
    assert tail_weights([0.6, 0.2, 0.2], [1e6] * 3, [0, 40, 100], 50) == pytest.approx(prior_weights(), rel=1e-3)
