"""One number with its interval for each label: dots, bars, columns."""

from collections.abc import Sequence

from hushwatt.provider.dashboard.charts.figure import Figure, axis, error_bars, figure, rows_axis, spoken


def whiskers(
    labels: Sequence[str], values: Sequence[float], low: Sequence[float], high: Sequence[float], unit: str
) -> Figure:
    """A dot with its interval for each label, the first on top."""
    return figure(
        [
            {
                "type": "scatter",
                "mode": "markers",
                "x": list(values),
                "y": list(range(len(labels))),
                "marker": {"color": "--accent", "size": 10},
                "error_x": error_bars(values, low, high, "--accent", 2),
                "customdata": spoken(values, low, high, unit),
                "hovertemplate": "%{customdata}<extra></extra>",
            }
        ],
        xaxis=axis(ticksuffix=f" {unit}", rangemode="tozero", nticks=8),
        yaxis=rows_axis(labels),
    )


def bars(
    labels: Sequence[str], values: Sequence[float], low: Sequence[float], high: Sequence[float], unit: str
) -> Figure:
    """A bar with its interval for each label, the first on top."""
    return figure(
        [
            {
                "type": "bar",
                "orientation": "h",
                "x": list(values),
                "y": list(range(len(labels))),
                "width": 0.62,
                "marker": {"color": "--fill"},
                "error_x": error_bars(values, low, high, "--ink", 1.5),
                "customdata": spoken(values, low, high, unit),
                "hovertemplate": "%{customdata}<extra></extra>",
            }
        ],
        xaxis=axis(ticksuffix=f" {unit}", nticks=8),
        yaxis=rows_axis(labels),
    )


def columns(
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
                "customdata": spoken(values, low, high, unit),
                "hovertemplate": "%{x}<br>%{customdata}<extra></extra>",
            }
        ],
        xaxis=axis(type="category", showgrid=False),
        yaxis=axis(rangemode="tozero", tickformat=",~r"),
    )
