"""Counts are weighed rightly."""

import numpy as np
import pytest

from hushwatt.audit.laws.counting import DOUBT, fits, noticeable, surprise, tells_apart


@pytest.mark.parametrize("hits, answer", [(500_000, True), (503_000, True), (503_100, False), (496_900, False)])
def test_fits_within_six_deviations(hits, answer):
    """A million fair coins have a deviation of 500; 6.1 of them are the limit."""

    assert fits(hits, 1_000_000, 0.5) is answer


def test_tells_apart():
    """Enough trials refuse a chance 2 % off, too few do not."""

    assert tells_apart(500_000, 1_000_000, 0.5)
    assert not tells_apart(500, 1000, 0.5)
    assert (noticeable(0, 1_000_000, 0.5), noticeable(0, 1000, 0.5)) == (True, False)


def test_surprise_of_the_right_law():
    """Counts drawn from a law are not surprising, nor when its rare cells are pooled."""
    chances = np.array([0.5, 0.3, 0.2 - 3e-5, 1e-5, 1e-5, 1e-5])
    draws = np.random.default_rng(1).multinomial(100_000, chances, size=2_000)

    surprises = np.array([surprise(seen, chances) for seen in draws])

    assert np.abs(surprises).max() < DOUBT
    assert abs(surprises.mean()) < 0.1
    assert 0.9 < surprises.std() < 1.1


def test_surprise_of_a_wrong_law():
    """Counts drawn from another law are."""
    seen = np.random.default_rng(1).multinomial(100_000, [0.51, 0.29, 0.2])

    assert surprise(seen, np.array([0.5, 0.3, 0.2])) > DOUBT


def test_the_impossible_is_infinitely_surprising():
    """What cannot happen and was seen refuses any law; one cell alone says nothing."""

    assert surprise(np.array([10, 1]), np.array([1.0, 0.0])) == float("inf")
    assert surprise(np.array([10]), np.array([1.0])) == 0
