"""One number with its interval for each label: dots, bars, columns."""

from collections.abc import Sequence
from typing import Any

from hushwatt.provider.dashboard.charts.figure import Figure, axis, error_bars, figure, hover_texts, rows_axis


def dot_plot(
    labels: Sequence[str], values: Sequence[float], low: Sequence[float], high: Sequence[float], unit: str
) -> Figure:
    """A dot with its interval for each label, the first on top."""
    dots = {
        "type": "scatter",
        "mode": "markers",
        "marker": {"color": "--accent", "size": 10},
        "error_x": error_bars(values, low, high, "--accent", 2),
    }
    return _across(
        dots, labels, values, hover_texts(values, low, high, unit), rangemode="tozero", ticksuffix=f" {unit}"
    )


def bar_chart(
    labels: Sequence[str], values: Sequence[float], low: Sequence[float], high: Sequence[float], unit: str
) -> Figure:
    """A bar with its interval for each label, the first on top."""
    lying = {
        "type": "bar",
        "orientation": "h",
        "width": 0.62,
        "marker": {"color": "--fill"},
        "error_x": error_bars(values, low, high, "--ink", 1.5),
    }
    return _across(lying, labels, values, hover_texts(values, low, high, unit), ticksuffix=f" {unit}")


def _across(marks: Figure, labels: Sequence[str], values: Sequence[float], texts: list[str], **scale: Any) -> Figure:
    """Values to the right, a row for each label."""
    rows = {
        "x": list(values),
        "y": list(range(len(labels))),
        "customdata": texts,
        "hovertemplate": "%{customdata}<extra></extra>",
    }
    return figure([marks | rows], xaxis=axis(nticks=8, **scale), yaxis=rows_axis(labels))


def column_chart(
    labels: Sequence[str], values: Sequence[float], low: Sequence[float], high: Sequence[float], unit: str
) -> Figure:
    """An upright bar with its interval for each label."""
    return figure(
        [
            {
                "type": "bar",
                "x": list(labels),
                "y": list(values),
                "width": 0.62,
                "marker": {"color": "--fill"},
                "error_y": error_bars(values, low, high, "--ink", 1.5),
                "customdata": hover_texts(values, low, high, unit),
                "hovertemplate": "%{x}<br>%{customdata}<extra></extra>",
            }
        ],
        xaxis=axis(type="category", showgrid=False),
        yaxis=axis(rangemode="tozero", tickformat=",~r"),
    )
