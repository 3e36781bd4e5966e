"""Rows become means by holding the last value, and nothing is made up where nothing was measured."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hushwatt.evaluate.datasets.time_grid import SECOND, TimeGrid
from hushwatt.evaluate.datasets.zero_order_hold import ZeroOrderHold
from hushwatt.plan.slot import SlotLength

HOUR = TimeGrid(SlotLength(1, "h"))
GAP = 1_800


def means(rows, grid=HOUR, gap=GAP, coverage=0.0, pieces=1):
    """The means of one meter, given as (second, watts) rows fed in several pieces."""
    holding = ZeroOrderHold(grid, 1, gap)
    for piece in np.array_split(np.array(rows, dtype=float).reshape(-1, 2), pieces):
        holding.add((piece[:, 0] * SECOND).astype(np.int64), piece[:, 1:])
    starts, watts = holding.finish()[0].means(coverage)
    return dict(zip((starts // SECOND).tolist(), watts.tolist(), strict=True))


def by_the_second(rows, period, gap):
    """The same by the definition, second by second."""
    rows = sorted(rows, key=lambda row: row[0])
    ends = [second for second, _ in rows[1:]]
    if len(rows) > 1:
        ends.append(2 * rows[-1][0] - rows[-2][0])
    found = {}
    for (begin, watts), end in zip(rows, ends, strict=False):
        if end - begin <= gap and not np.isnan(watts):
            for second in range(begin, end):
                found.setdefault(second // period * period, []).append(watts)
    return {start: float(np.mean(watts)) for start, watts in found.items()}


def test_values_are_held_not_summed():
    """Ten rows within a minute weigh a minute, not ten times a quiet hour."""
    busy = [(second, 3_000.0) for second in range(0, 60, 6)]
    rows = [*busy, *((second, 0.0) for second in range(60, 3_600, 600)), (3_600, 0.0)]

    assert means(rows)[0] == pytest.approx(3_000 / 60)


def test_a_value_is_held_up_to_the_longest_gap():
    """A gap of exactly the longest is held through, one of a second more is unmeasured from its start."""

    assert means([(0, 100.0), (GAP, 0.0), (GAP + 600, 0.0)])[0] == pytest.approx(100 * 1_800 / 3_000)
    assert means([(0, 100.0), (GAP + 1, 0.0), (GAP + 601, 0.0)])[0] == 0.0


def test_a_gap_is_not_zero():
    """What was not measured does not pull the mean down."""
    rows = [(0, 50.0), (600, 50.0), (1_200, 50.0), (9_000, 70.0), (9_600, 70.0)]

    assert means(rows) == {0: pytest.approx(50.0), 7_200: pytest.approx(70.0)}


def test_the_last_row_is_held_as_long_as_the_one_before():
    """Rows every half hour fill the hours they begin in; a single row fills nothing."""

    assert means([(0, 10.0), (1_800, 30.0)]) == {0: pytest.approx(20.0)}
    assert means([(0, 10.0)]) == {}


def test_not_a_number_means_unmeasured_from_now_on():
    """A NaN ends the value before it and starts nothing."""
    rows = [(0, 10.0), (600, np.nan), (1_200, 40.0), (1_800, 40.0), (2_400, 40.0)]

    assert means(rows)[0] == pytest.approx((600 * 10 + 1_800 * 40) / 2_400)


def test_coverage():
    """Periods of which too little was measured are left out, counted, and otherwise remarked upon."""
    holding = ZeroOrderHold(HOUR, 1, GAP)
    holding.add(np.array([0, 1_800, 3_600, 4_000]) * SECOND, np.full((4, 1), 5.0))
    [periods] = holding.finish()

    assert (periods.starts // SECOND).tolist() == [0, 3_600]
    assert periods.means(0.5)[0].tolist() == [0]
    assert (periods.left_out(0.5), periods.left_out(0.0)) == (1, 0)
    assert (periods.partly(0.0), periods.partly(0.5)) == (1, 0)


def test_rows_out_of_order():
    """Within a piece rows are sorted; those that come a piece too late are left out and counted."""
    holding = ZeroOrderHold(HOUR, 1, GAP)
    holding.add(np.array([600, 0, 1_200]) * SECOND, np.array([[2.0], [1.0], [3.0]]))
    holding.add(np.array([300, 1_800]) * SECOND, np.array([[99.0], [4.0]]))
    [periods] = holding.finish()

    assert holding.late == 1
    assert periods.joules.sum() == pytest.approx(600 * (1 + 2 + 3 + 4))


def test_of_two_rows_at_one_time_the_last_counts():
    """Equal times do not lead to a division by zero, and the later row is the one held."""

    assert means([(0, 1.0), (600, 5.0), (600, 7.0), (1_200, 7.0)])[0] == pytest.approx((600 * 1 + 1_200 * 7) / 1_800)


def test_several_meters_at_once():
    """Meters that are read together do not disturb each other."""
    holding = ZeroOrderHold(HOUR, 2, GAP)
    holding.add(np.array([0, 1_800]) * SECOND, np.array([[10.0, np.nan], [30.0, 8.0]]))
    first, second = holding.finish()

    assert first.means(0)[1] == pytest.approx([20.0])
    assert second.means(0)[1] == pytest.approx([8.0])
    assert second.seconds.sum() == 1_800


def test_nothing_at_all():
    """A meter without rows has no periods."""

    assert [len(periods.starts) for periods in ZeroOrderHold(HOUR, 2, GAP).finish()] == [0, 0]


def test_a_stray_date_costs_no_memory():
    """Two rows a century apart do not make a period for every second in between."""
    second = TimeGrid(SlotLength(1, "s"))

    assert means([(0, 1.0), (1, 1.0), (4_000_000_000, 2.0), (4_000_000_001, 2.0)], second) == {
        0: 1.0,
        4_000_000_000: 2.0,
        4_000_000_001: 2.0,
    }


@given(
    rows=st.lists(st.tuples(st.integers(0, 20_000), st.integers(0, 100) | st.none()), min_size=1, max_size=40),
    period=st.sampled_from([60, 600, 3_600]),
    gap=st.integers(1, 5_000),
    pieces=st.integers(1, 4),
)
def test_agrees_with_counting_seconds(rows, period, gap, pieces):
    """However the rows lie and arrive, the means are those of every single second."""
    rows = sorted((second, float("nan") if watts is None else float(watts)) for second, watts in dict(rows).items())
    grid = TimeGrid(SlotLength(period, "s"))

    assert means(rows, grid, gap, pieces=pieces) == pytest.approx(by_the_second(rows, period, gap))


class TestGrid:
    def test_local_days(self):
        """Whole days begin at local midnight and have 23 or 25 hours when the clocks change."""
        days = TimeGrid(SlotLength(1, "d"), "Europe/London")
        start = int(np.datetime64("2014-03-29T12:00", "ns").astype(np.int64))
        edges = days.edges(start, start + 2 * 86_400 * SECOND)

        assert edges.astype("datetime64[ns]").astype("datetime64[h]").astype(str).tolist() == [
            "2014-03-29T00",
            "2014-03-30T00",
            "2014-03-30T23",
            "2014-03-31T23",
        ]

    def test_edges_enclose(self):
        """The borders enclose the first and the last moment, and none is missing."""
        for length in (SlotLength(7, "m"), SlotLength(1, "d"), SlotLength(7, "d"), SlotLength(1, "s")):
            edges = TimeGrid(length, "Asia/Tokyo").edges(1_000_003 * SECOND, 1_009_000 * SECOND)

            assert edges[0] <= 1_000_003 * SECOND
            assert edges[-1] > 1_009_000 * SECOND
            assert {int(b - a) // SECOND for a, b in pairwise(edges)} == {length.seconds}
