"""Means are exact, and do not depend on how the readings arrive."""

import math
from functools import reduce
from operator import add

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from hushwatt.fleet.readings.exact_means import ExactMeans

READING = st.tuples(st.integers(0, 3), st.integers(0, 10**9).map(lambda milliwatts: milliwatts / 1000))


def mean_of(readings, cuts=()):
    """The means of four cells, the readings added in pieces."""
    means = ExactMeans(4)
    for piece in np.split(np.array(readings, dtype=[("cell", "i8"), ("watts", "f8")]), sorted(cuts)):
        means.add(piece["cell"], piece["watts"])
    return means.result().tolist()


@given(readings=st.lists(READING, max_size=40), cuts=st.lists(st.integers(0, 40), max_size=4), data=st.data())
def test_order_and_pieces_change_nothing(readings, cuts, data):
    """Shuffled and cut anywhere, the means are those of the exact sums."""
    by_cell = [[watts for cell, watts in readings if cell == place] for place in range(4)]
    exact = [math.fsum(watts) / len(watts) if watts else 0.0 for watts in by_cell]

    assert mean_of(readings, cuts) == exact
    assert mean_of(data.draw(st.permutations(readings))) == exact


def test_the_order_would_matter():
    """These three readings have two sums when added as they come; here they have one mean."""
    forth, back = [(0, 0.1), (0, 0.2), (0, 0.3)], [(0, 0.3), (0, 0.2), (0, 0.1)]

    assert reduce(add, [watts for _, watts in forth]) != reduce(add, [watts for _, watts in back])
    assert mean_of(forth)[0] == mean_of(back)[0] == math.fsum([0.1, 0.2, 0.3]) / 3


def test_a_single_reading_is_kept():
    """A reading that is alone in its slot is not touched, however small or large."""
    assert mean_of([(0, 5e-324), (1, 1.7e308), (2, 1 / 3)]) == [5e-324, 1.7e308, 1 / 3, 0.0]


def test_absurd_readings():
    """Readings beyond any power station are averaged without a warning."""
    assert mean_of([(0, 2.0**40), (0, 2.0**42)])[0] == 2.0**39 * 5
    assert mean_of([(0, 1.7e308), (0, 1.7e308), (1, 3.0)])[:2] == [math.inf, 3.0]


def test_what_stands_for_nothing_measured():
    """A cell without a reading is `missing`, whether or not others have several."""
    single, several = ExactMeans(3, math.nan), ExactMeans(3, math.nan)
    single.add(np.array([1]), np.array([0.0]))
    several.add(np.array([1, 1]), np.array([0.0, 4.0]))

    assert [str(each) for each in single.result()] == ["nan", "0.0", "nan"]
    assert [str(each) for each in several.result()] == ["nan", "2.0", "nan"]
