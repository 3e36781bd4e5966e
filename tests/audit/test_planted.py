"""Planted bugs stay where they belong."""

import pytest

from hushwatt.audit import planted
from hushwatt.plan.choices import METHODS
from hushwatt.privacy.strategies import STRATEGIES


@pytest.mark.parametrize("kind", [planted.AbsorbOneMore, planted.Redrawn])
def test_no_plan_names_them(kind):
    """The strategies that overspend cannot be named in a plan."""

    assert kind not in STRATEGIES.values()
    assert set(STRATEGIES) == set(METHODS)


def test_redrawn_speaks_twice_in_a_window():
    """Last slot of one window, first of the next: two full draws side by side."""
    state = planted.Redrawn.start(10, 2).after(False)

    assert (state.offer(), state.after(True).offer()) == (10, 10)
    assert planted.Redrawn.start(10, 2).after(True).offer() == 0
    assert (state.probe, state.largest, state.ceiling(2)) == (0, 10, 10)


def test_reused_seed_keeps_turns():
    """Only noise comes again; turns and orders are drawn as shipped."""
    source = planted.ReusedSeed(1, "x")

    first, again = (source.stream("probe", slot, 5, 0).words(4).tolist() for slot in (0, 1))
    turns, others = (source.stream("turns", slot).words(4).tolist() for slot in (0, 1))

    assert first == again
    assert turns != others
