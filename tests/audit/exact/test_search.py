"""The worst transcript is found."""

from fractions import Fraction
from math import inf

import numpy as np
import pytest

from hushwatt.audit.exact.brute_force import KeptProbes, worst_ratio
from hushwatt.audit.exact.household_decided import EnumeratedHome
from hushwatt.audit.exact.observers import OBSERVERS, Transcript
from hushwatt.audit.exact.search import SEARCHED, TranscriptTable, carried, hidden_losses, worse
from hushwatt.audit.exponent import at_most
from hushwatt.audit.miniature import Mechanism, Shape, small_plan

CASES = [
    (method, oracle, Shape(widths, window, slots))
    for method, oracle, widths, window, slots in [
        ("lbd", "oue", (2,), 1, 2),
        ("lba", "sue", (2,), 2, 3),
        ("lbd", "grr", (2,), 2, 4),
        ("lba", "grr", (3,), 1, 3),
        ("lba", "grr", (2, 2), 1, 2),
    ]
]


def plan_of(method, oracle, shape, mapping="range", epsilon=1_000_000):
    mechanism = Mechanism(method, "household", oracle, mapping, False)
    return small_plan(mechanism, shape, epsilon, len(shape.widths))


@pytest.mark.parametrize("method, oracle, shape", CASES)
@pytest.mark.parametrize("observer", OBSERVERS)
def test_finds_what_trying_everything_finds(method, oracle, shape, observer):
    """The search finds the worst ratio that the plain enumeration of everything finds."""
    plan = plan_of(method, oracle, shape)

    found = hidden_losses(plan, shape.slots, observer).home
    tried = worst_ratio(
        EnumeratedHome.of(plan), KeptProbes(), plan.window, shape.slots, decisions=observer != "vectors"
    )

    assert found / SEARCHED <= tried <= found


@pytest.mark.parametrize("method, oracle, shape", CASES)
def test_seeing_more_tells_more(method, oracle, shape):
    """Whoever sees the decisions too learns at least as much; one appliance is part of the home."""
    vectors, everything = (
        hidden_losses(plan_of(method, oracle, shape), shape.slots, observer) for observer in OBSERVERS
    )

    assert vectors.home <= everything.home * SEARCHED
    assert everything.appliance <= everything.home * SEARCHED


def test_a_slip_is_noticed():
    """Were the promise a tenth smaller than what is spent, the enumeration would say no."""
    plan = plan_of("lba", "grr", Shape((2,), 1, 3))

    told = hidden_losses(plan, 3, "vectors and decisions").home

    assert at_most(told, Fraction(73, 100))
    assert not at_most(told, Fraction(72, 100))


def test_impossible_for_one_is_infinite():
    """What one stream can lead to and another cannot has no finite ratio."""
    table = TranscriptTable(0, None, np.array([[0.25, 0.0], [0.5, 0.5]]), slots=2, appliances=1)
    table = TranscriptTable(0, None, np.stack([table.chances, np.full((2, 2), 0.1)]), slots=2, appliances=1)

    found = worse(None, table, (2,))

    assert found.ratio == inf
    assert found.transcript == Transcript((0, 0), None)
    assert (found.likely, found.unlikely) == ((0, 0), (0, 1))


def test_impossible_for_all_tells_nothing():
    """A transcript that never happens is no transcript."""
    table = TranscriptTable(0, None, np.zeros((1, 2, 2)), slots=2, appliances=1)

    assert worse(None, table, (2,)).ratio == 1


def test_carried():
    """A known repeat is the vector before it, whatever its axis says."""

    assert carried(Transcript((3, 0, 2, 0), (9, 0, 9, 0))) == (3, 3, 2, 2)
    assert carried(Transcript((3, 0, 2, 0), None)) == (3, 0, 2, 0)
