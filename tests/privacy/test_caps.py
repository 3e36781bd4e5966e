"""A plan uses as much of ε as the cap on one appliance allows, and no more."""

from contextlib import nullcontext
from fractions import Fraction
from math import ceil

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hushwatt.errors import PlanError
from hushwatt.privacy.strategies import Uniform, affordable, strategy_for
from hushwatt.privacy.strategies.caps import MAX_TURNS


def test_without_a_cap_all_of_epsilon_is_used(plan_of):
    """A plan that caps nothing starts its strategy with ε."""
    assert affordable(plan_of(3, 3, epsilon=1_234_567)) == 1_234_567


@pytest.mark.parametrize("method", ["lsp", "lpu", "lbd", "lba"])
def test_one_draw_shares_itself_among_its_appliances(plan_of, method):
    """A window's ε reaches one appliance with ε/s at most, so s times the cap can be used."""
    plan = plan_of(3, 3, 3, method=method, epsilon=9_000_000, appliance_epsilon=1_000_000)

    assert affordable(plan) == 3_000_000


def test_a_generous_cap_changes_nothing(plan_of):
    """Never more than ε, whatever the cap."""
    assert affordable(plan_of(3, 3, method="lpu", epsilon=9, appliance_epsilon=1_000_000)) == 9


@settings(max_examples=200)
@given(
    count=st.integers(1, 9),
    data=st.data(),
    window=st.integers(1, 12),
    cap=st.integers(20, 3_000_000),
)
def test_lbu_gives_one_appliance_all_of_its_cap_and_no_more(plan_of, count, data, window, cap):
    """In the ⌈w·s/n⌉ draws that can reach an appliance it gets at most its cap, less a rounding."""
    asked = data.draw(st.integers(1, count))
    plan = plan_of(*[2] * count, window=window, appliances_per_report=asked, epsilon=10**9, appliance_epsilon=cap)
    turns = ceil(Fraction(window * asked, count))

    share = Uniform.start(affordable(plan), window).offer()

    assert Fraction(turns * share, asked) <= cap
    assert Fraction(turns * (share + 1), asked) > cap


@pytest.mark.parametrize("method, window, cap", [("lbu", 100, 1), ("lba", 3, 5), ("lbd", 3, 5)])
def test_a_cap_that_leaves_nothing_is_refused(plan_of, method, window, cap):
    """A cap so low that no slot could speak is said, rather than met with silence."""
    plan = plan_of(2, method=method, window=window, epsilon=1_000_000, appliance_epsilon=cap)

    with pytest.raises(PlanError, match=r"appliance_epsilon is 0\.00000\d, which leaves less than 0\.000001"):
        affordable(plan)


@pytest.mark.parametrize("window, refused", [(MAX_TURNS, False), (MAX_TURNS + 1, True)])
def test_turns_that_can_be_counted(plan_of, window, refused):
    """Where homes take turns, a window has no more of them than can be counted."""
    plan = plan_of(3, 3, method="lpu", epsilon=9, window=window)
    with pytest.raises(PlanError, match="at most 4,194,304: lengthen slot") if refused else nullcontext():
        strategy_for(plan)
