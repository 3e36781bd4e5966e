"""The small drawings of the tables: bars and patterns."""

from types import SimpleNamespace

import numpy as np
import pytest

from hushwatt.cli.text_charts import BAR_CELLS, PATTERN_CELLS, bar, pattern, sparkline


@pytest.mark.parametrize(
    "limits, drawn",
    [
        ((20, 30, 40), "█" * 12 + "▒" * 6 + "░" * 6),
        ((-5, 10, 40), "▒" * 6 + "░" * 18),
        ((-30, -10, 20), "░" * 12),
        ((40, 40, 40), "█" * 24),
        ((-9, -8, -7), ""),
    ],
)
def test_bars(limits, drawn):
    """Solid up to the lower limit, fading over the interval, and nothing below zero."""

    low, middle, high = limits

    assert bar(low, middle, high, most=40) == drawn
    assert len(drawn) <= BAR_CELLS


def test_bars_without_watts():
    """When nothing is above zero there is nothing to draw."""

    assert bar(-2, -1, 0, most=0) == ""


def test_patterns():
    """Low and high columns for low and high slots, a gap where there is no answer."""
    numbers = SimpleNamespace(known=np.array([True, False, True, True]), watts=np.array([3.0, 0.0, 10.0, 6.5]))

    assert pattern(numbers) in ("▁ █▄", "▁ █▅")  # type: ignore[arg-type]


@pytest.mark.parametrize("count", [1, PATTERN_CELLS, PATTERN_CELLS + 1, 365])
def test_long_patterns_fit(count):
    """Many slots are averaged until they fit."""
    numbers = SimpleNamespace(known=np.ones(count, dtype=bool), watts=np.arange(count, dtype=float))
    drawn = pattern(numbers)  # type: ignore[arg-type]

    assert 1 <= len(drawn) <= PATTERN_CELLS
    assert drawn == "".join(sorted(drawn))


def test_patterns_of_nothing():
    """No slot is no pattern."""

    assert pattern(SimpleNamespace(known=np.array([], dtype=bool), watts=np.array([]))) == ""  # type: ignore[arg-type]


def test_columns_from_the_least_to_the_most():
    """A gap where there is nothing, and one height where all are alike."""
    assert (sparkline([0.0, None, 7.0]), sparkline([3.0, 3.0]), sparkline([])) == ("▁ █", "▁▁", "")
