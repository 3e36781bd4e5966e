"""Several levels taken as one: unbiased, and as sure as the exact law says."""

import numpy as np
import pytest
from tests.provider.simulated import plan_of, repeated_slots

from hushwatt.privacy.laws import is_direct
from hushwatt.provider.estimate.collected import CollectedSlots
from hushwatt.provider.estimate.homes_above.level_sets import set_groups
from hushwatt.provider.estimate.intervals import score_interval
from hushwatt.provider.estimate.slots import slot_statistics

HELD, SLOTS = np.array([300, 100, 50, 30, 20]), 4000


def collected(oracle, levels, reports=None):
    plan = plan_of([[0, 100, 200, 400, 800]], oracle=oracle, epsilon="2")
    tallies = repeated_slots(np.random.default_rng(1), plan, [HELD], SLOTS, reports=reports)
    found = CollectedSlots.of(plan, tallies)
    groups = set_groups(found.series["appliance 0"].groups, levels, is_direct(oracle))
    return slot_statistics(plan, 0, groups, found.timeline, found.slot_homes)


@pytest.mark.parametrize("oracle", ["grr", "oue", "sue"])
@pytest.mark.parametrize("levels", [[4], [3, 4], [1, 2, 3, 4]])
def test_unbiased_and_as_sure_as_it_says(oracle, levels):
    """The mean of many slots is the true share, and they scatter as the variance at that share says."""
    found, true = collected(oracle, levels), HELD[levels].sum() / HELD.sum()
    error = np.sqrt(found.errors.variance(np.full((1, 1), true))[0, 0])

    assert abs(found.share.mean() - true) < 4 * error / np.sqrt(SLOTS)
    assert abs(found.share.std() / error - 1) < 0.04


@pytest.mark.parametrize("oracle", ["grr", "oue", "sue"])
@pytest.mark.parametrize("reports", [None, 200])
def test_limits_cover(oracle, reports):
    """Between 93 and 97 of a hundred limits hold the share of all homes, of which all or some spoke."""
    found = collected(oracle, [3, 4], reports)
    low, high = score_interval(found.share, found.errors)

    assert 0.93 <= np.mean((low <= 0.1) & (high >= 0.1)) <= 0.97


@pytest.mark.parametrize("oracle", ["grr", "oue"])
def test_levels_added_up_as_if_apart_do_not(oracle):
    """Variances of single levels added up are those of another law: too large for bits, and for direct answers."""
    found = collected(oracle, [1, 2, 3, 4])
    plan = plan_of([[0, 100, 200, 400, 800]], oracle=oracle, epsilon="2")
    apart = CollectedSlots.of(plan, repeated_slots(np.random.default_rng(1), plan, [HELD], SLOTS)).series["appliance 0"]
    wrong = np.sqrt(apart.slots.share_variance[:, 1:].sum(axis=1).mean())

    assert wrong > 1.3 * found.share.std()


def test_a_level_by_itself_is_no_set():
    """A set of one direct level is that level."""
    plan = plan_of([[0, 100, 200]], oracle="grr", epsilon="2")
    groups = CollectedSlots.of(plan, repeated_slots(np.random.default_rng(1), plan, [HELD[:3]], 3)).series[
        "appliance 0"
    ]
    alone = set_groups(groups.groups, [2], direct=True)

    assert np.allclose(alone.held[:, 0], groups.groups.held[:, 2])
    assert np.allclose(alone.noise_held, groups.groups.noise_held)
    assert np.allclose((alone.lowest, alone.highest), (groups.groups.lowest, groups.groups.highest))


@pytest.mark.parametrize("oracle, levels", [("grr", [3, 4]), ("oue", [3, 4]), ("sue", [1, 2, 3])])
def test_extremes(oracle, levels):
    """The lowest and the highest share are those of tallies in which nobody, or everybody, answers for the set."""
    plan = plan_of([[0, 100, 200, 400, 800]], oracle=oracle, epsilon="2")
    tallies = repeated_slots(np.random.default_rng(1), plan, [HELD], 2)
    inside = np.isin(np.arange(5), levels)
    for tally, chosen in zip(tallies.groups.values(), (~inside, inside), strict=True):
        tally.counts[:] = 500 * chosen if not is_direct(oracle) else np.where(chosen, 500 / chosen.sum(), 0)
    groups = set_groups(CollectedSlots.of(plan, tallies).series["appliance 0"].groups, levels, is_direct(oracle))
    shares = groups.held[:, 0] / groups.reports

    assert np.allclose(shares, (groups.lowest[0], groups.highest[1]), atol=0.01)
