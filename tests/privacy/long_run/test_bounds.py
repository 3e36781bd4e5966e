"""What no guess exceeds where homes decide: two pasts and constant levels, against exact ones."""

from math import exp

import numpy as np
import pytest

from hushwatt.privacy.laws import law_for
from hushwatt.privacy.long_run.bounds import constant_level_bound, two_pasts_bound
from hushwatt.privacy.long_run.constant_level import best_name
from hushwatt.privacy.long_run.two_pasts import best_guess


@pytest.mark.parametrize("windows", [1, 2, 7, 100])
@pytest.mark.parametrize("epsilon", [0.05, 0.5, 3])
def test_reached_by_coins(epsilon, windows):
    """Two levels answered directly, once a window, are told exactly as well as the bound says."""
    law = law_for("grr", int(epsilon * 1e6), 1, 2)
    exact = best_guess(law, ((1, 1.0),), ((0, 1.0),), windows)

    assert two_pasts_bound(epsilon, windows) == pytest.approx(exact, abs=1e-9)
    assert constant_level_bound(epsilon, windows, 2) == pytest.approx(exact, abs=1e-9)


@pytest.mark.parametrize("oracle", ["grr", "oue", "sue"])
@pytest.mark.parametrize("levels", [2, 3, 10])
@pytest.mark.parametrize("shares", [1, 3])
def test_never_below_what_is_exact(oracle, levels, shares):
    """However a window's budget is cut into answers, they tell no more than the bound."""
    for epsilon in (0.1, 0.6, 2.0):
        law = law_for(oracle, int(epsilon * 1e6 / shares), 1, levels)
        for windows in (1, 5, 40):
            named = best_name(law, levels, shares * windows)
            assert named <= constant_level_bound(epsilon, windows, levels) + 1e-9
            apart = best_guess(law, ((1, 1.0),), ((0, 1.0),), shares * windows)
            assert apart <= two_pasts_bound(epsilon, windows) + 5e-4


def test_more_budget_bounds_more():
    """From a half, or one in d, upwards to one; nothing overflows."""
    assert two_pasts_bound(1e-9, 1) == pytest.approx(0.5)
    assert constant_level_bound(1e-9, 1, 10) == pytest.approx(0.1)
    assert two_pasts_bound(1.0, 1) == pytest.approx(exp(1) / (1 + exp(1)))
    assert (two_pasts_bound(500.0, 3), constant_level_bound(500.0, 3, 10)) == (1, 1)
    bounds = [two_pasts_bound(0.01, windows) for windows in (1, 10, 100, 1_000, 100_000)]
    assert np.all(np.diff(bounds) >= 0)
