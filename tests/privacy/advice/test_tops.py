"""The top of the levels: noise against what lies above."""

import numpy as np
import pytest

from hushwatt.privacy.advice.tops import choose_top, score, slot_high
from hushwatt.privacy.tails import lost, prior_weights


@pytest.mark.parametrize("per_watt", [0.02, 0.005, 0.001])
@pytest.mark.parametrize("high", [40, 60, 200])
def test_no_other_top_scores_better(per_watt, high):
    """Of a fine grid of tops none has a better expected interval score by more than a hundredth."""
    tops = np.geomspace(0.25, 12, 3000) * high
    every = score(per_watt * tops / 20, lost(tops, high))
    top = choose_top(20, high, per_watt)

    assert score(per_watt * top / 20, lost(top, high))[0] < 1.01 * every.min()


@pytest.mark.parametrize("over, gone", [(0.5, 0.36), (1, 0.20), (2, 0.10), (4, 0.049), (8, 0.024)])
def test_expected_losses(over, gone):
    """What lies above a top, in highs."""
    assert lost(100 * over, 100)[0] == pytest.approx(gone, rel=0.05)


def test_rated_is_doubted_by_two():
    """A top never passes twice the rated power, nor is it held below twice the high."""
    assert choose_top(20, 60, 1e-4, rated=90) == 180
    assert choose_top(20, 60, 1e-4, rated=11) == 120


def test_learnt_weights_move_the_top():
    """Laws without a tail need a lower top than those with a heavy one."""
    weights = prior_weights().reshape(-1, 9)
    light, heavy = weights * 0, weights * 0
    light[0], heavy[-1] = weights[0] / weights[0].sum(), weights[-1] / weights[-1].sum()
    tops = [choose_top(20, 60, 0.002, weights=tuple(each.ravel().tolist())) for each in (light, heavy)]

    assert tops[0] < choose_top(20, 60, 0.002) < tops[1]


@pytest.mark.parametrize("hours, high", [(1, 672), (0.25, 896), (24, 84), (48, 72.69), (7 * 24, 62.27), (10**6, 57.0)])
def test_slots(hours, high):
    """A high day in fewer and fewer hours; over days it evens out, and half of what is above the owners' mean stays."""
    assert slot_high(84, 2000, hours, owners_mean=30.0) == pytest.approx(high, abs=0.01)


def test_owners_mean_above_the_high():
    """Nothing evens out where the high is not above the mean."""
    assert slot_high(20, 2000, 7 * 24, owners_mean=30.0) == 20
