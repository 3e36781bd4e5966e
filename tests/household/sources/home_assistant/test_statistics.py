"""Rows of statistics: a mean for power, a rise for counters, and nothing for what is no row."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hushwatt.household.clock import SECOND
from hushwatt.household.sources.home_assistant.statistics import PERIOD, question, rows

START = 1_700_000_100_000  # milliseconds, on a whole five minutes
NAME = "sensor.kettle"


def row(**values):
    return {NAME: [{"start": START, "end": START + 300_000, **values}]}


@pytest.mark.parametrize(
    "values, watts",
    [
        ({"mean": 120.5}, 120.5),
        ({"change": 10}, 120.0),
        ({"mean": 5, "change": 9}, 5.0),
        ({"mean": None, "change": 0}, 0),
    ],
)
def test_watts_of_a_row(values, watts):
    """The mean as it is; the rise of a counter over its five minutes."""
    [found] = rows(row(**values), NAME)

    assert (found.start, found.end) == (START * 1_000_000, START * 1_000_000 + PERIOD)
    assert found.watts == pytest.approx(watts)
    assert "120" not in repr(found)


@pytest.mark.parametrize(
    "answer",
    [
        None,
        3,
        {NAME: 3},
        {NAME: [3, None, {}]},
        row(),
        row(mean="120"),
        row(mean=True),
        row(mean=float("inf")),
        row(mean=10**400),
        row(change=-1),
        row(mean=1, end=START),
        row(mean=1, end=START + 3_600_000),
        row(mean=1, start="now"),
        {"sensor.other": row(mean=1)[NAME]},
    ],
)
def test_what_is_no_row_is_passed_over(answer):
    """Wrong types, impossible numbers, hours instead of minutes, other entities."""
    assert list(rows(answer, NAME)) == []


def test_whole_rows_are_asked_for():
    """All that touch the stretch of time, in watts and watt-hours."""
    asked = question([NAME], START * 1_000_000 + 90 * SECOND, START * 1_000_000 + 400 * SECOND)

    assert (asked["start_time"], asked["end_time"]) == ("2023-11-14T22:15:00+00:00", "2023-11-14T22:25:00+00:00")
    assert asked["period"] == "5minute"
    assert asked["units"] == {"power": "W", "energy": "Wh"}


@given(
    st.dictionaries(
        st.sampled_from(["start", "end", "mean", "change"]), st.none() | st.integers() | st.floats() | st.text()
    )
)
def test_nothing_that_comes_breaks_it(table):
    """Whatever a row holds."""
    for found in rows({NAME: [table]}, NAME):
        assert found.end > found.start


def test_a_rare_rise_is_of_all_the_rows_since_the_last():
    """Five kilowatt-hours in the last of twelve rows are 5 kW for an hour, not 60 kW for five minutes."""
    changes = [0] * 11 + [5_000, 0, 0]
    found = list(
        rows(
            {
                NAME: [
                    {"start": START + place * 300_000, "end": START + (place + 1) * 300_000, "change": change}
                    for place, change in enumerate(changes)
                ]
            },
            NAME,
        )
    )

    assert [((each.end - each.start) // PERIOD, round(each.watts)) for each in found] == [(12, 5_000), (2, 0)]


def test_rows_apart_from_each_other_are_not_joined():
    """Of what is between them nothing is known."""
    apart = [{"start": START, "end": START + 300_000, "change": 0}]
    apart += [{"start": START + 900_000, "end": START + 1_200_000, "change": 10}]

    assert [round(each.watts) for each in rows({NAME: apart}, NAME)] == [0, 120]
