"""What levels say of the homes above so many watts, against homes whose watts are known."""

import numpy as np
import pytest
from tests.provider.simulated import plan_of

from hushwatt.provider.estimate.homes_above.threshold import bracket

VALUES = np.array([50.0, 200.0, 500.0, 1200.0])


def edged(*edges):
    return plan_of([[*edges, 2 * edges[-1]]], mapping="range").__class__.parse(
        PLAN.format(levels=f"edges = {list(edges)}", mapping="range")
    )


PLAN = """name = "shares"
description = "Shares of homes."
contact = "homes@example.org"
start = 2024-01-01
expires = 2025-01-01
slot = "1h"
epsilon = 1
window = 1
method = "lbu"
mapping = "{mapping}"
[[appliance]]
name = "oven"
{levels}
"""


def dithered(values):
    return plan_of([values], mapping="dither")


@pytest.mark.parametrize("watts, levels", [(100, [1, 2]), (500, [2]), (None, [1, 2])])
def test_an_edge_tells(watts, levels):
    """Homes above an edge hold the levels above it; those on it are not."""
    found = bracket(edged(100, 500), 0, watts)

    assert found.told
    assert np.flatnonzero(found.lower[0]).tolist() == np.flatnonzero(found.upper[0]).tolist() == levels
    assert found.watts == (100 if watts is None else watts)


@pytest.mark.parametrize(
    "watts, lower, upper, needs",
    [
        (50, [1, 2], [0, 1, 2], "edges = [50, 100, 500]"),
        (300, [2], [1, 2], "edges = [100, 300, 500]"),
        (800, [], [2], "edges = [100, 500, 800]"),
    ],
)
def test_between_edges_there_are_bounds(watts, lower, upper, needs):
    """Else the edges around bound the share, and the plan that would tell it is named."""
    found = bracket(edged(100, 500), 0, watts)

    assert not found.told
    assert found.needs == needs
    assert np.flatnonzero(found.lower[0]).tolist() == lower
    assert np.flatnonzero(found.upper[0]).tolist() == upper


def shares_of(values, watts):
    """The share of homes at each level when readings are rounded at random between `values`."""
    clipped = np.clip(watts, values[0], values[-1])
    weights = [np.interp(clipped, values, np.eye(len(values))[level]) for level in range(len(values))]
    return np.mean(weights, axis=1)


def spread(kind, rng):
    """Watts of homes: a few heavy users, all alike, or in two camps."""
    return {
        "heavy": rng.exponential(1, 4000) ** 3 * 60,
        "alike": np.full(4000, 480.0),
        "camps": np.where(rng.random(4000) < 0.3, 700.0, 0.0),
        "even": rng.uniform(0, 1500, 4000),
    }[kind]


@pytest.mark.parametrize("kind", ["heavy", "alike", "camps", "even"])
@pytest.mark.parametrize("watts", [0, 20, 50, 100, 200, 350, 500, 501, 900, 1200, 2000])
def test_dithered_levels_bound(kind, watts):
    """The real share of homes above lies between all bounds, whatever homes use."""
    readings = spread(kind, np.random.default_rng(1))
    found, shares = bracket(dithered(VALUES), 0, float(watts)), shares_of(VALUES, readings)
    true = (readings > watts).mean()

    assert not found.told
    assert (found.lower @ shares).max() <= true + 1e-9
    assert (found.upper @ shares).min() >= true - 1e-9


@pytest.mark.parametrize("low, high", [(1.3, 1.0), (1.0, 0.7)])
def test_bounds_are_no_wider_than_homes_need(low, high):
    """Homes in two camps reach the bounds: moved by a little, one of them is broken."""
    values = np.array([0.0, 1000.0])
    found = bracket(dithered(values), 0, 500.0)
    least, most = np.where(np.arange(10) < 6, 1000.0, 500.0), np.where(np.arange(10) < 6, 500.1, 0.0)
    reached = (found.lower @ shares_of(values, least)).max() * low, (found.upper @ shares_of(values, most)).min() * high

    assert reached[0] > (least > 500).mean() or reached[1] < (most > 500).mean()


def test_two_values_close_together_all_but_tell():
    """Around a step, bounds are the shares at and above it."""
    found = bracket(dithered([0.0, 495.0, 505.0, 2000.0]), 0, 500.0)
    shares = shares_of(np.array([0.0, 495.0, 505.0, 2000.0]), spread("camps", np.random.default_rng(2)))

    assert (found.upper @ shares).min() - (found.lower @ shares).max() < 0.25


def test_what_would_tell_dithered_watts():
    assert bracket(dithered(VALUES), 0, 300.0).needs == 'mapping = "range", edges = [50, 200, 300, 500, 1200]'
    assert bracket(dithered([0.0, 1000.0]), 0, None).needs == 'mapping = "range", edges = [10, 1000]'
