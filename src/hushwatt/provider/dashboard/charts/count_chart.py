"""Count charts: exact counts as columns."""

from collections.abc import Sequence

from hushwatt.provider.dashboard.charts.figure import Figure, axis, figure, sparse_ticks


def count_chart(
    labels: Sequence[str], values: Sequence[float], kinds: Sequence[bool], line: tuple[str, float] | None
) -> Figure:
    """Exact counts as columns; those not of a kind are pale, and a line may mark what is needed."""
    drawn = figure(
        [
            {
                "type": "bar",
                "x": list(range(len(labels))),
                "y": list(values),
                "customdata": list(labels),
                "marker": {"color": ["--fill" if kind else "--pale" for kind in kinds]},
                "hovertemplate": "%{customdata}<br>%{y:,}<extra></extra>",
            }
        ],
        xaxis=axis(**sparse_ticks(labels), showgrid=False, zeroline=False),
        yaxis=axis(rangemode="tozero", tickformat=",~d"),
    )
    if line is not None:
        name, level = line
        drawn["layout"]["shapes"] = [
            {
                "type": "line",
                "xref": "paper",
                "x0": 0,
                "x1": 1,
                "y0": level,
                "y1": level,
                "line": {"color": "--warn", "width": 1.5, "dash": "dash"},
            }
        ]
        drawn["layout"]["annotations"] = [
            {
                "xref": "paper",
                "x": 1,
                "y": level,
                "text": name,
                "showarrow": False,
                "xanchor": "right",
                "yanchor": "bottom",
                "font": {"color": "--warn", "size": 12},
                "bgcolor": "--card",
            }
        ]
    return drawn
