"""How many ones chance allows: never tighter than the promise, and quick for any plan."""

from fractions import Fraction
from itertools import product
from math import comb

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hushwatt.plan.rules import MOST_APPLIANCES, MOST_CELLS
from hushwatt.privacy import band as ones
from hushwatt.privacy.band import DOUBT, Weights, band, remembers
from hushwatt.privacy.laws import law_for


def chances(count, chance):
    return [comb(count, k) * chance**k * (1 - chance) ** (count - k) for k in range(count + 1)]


def tail(first, second, numbers):
    """The chance that the sum of two binomials is one of these numbers, in fractions."""
    return sum(
        (one * other for (i, one), (j, other) in product(enumerate(first), enumerate(second)) if i + j in numbers),
        Fraction(0),
    )


@settings(max_examples=60, deadline=None)
@given(
    oracle=st.sampled_from(["oue", "sue"]),
    drawn=st.integers(1, 60_000_000),
    asked=st.integers(1, 6),
    more=st.integers(0, 20),
)
def test_a_band_is_the_exact_one(oracle, drawn, asked, more):
    """Outside it at most half the doubt on either side, one step further in more than that."""
    levels = 2 * asked + more
    law = law_for(oracle, drawn, asked, levels)
    first, second = chances(asked, law.hold), chances(levels - asked, law.rise)

    low, high = band(oracle, drawn, asked, levels)

    assert tail(first, second, range(low)) <= DOUBT / 2 < tail(first, second, range(low + 1))
    assert tail(first, second, range(high + 1, levels + 1)) <= DOUBT / 2
    assert tail(first, second, range(high, levels + 1)) > DOUBT / 2


@given(count=st.integers(0, 300), chance=st.integers(0, ones.CHANCES))
@settings(max_examples=60, deadline=None)
def test_weights_are_bounds(count, chance):
    """What is said of a binomial lies above its true chances, and hardly above."""
    exact = chances(count, Fraction(chance, ones.CHANCES))
    weights = Weights.of(count, chance)
    below = Fraction(0)
    for number, each in enumerate(exact):
        below += each
        said = Fraction(weights.at_most(number), weights.total)

        assert below <= said <= below + Fraction(1, 10**40)


def test_the_largest_plan_is_a_matter_of_steps(monkeypatch):
    """The work grows like the spread of the ones, not like their number: a large plan stalls nobody."""
    steps = 0
    falling = ones._falling

    def counted(ratios):
        nonlocal steps
        for each in falling(ratios):
            steps += 1
            yield each

    monkeypatch.setattr(ones, "_falling", counted)
    ones._band("oue", 1, MOST_APPLIANCES, MOST_CELLS)

    assert steps < MOST_CELLS


def test_a_band_is_worked_out_once(monkeypatch):
    """What has been worked out is at hand; of too many cases none is kept for ever."""
    monkeypatch.setattr(ones, "_remembered", {})
    monkeypatch.setattr(ones, "MOST", 2)
    case = ("oue", 1_000_000, 2, 9)

    assert not remembers([case])
    first = band(*case)
    monkeypatch.setattr(ones, "_band", pytest.fail)
    assert remembers([case])
    assert band(*case) == first
    monkeypatch.setattr(ones, "_band", lambda *case: (0, 0))
    band("oue", 2, 2, 9)
    band("oue", 3, 2, 9)
    assert not remembers([case])
