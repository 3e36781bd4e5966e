"""Line charts: lines over time, each in the band of its interval."""

from collections.abc import Sequence
from dataclasses import dataclass

from hushwatt.provider.dashboard.charts.figure import Figure, axis, figure, hatch_pattern, sparse_ticks

SERIES = (
    ("--series-1", "--series-1-band"),
    ("--series-2", "--series-2-band"),
    ("--series-3", "--series-3-band"),
    ("--series-4", "--series-4-band"),
)
SYMBOLS = ("circle", "square", "diamond", "triangle-up")  # so that colour is not all that tells them apart

FEW = 100  # points whose marks do not run into each other


@dataclass(frozen=True)
class ChartLine:
    """One series over time; None where there is no answer."""

    name: str
    values: Sequence[float | None]
    limits: Sequence[tuple[float, float] | None]
    remarks: Sequence[str]  # beside each value


def line_chart(
    times: Sequence[str],
    lines: Sequence[ChartLine],
    gaps: Sequence[str],
    seconds: float,
    unit: str,
    breaks: frozenset[int] = frozenset(),
) -> Figure:
    """Lines over time, each in the band of its interval; times in `gaps`, so long, are hatched.

    After the places in `breaks` lines are broken, as no time that was asked for lies there.
    """
    times, lines = broken(times, lines, breaks)
    drawn = lines_with_bands(times, lines, unit)
    if gaps:
        drawn["data"].append(_hatched(gaps, seconds))
    drawn["layout"] |= {
        "xaxis": axis(type="date", showgrid=False),
        "yaxis2": {"overlaying": "y", "visible": False, "range": [0, 1], "fixedrange": True},
    }
    return drawn


def profile_chart(ticks: Sequence[str], lines: Sequence[ChartLine], unit: str) -> Figure:
    """Lines over time that repeats, by the names of its parts."""
    drawn = lines_with_bands(list(ticks), lines, unit)
    shown = sparse_ticks(ticks)
    drawn["layout"]["xaxis"] = axis(
        type="category", showgrid=False, tickvals=shown["ticktext"], ticktext=shown["ticktext"], tickangle=0
    )
    return drawn


def broken(
    times: Sequence[str], lines: Sequence[ChartLine], breaks: frozenset[int]
) -> tuple[list[str], list[ChartLine]]:
    """The same with nothing after each place in `breaks`, so that no line leads over it."""
    places: list[int | None] = []
    for place in range(len(times)):
        places += [place, None] if place in breaks else [place]
    shown = [times[place if place is not None else places[index - 1] or 0] for index, place in enumerate(places)]
    return shown, [
        ChartLine(
            line.name,
            [None if place is None else line.values[place] for place in places],
            [None if place is None else line.limits[place] for place in places],
            ["" if place is None else line.remarks[place] for place in places],
        )
        for line in lines
    ]


def lines_with_bands(times: Sequence[str], lines: Sequence[ChartLine], unit: str) -> Figure:
    """Lines, each in its band, with a legend."""
    data: list[Figure] = []
    for line, (colour, band), symbol in zip(lines, SERIES, SYMBOLS, strict=False):
        data += _band(times, line, band)
        data.append(
            {
                "type": "scatter",
                "mode": "lines+markers",
                "name": line.name,
                "x": list(times),
                "y": list(line.values),
                "line": {"color": colour, "width": 2},
                "marker": {"color": colour, "size": 6 if len(times) <= FEW else 3, "symbol": symbol},
                "customdata": [
                    [*(limits or (None, None)), remark]
                    for limits, remark in zip(line.limits, line.remarks, strict=True)
                ],
                "hovertemplate": f"%{{y:,.1f}} {unit} (%{{customdata[0]:,.1f}} to %{{customdata[1]:,.1f}})"
                "%{customdata[2]}",
                "connectgaps": False,
            }
        )
    return figure(
        data,
        yaxis=axis(ticksuffix=f" {unit}"),
        hovermode="x unified",
        showlegend=True,
        legend={
            "orientation": "h",
            "y": 1.02,
            "yanchor": "bottom",
            "x": 0,
            "traceorder": "normal",
            "itemclick": False,
            "itemdoubleclick": False,
        },
    )


def _band(times: Sequence[str], line: ChartLine, colour: str) -> list[Figure]:
    """The interval as a filled outline, broken where there is no answer."""
    pieces: list[Figure] = []
    run: list[tuple[str, float, float]] = []
    for time, limits in [*zip(times, line.limits, strict=True), ("", None)]:
        if limits is not None:
            run.append((time, *limits))
        elif run:
            forth, back = [time for time, _, _ in run], [time for time, _, _ in reversed(run)]
            outline = [high for _, _, high in run] + [low for _, low, _ in reversed(run)]
            pieces.append(
                {
                    "type": "scatter",
                    "mode": "lines",
                    "x": forth + back,
                    "y": outline,
                    "fill": "toself",
                    "fillcolor": colour,
                    "line": {"width": 0 if len(run) > 1 else 3, "color": colour},
                    "hoverinfo": "skip",
                    "showlegend": False,
                }
            )
            run = []
    return pieces


def _hatched(times: Sequence[str], seconds: float) -> Figure:
    return {
        "type": "bar",
        "x": list(times),
        "width": 1000 * seconds,  # milliseconds
        "y": [1] * len(times),
        "yaxis": "y2",
        "name": "too few homes",
        "marker": hatch_pattern(),
        "hovertemplate": "no answer",
    }
