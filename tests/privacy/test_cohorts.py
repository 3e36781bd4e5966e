"""A fleet's strategies are the strategies of its homes."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hushwatt.privacy.strategies import STRATEGIES, Absorb, Cohorts, Sample

EPSILON = 1_200_000

fleets = st.integers(0, 6).flatmap(
    lambda homes: st.lists(st.lists(st.booleans(), min_size=homes, max_size=homes), max_size=20)
)


def step(strategies, wished):
    """Each home's machine on its own; and who published."""
    published = [wish and each.offer() > 0 for each, wish in zip(strategies, wished, strict=True)]
    return [each.after(one) for each, one in zip(strategies, published, strict=True)], np.array(published, dtype=bool)


@pytest.mark.parametrize("name", STRATEGIES)
@settings(max_examples=40)
@given(window=st.integers(1, 6), wishes=fleets)
def test_cohorts_equal_machines_run_one_by_one(name, window, wishes):
    """Whatever each home wishes, the fleet offers and probes what the homes' own machines do."""
    one_by_one = [STRATEGIES[name].start(EPSILON, window)] * (len(wishes[0]) if wishes else 1)
    cohorts = Cohorts.alike(STRATEGIES[name].start(EPSILON, window), len(one_by_one))

    for wished in wishes:
        one_by_one, published = step(one_by_one, wished)
        cohorts = cohorts.after(published)

        assert cohorts.offers().tolist() == [each.offer() for each in one_by_one]
        assert cohorts.probes().tolist() == [each.probe for each in one_by_one]
        assert len(cohorts.states) == len(set(one_by_one))


@settings(max_examples=40)
@given(waits=st.lists(st.integers(0, 4), max_size=8), others=st.lists(st.integers(0, 4), max_size=8))
def test_homes_that_join_keep_their_states(waits, others):
    """Joined cohorts hold first these homes' states, then the others'; equal ones are stored once."""
    here, there = ([Sample.start(EPSILON, 5).turn(wait) for wait in each] for each in (waits, others))

    joined = Cohorts.of([*here]).joined(Cohorts.of([*there]))

    assert [joined.states[place] for place in joined.which] == here + there
    assert len(joined.states) == len(set(here + there))


def test_states_that_meet_are_stored_once():
    """Homes that went different ways into the same state share it again."""
    cohorts = Cohorts.alike(Absorb.start(EPSILON, 2), 2)

    apart = cohorts.after(np.array([True, False]))
    again = apart.after(np.array([True, True])).after(np.array([False, False])).after(np.array([True, False]))

    assert len(apart.states) == 2
    assert again.states == tuple(dict.fromkeys(again.states))
