"""The metrics, each against another way to compute it."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from hushwatt.evaluate import metrics

counts = st.lists(st.integers(0, 40), min_size=8, max_size=8)


@given(counts, counts)
def test_kruskal_wallis_is_scipys(one, other):
    """Ties and all, the p-value is that of scipy."""
    expected = 1.0 if len({*one, *other}) == 1 else stats.kruskal(one, other).pvalue

    assert metrics.kruskal_wallis(one, other) == pytest.approx(expected, rel=1e-9)


def test_kruskal_wallis_by_rows():
    """Many rows at once are the rows one by one."""
    stream = np.random.default_rng(1)
    one, other = stream.integers(0, 9, (2, 3, 4, 10))
    apart = [stats.kruskal(a, b).pvalue for a, b in zip(one.reshape(-1, 10), other.reshape(-1, 10), strict=True)]

    assert metrics.kruskal_wallis(one, other).ravel() == pytest.approx(apart)


@pytest.mark.parametrize("levels, floor", [(5, 0.00902), (7, 0.00175), (10, 0.000157), (15, 3.07e-6)])
def test_floors(levels, floor):
    """Two sets of counts that do not overlap give the floor, whatever the counts are."""
    low = np.sort(np.random.default_rng(levels).normal(100, 3, levels))

    assert metrics.kruskal_wallis(low, low + 1000) == pytest.approx(floor, rel=0.005)


def test_exact_hits_and_overlap():
    """A swap costs two exact ranks and no member; a stranger costs one of each."""
    truth = np.array([50.0, 40, 30, 20, 10])
    swapped, stranger = np.array([40.0, 50, 30, 20, 10]), np.array([50.0, 40, 5, 30, 10])

    assert metrics.exact_hits(truth, truth, 3) == 3
    assert (metrics.exact_hits(truth, swapped, 3), metrics.overlap(truth, swapped, 3)) == (1, 3)
    assert (metrics.exact_hits(truth, stranger, 3), metrics.overlap(truth, stranger, 3)) == (2, 2)


@given(st.permutations(range(7)))
def test_kendall_is_scipys(order):
    """Without ties τ is scipy's."""

    assert metrics.kendall(range(7), order) == pytest.approx(stats.kendalltau(range(7), order).statistic)


@given(st.lists(st.integers(0, 20), min_size=4, max_size=4), st.lists(st.integers(0, 20), min_size=4, max_size=4))
def test_wasserstein_is_scipys(one, other):
    """For histograms of homes it is the distance that scipy has."""
    if not (sum(one) and sum(other)):
        return
    values = [0.0, 100.0, 150.0, 400.0]
    expected = stats.wasserstein_distance(values, values, one, other)

    assert metrics.wasserstein(one, other, values) == pytest.approx(expected, abs=1e-9)


def test_share_error_and_root_mean_square():
    """Worked out by hand: shares 0.6 and 0.4 for 0.5 and 0.5 are off by ten points each."""

    assert metrics.share_error([1, 1], [6, 4]) == pytest.approx(10)
    assert metrics.root_mean_square([0, 0, 0], [1, 2, 2]) == pytest.approx(3**0.5)


def test_coverage_counts_both_ends():
    """An interval holds its own ends and nothing beyond them."""
    ends = list(itertools.product([1.0, 2.0], repeat=1))

    assert metrics.coverage([1, 1], [2, 2], np.ravel(ends)) == 1
    assert metrics.coverage([1, 1], [2, 2], [0.999, 2.001]) == 0
