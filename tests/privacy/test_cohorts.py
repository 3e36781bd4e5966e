"""A fleet's strategies are the strategies of its homes."""

import pickle
from functools import reduce
from itertools import accumulate

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hushwatt.privacy.strategies import STRATEGIES, Absorb, Cohorts, Sample, alike
from hushwatt.privacy.strategies.columns import Halves

EPSILON, YEAR = 1_200_000, 35_040

fleets = st.integers(0, 6).flatmap(
    lambda homes: st.lists(st.lists(st.booleans(), min_size=homes, max_size=homes), max_size=20)
)


def step(strategies, wished):
    """Each home's machine on its own; and who published."""
    published = [wish and each.offer() > 0 for each, wish in zip(strategies, wished, strict=True)]
    return [each.after(one) for each, one in zip(strategies, published, strict=True)], np.array(published, dtype=bool)


@pytest.mark.parametrize("name", STRATEGIES)
@settings(max_examples=60)
@given(window=st.integers(1, 6), wishes=fleets, pauses=st.lists(st.integers(0, 8), min_size=20, max_size=20))
def test_columns_equal_machines_run_one_by_one(name, window, wishes, pauses):
    """Whatever each home wishes, and however long all keep silent in between, each is in the state of its machine."""
    homes = len(wishes[0]) if wishes else 1
    one_by_one = [STRATEGIES[name].start(EPSILON, window).turn(home) for home in range(homes)]
    columns = alike(STRATEGIES[name].start(EPSILON, window), homes).in_turn(np.arange(homes))

    for wished, pause in zip(wishes, pauses, strict=False):
        one_by_one, published = step(one_by_one, wished)
        one_by_one = [reduce(lambda state, _: state.after(False), range(pause), each) for each in one_by_one]
        speaks = columns.after(published).draw_within(pause).tolist() if pause else None
        columns = columns.after(published).silent(pause)

        assert len(columns) == homes
        assert columns.offers().tolist() == [each.offer() for each in one_by_one]
        assert columns.probes().tolist() == [each.probe for each in one_by_one]
        assert columns.waits().tolist() == [each.wait for each in one_by_one]
        assert [columns.state(home) for home in range(homes)] == one_by_one
        assert speaks is None or len(speaks) == homes
        assert kept(columns).offers().tolist() == columns.offers().tolist()


def kept(columns):
    """The same after it was written down and read again."""
    return columns.with_columns(columns.columns())


@pytest.mark.parametrize("name", STRATEGIES)
@settings(max_examples=40)
@given(wishes=fleets, others=fleets, order=st.randoms(use_true_random=False))
def test_columns_join_and_are_reordered(name, wishes, others, order):
    """Homes that join, and homes in another order, keep their states."""
    here, there = (lived(name, each) for each in (wishes, others))
    homes = [*(here.state(home) for home in range(len(here))), *(there.state(home) for home in range(len(there)))]
    places = order.sample(range(len(homes)), len(homes))

    both = here.joined(there)
    moved = both.reordered(np.array(places, dtype=np.intp))

    assert [both.state(home) for home in range(len(both))] == homes
    assert [moved.state(home) for home in range(len(moved))] == [homes[place] for place in places]
    assert both.after(both.offers() > 0).offers().tolist() == [each.after(each.offer() > 0).offer() for each in homes]


def lived(name, wishes):
    """Homes after some slots."""
    homes = len(wishes[0]) if wishes else 1
    columns = alike(STRATEGIES[name].start(EPSILON, 4), homes).in_turn(np.arange(homes))
    for wished in wishes:
        columns = columns.after(np.array(wished, dtype=bool) & (columns.offers() > 0))
    return columns


@pytest.mark.parametrize("name", STRATEGIES)
@given(window=st.integers(1, 6), wished=st.lists(st.booleans(), max_size=12), slots=st.integers(1, 9))
def test_a_machine_knows_what_silence_leads_to(name, window, wished, slots):
    """Silence of so many slots is one silent slot after the other; a draw is within it when one of these offers."""
    state = STRATEGIES[name].start(EPSILON, window)
    for wish in wished:
        state = state.after(wish and state.offer() > 0)
    silent = list(accumulate(range(slots), lambda each, _: each.after(False), initial=state))

    assert state.silent(slots) == silent[-1]
    assert state.draws_within(slots) == any(each.offer() for each in silent[:-1])
    assert alike(state, 2).draw_within(slots).tolist() == [state.draws_within(slots)] * 2


@pytest.mark.parametrize("name", STRATEGIES)
def test_room_for_a_year(name):
    """A year of quarter hours needs no more numbers for a home than three slots do, and one for each publication."""
    sizes = {}
    for window in (3, YEAR):
        columns = alike(STRATEGIES[name].start(10**9, window), 50).in_turn(np.arange(50))
        for slot in range(40):
            columns = columns.after((np.arange(50) % 7 == slot % 7) & (columns.offers() > 0))
        published = len(columns.book) if isinstance(columns, Halves) else 0
        sizes[window] = len(pickle.dumps(columns, protocol=5)) - 16 * published
        largest = len(pickle.dumps(columns.state(0), protocol=5))

        assert largest < 1_000
    assert sizes[YEAR] < 1.3 * sizes[3] + 500


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
