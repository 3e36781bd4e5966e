"""Every group is undone by its own law, and the noise of its watts is what the law says."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.provider.simulated import MICRO, plan_of, tallies_of

from hushwatt.privacy.laws import debias, law_for, noise
from hushwatt.provider.estimate.arrays import TallyArrays
from hushwatt.provider.estimate.debias import DebiasedGroups, centred, rows_by_value, watts_moments
from hushwatt.provider.tally.tally import TallyKey

VALUES = np.array([0.0, 30.0, 200.0])


def told(law, answer, offsets):
    """What one home's answer says about its watts, and the chance of the answer at every level."""
    bits = np.eye(law.levels)[answer] if law.correlated else np.array(answer, float)
    return debias(bits, 1, law) @ offsets, [float(law.chance(answer, level)) for level in range(law.levels)]


@pytest.mark.parametrize("oracle", ["oue", "sue", "grr"])
@pytest.mark.parametrize("budget", ["0.1", "1", "4"])
def test_noise_of_watts_by_enumeration(oracle, budget):
    """Going through all answers, watts are unbiased and vary by exactly the stated moments."""
    law, offsets = law_for(oracle, int(float(budget) * MICRO), 1, 3), centred(VALUES)
    watts, chances = map(np.array, zip(*(told(law, answer, offsets) for answer in law.answers()), strict=True))
    means = chances.T @ watts
    second, third = watts_moments(offsets, law)

    assert np.allclose(means, offsets)
    assert np.allclose(chances.T @ watts**2 - means**2, second)
    if law.correlated:
        assert np.allclose([c @ np.abs(watts - m) ** 3 for c, m in zip(chances.T, means, strict=True)], third)


def test_noise_of_a_tally_is_unbiased():
    """Averaged over all tallies two homes can make, the estimated noise is the true one."""
    law, offsets = law_for("grr", MICRO, 1, 3), centred(VALUES)
    plan = plan_of([VALUES], oracle="grr")
    levels, found = (0, 2), np.zeros(())
    for answer in product(range(3), repeat=2):
        counts = np.bincount(answer, minlength=3)[None]
        tallies = tallies_of(2, [TallyKey(0, 0, 0, MICRO)], [np.array([2])], [counts])
        chance = np.prod([float(law.chance(a, level)) for a, level in zip(answer, levels, strict=True)])
        held = debias(counts[0], 2, law)
        found = found + chance * held @ watts_moments(offsets, law)[0]
        groups = DebiasedGroups.of(plan, TallyArrays.of(plan, tallies), 0)

        assert np.allclose(groups.held[0], held)
        assert np.allclose(groups.noise[0], noise(counts[0], 2, law))
        assert groups.watts_noise[0] >= 2 * watts_moments(offsets, law)[0].min()

    assert np.isclose(found, watts_moments(offsets, law)[0][[0, 2]].sum())


def test_each_group_has_its_own_law():
    """The same counts mean more homes when they were drawn with less budget."""
    plan = plan_of([VALUES], epsilon="2")
    keys = [TallyKey(0, 0, 0, MICRO // 2), TallyKey(0, 0, 0, 2 * MICRO)]
    counts = np.array([[50, 40, 35], [50, 40, 35]])
    groups = DebiasedGroups.of(plan, TallyArrays.of(plan, tallies_of(200, keys, [np.array([100, 100])], [counts])), 0)

    for row, key in enumerate(keys):
        law = law_for("oue", key.drawn, 1, 3)
        assert np.allclose(groups.held[row], debias(counts[row], 100, law))
        assert np.isclose(groups.step[row], 1 / float(law.hold - law.rise))
        assert np.isclose(groups.noise_not_held[row], float(law.rise * (1 - law.rise) / (law.hold - law.rise) ** 2))
        assert np.isclose(groups.noise_held[row], float(law.hold * (1 - law.hold) / (law.hold - law.rise) ** 2))


@given(values=st.lists(st.integers(1, 5), max_size=30))
def test_rows_of_each_budget(values):
    """Every row comes once, with the others of its value."""
    found = [(value, rows.tolist()) for value, rows in rows_by_value(np.array(values, dtype=np.int64))]

    assert found == [(each, [r for r, v in enumerate(values) if v == each]) for each in sorted(set(values))]


def test_as_many_budgets_as_groups():
    """What each of a million has for itself is found in seconds, not days."""
    assert sum(len(rows) for _, rows in rows_by_value(np.arange(1_000_000))) == 1_000_000


def test_budget_is_shared_by_the_asked():
    """With two of three appliances asked, each answers with half of what was drawn."""
    plan = plan_of([VALUES] * 3, appliances_per_report=2)
    tallies = tallies_of(9, [TallyKey(0, 0, 0, MICRO)], [np.array([6])] * 3, [np.array([[3, 2, 1]])] * 3)
    groups = DebiasedGroups.of(plan, TallyArrays.of(plan, tallies), 1)

    assert np.allclose(groups.held[0], debias([3, 2, 1], 6, law_for("oue", MICRO // 2, 1, 3)))


@pytest.mark.parametrize("oracle", ["oue", "grr"])
def test_watts_above_an_average_level(oracle):
    """The watts of a group are those of its estimated homes, the average level taken out."""
    plan = plan_of([VALUES], oracle=oracle)
    tallies = tallies_of(100, [TallyKey(0, 0, 0, MICRO)], [np.array([100])], [np.array([[50, 30, 20]])])
    groups = DebiasedGroups.of(plan, TallyArrays.of(plan, tallies), 0)

    assert np.isclose(groups.watts[0], groups.held[0] @ (VALUES - VALUES.mean()))
