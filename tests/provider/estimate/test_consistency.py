"""Histograms that are shown have no level below zero and account for all homes."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize

from hushwatt.provider.estimate.consistency import add_one_smoothed, norm_sub, unadjusted

COUNTS = st.lists(st.floats(-1e4, 1e4), min_size=2, max_size=12).map(np.array)


@given(levels=COUNTS, total=st.floats(1, 1e5))
def test_all_homes_and_nothing_below_zero(levels, total):
    """Whatever was estimated, counts are at least zero and add up to all homes."""
    shown = norm_sub(levels, total)

    assert (shown >= 0).all()
    assert np.isclose(shown.sum(), total)


@given(levels=COUNTS, total=st.floats(1, 1e5))
def test_order_is_kept(levels, total):
    """A level that was estimated higher is never shown lower."""
    shown = norm_sub(levels, total)

    assert (np.diff(shown[np.argsort(levels, kind="stable")]) >= -1e-6).all()


def test_nearest_histogram():
    """No other histogram of the same homes is nearer to the estimate."""
    levels = np.array([70.0, 45.0, 3.0, -12.0, 1.0])
    start = np.full(5, 20.0)
    total = {"type": "eq", "fun": lambda counts: counts.sum() - 100}
    found = minimize(lambda x: ((x - levels) ** 2).sum(), start, bounds=[(0, None)] * 5, constraints=total)

    assert np.allclose(norm_sub(levels, 100.0), found.x, atol=1e-3)


def test_rows_do_not_mix():
    """Many histograms at once are the same as each alone."""
    rows = np.random.default_rng(1).normal(10, 20, (50, 6))

    assert np.allclose(norm_sub(rows, 60.0), [norm_sub(row, 60.0) for row in rows])


def test_a_histogram_stays():
    """What is already a histogram of all homes is not touched."""
    levels = np.array([60.0, 0.0, 40.0])

    assert np.allclose(norm_sub(levels, 100.0), levels)


def test_none_is_the_estimate():
    """Without consistency the unbiased numbers are shown, negative ones too."""
    levels = np.array([120.0, -20.0])

    assert unadjusted(levels, 100.0) is levels


def test_usual_leaves_no_level_empty():
    """Errors are judged by a histogram in which everything is possible."""
    histogram = add_one_smoothed(np.array([1.3, -0.2, -0.1]), reports=97)

    assert histogram.sum() == 1
    assert np.allclose(histogram, [0.98, 0.01, 0.01])
