"""The test behind a contrast, against closed forms."""

import numpy as np
import pytest

from hushwatt.provider.estimate.contrasts.score_test import ContrastTest
from hushwatt.provider.estimate.intervals import Z95


def between(means, variances, slopes=(0.0, 0.0)):
    """Two sides with errors of their own, and one tail."""
    mean, variance, slope = (np.array(each, dtype=float)[:, None] for each in (means, variances, slopes))
    none = np.zeros((2, 2, 1))
    return ContrastTest(mean, variance, slope, none, none, np.ones(1), 0, np.array([1.0, -1.0]), 0.025)


def test_without_slopes_it_is_the_normal_interval():
    found = between([130, 100], [9, 16])

    assert found.difference == 30
    assert found.error == pytest.approx(5)
    assert found.limits() == pytest.approx((30 - 5 * Z95, 30 + 5 * Z95))
    assert found.limits(5) == pytest.approx((30 - 5 * 2.5758, 30 + 5 * 2.5758), rel=1e-4)
    assert found.p == pytest.approx(2e-9, rel=0.05)


@pytest.mark.parametrize("sigmas", [2.07, 3.0, 20.0])
def test_per_cent_has_fiellers_limits_however_far(sigmas):
    """(a − ρ·b)² = z²·(1 + ρ²)·V: far apart where the base is hardly sure, and never cut off."""
    variance = (100 / sigmas) ** 2
    found = between([100, 100], [variance, variance])
    doubt = Z95**2 * variance / 100**2
    low, high = (1 - np.sqrt(1 - (1 - doubt) ** 2)) / (1 - doubt), (1 + np.sqrt(1 - (1 - doubt) ** 2)) / (1 - doubt)

    assert found.base_is_sure
    assert found.percent_limits() == pytest.approx((100 * low - 100, 100 * high - 100), rel=1e-4)


def test_a_part_of_nothing_has_no_limits():
    assert not between([100, 100], [9, 2500]).base_is_sure


@pytest.mark.parametrize("short", [0, 1, 3, 12])
def test_counts_are_judged_by_what_they_would_be(short):
    """Of Poisson counts, x in one slot against a rate of 60/20, the null's variance is that of the pooled rate."""
    found = between([short, 3], [max(short, 0.01), 3 / 20], [1 / max(short, 0.01), 1 / 3])
    pooled = (short + 60) / 21

    assert found.error == pytest.approx(np.sqrt(pooled + pooled / 20), rel=0.05)
    assert (found.p < 0.05) == (abs(short - 3) > Z95 * np.sqrt(pooled + pooled / 20))
