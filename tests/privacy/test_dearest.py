"""Claim C2: the dearest window is found, whatever is decided."""

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hushwatt.privacy.dearest import dearest, dearest_window
from hushwatt.privacy.strategies import STRATEGIES, Absorb, Distribute, Sample, Uniform


def costs(strategy, wishes):
    """What each slot costs when publishing is wished or not."""
    for wish in wishes:
        publish = wish and strategy.offer() > 0
        yield strategy.probe + strategy.offer() * publish
        strategy = strategy.after(publish)


def dearest_of_all(strategy, window, slots):
    """The same by trying every sequence of wishes, one by one."""
    spends = [list(costs(strategy, wishes)) for wishes in product((False, True), repeat=slots)]
    return max(sum(spend[start : start + window]) for spend in spends for start in range(slots - window + 1))


@pytest.mark.parametrize("name", ["lbu", "lsp", "lba", "lpu"])
@pytest.mark.parametrize("window", [1, 2, 3, 4])
def test_search_equals_trying_every_sequence(name, window):
    """Walking states finds what trying every sequence of decisions finds."""
    strategy = STRATEGIES[name].start(1_000_003, window)

    found = dearest(strategy, window)

    assert found.exact
    assert found.amount == dearest_of_all(strategy, window, slots=11)


@pytest.mark.parametrize("window", [1, 2])
def test_search_of_lbd_covers_every_sequence(window):
    """LBD's states go on for ever, so no finite number of slots shows more than the search."""
    strategy = Distribute.start(1_000_000, window)

    found = dearest(strategy, window)

    assert found.exact
    assert dearest_of_all(strategy, window, slots=11) <= found.amount <= 1_000_000


@pytest.mark.parametrize("name", STRATEGIES)
@settings(max_examples=30)
@given(epsilon=st.integers(100, 10**8), window=st.integers(1, 200))
def test_never_more_than_promised(name, epsilon, window):
    """What is found is at most the strategy's own bound, and that is at most ε."""
    strategy = STRATEGIES[name].start(epsilon, window)

    found = dearest(strategy, window)

    assert found.amount <= strategy.ceiling(window) <= epsilon


@pytest.mark.parametrize("name", STRATEGIES)
@given(window=st.integers(1, 8), looked=st.integers(1, 20), wishes=st.lists(st.booleans(), max_size=60))
def test_bound_holds_for_windows_of_any_length(name, window, looked, wishes):
    """A strategy's bound holds for any number of slots in a row, not only for its own window."""
    strategy = STRATEGIES[name].start(1_000_000, window)

    spends = list(costs(strategy, wishes))

    ceiling = strategy.ceiling(looked)
    assert all(sum(spends[start : start + looked]) <= ceiling for start in range(len(spends)))


def test_too_many_states_give_a_bound():
    """Where the states cannot be searched the answer says that it is a bound."""
    found = dearest(Distribute.start(1_000_000, 12), 12)

    assert not found.exact
    assert found.amount == 12 * 41_666 + 500_000


@pytest.mark.parametrize(
    "strategy, window, most",
    [
        (Uniform.start(1_000_000, 3), 3, 999_999),
        (Sample.start(1_000_000, 3), 3, 1_000_000),
        (Sample.start(1_000_000, 3), 4, 2_000_000),
        (Absorb.start(1_000_000, 2), 2, 1_000_000),
        (Absorb.start(1_000_000, 2), 1, 750_000),
    ],
)
def test_dearest_window_by_hand(strategy, window, most):
    """Windows worked out by hand cost what the search says."""
    amount = dearest_window(strategy, window)

    assert amount == most
