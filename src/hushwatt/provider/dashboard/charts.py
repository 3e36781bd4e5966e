"""Charts as plain descriptions that plotly draws in the browser.

A colour is named like the style sheet's variable, such as `--accent`, so that a chart
follows light and dark.  Texts hold no markup but line breaks, as the content policy
forbids styles in the page.
"""

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import floor, log10
from typing import Any

Figure = dict[str, Any]
SERIES = (
    ("--series-1", "--series-1-band"),
    ("--series-2", "--series-2-band"),
    ("--series-3", "--series-3-band"),
    ("--series-4", "--series-4-band"),
)
SHADES = ("--heat-1", "--heat-2", "--heat-3", "--heat-4", "--heat-5")
DOTTED, HATCHED = "dotted", "hatched"
SYMBOLS = ("circle", "square", "diamond", "triangle-up")  # so that colour is not all that tells them apart


@dataclass(frozen=True)
class Chart:
    """A figure, what it is called, and what it shows in a sentence."""

    figure: Figure
    label: str
    height: int  # pixels
    key: tuple[tuple[str, str], ...] = ()  # the style sheet's name of a swatch, and what it means


def whiskers(
    labels: Sequence[str], values: Sequence[float], low: Sequence[float], high: Sequence[float], unit: str
) -> Figure:
    """A dot with its interval for each label, the first on top."""
    return _figure(
        [
            {
                "type": "scatter",
                "mode": "markers",
                "x": list(values),
                "y": list(range(len(labels))),
                "marker": {"color": "--accent", "size": 10},
                "error_x": _errors(values, low, high, "--accent", 2),
                "customdata": _spoken(values, low, high, unit),
                "hovertemplate": "%{customdata}<extra></extra>",
            }
        ],
        xaxis=_axis(ticksuffix=f" {unit}", rangemode="tozero", nticks=8),
        yaxis=_rows(labels),
    )


def bars(
    labels: Sequence[str], values: Sequence[float], low: Sequence[float], high: Sequence[float], unit: str
) -> Figure:
    """A bar with its interval for each label, the first on top."""
    return _figure(
        [
            {
                "type": "bar",
                "orientation": "h",
                "x": list(values),
                "y": list(range(len(labels))),
                "width": 0.62,
                "marker": {"color": "--fill"},
                "error_x": _errors(values, low, high, "--ink", 1.5),
                "customdata": _spoken(values, low, high, unit),
                "hovertemplate": "%{customdata}<extra></extra>",
            }
        ],
        xaxis=_axis(ticksuffix=f" {unit}", nticks=8),
        yaxis=_rows(labels),
    )


def columns(
    labels: Sequence[str], values: Sequence[float], low: Sequence[float], high: Sequence[float], unit: str
) -> Figure:
    """An upright bar with its interval for each label."""
    return _figure(
        [
            {
                "type": "bar",
                "x": list(labels),
                "y": list(values),
                "width": 0.62,
                "marker": {"color": "--fill"},
                "error_y": _errors(values, low, high, "--ink", 1.5),
                "customdata": _spoken(values, low, high, unit),
                "hovertemplate": "%{x}<br>%{customdata}<extra></extra>",
            }
        ],
        xaxis=_axis(type="category", showgrid=False),
        yaxis=_axis(rangemode="tozero", tickformat=",~r"),
    )


@dataclass(frozen=True)
class Line:
    """One course over time; None where there is no answer."""

    name: str
    values: Sequence[float | None]
    reach: Sequence[float | None]


def bands(
    times: Sequence[str], lines: Sequence[Line], gaps: Sequence[str], seconds: float, unit: str
) -> Figure:
    """Lines over time, each in the band of its interval; times in `gaps`, so long, are hatched."""
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
                "marker": {"color": colour, "size": 6, "symbol": symbol},
                "customdata": list(line.reach),
                "hovertemplate": f"%{{y:,.1f}} ± %{{customdata:,.1f}} {unit}",
                "connectgaps": False,
            }
        )
    if gaps:
        data.append(_hatched(gaps, seconds))
    return _figure(
        data,
        xaxis=_axis(type="date", showgrid=False),
        yaxis=_axis(ticksuffix=f" {unit}"),
        yaxis2={"overlaying": "y", "visible": False, "range": [0, 1], "fixedrange": True},
        hovermode="x unified",
        showlegend=True,
        legend=_above(),
    )


@dataclass(frozen=True)
class Tile:
    """A cell of a heat map, and what is said of it."""

    value: float | None  # None: no answer
    doubtful: bool  # whether its interval reaches zero
    text: str


def heat(
    rows: Sequence[str], marks: Sequence[str], tiles: Sequence[Sequence[Tile]], unit: str
) -> tuple[Figure, tuple[tuple[str, str], ...]]:
    """Rows over time, the more the darker, and the key to it.

    Cells without an answer are hatched, and doubtful ones dotted.  All are bars, as a heat map of
    plotly's is an image with styles of its own.
    """
    places = {(x, y): tile for y, row in enumerate(tiles) for x, tile in enumerate(row)}
    top = max((tile.value or 0.0 for tile in places.values() if not tile.doubtful), default=1.0)
    edges = ladder(top, len(SHADES))
    kinds: dict[str, dict[tuple[int, int], Tile]] = {}
    for place, tile in places.items():
        kinds.setdefault(_shade(tile, edges), {})[place] = tile
    markers = {colour: {"color": colour, "line": {"width": 0}} for colour in SHADES}
    markers |= {DOTTED: _dots(), HATCHED: _hatch()}
    names = [f"{low:,.4g}–{high:,.4g} {unit}" for low, high in pairwise(edges)]
    key = zip(markers, [*names, "may be zero", "too few homes"], strict=True)
    figure = _figure(
        [_tiles(kinds[kind], marker) for kind, marker in markers.items() if kind in kinds],
        barmode="overlay",
        xaxis=_axis(**_sparse(marks), showgrid=False, zeroline=False, range=[-0.5, len(marks) - 0.5]),
        yaxis=_rows(rows),
    )
    return figure, tuple((kind.strip("-"), name) for kind, name in key if kind in kinds)


def ladder(top: float, steps: int) -> list[float]:
    """Edges of classes from 0 up to `top`, each 1, 2 or 5 times a power of ten.

    >>> ladder(120, 5)
    [0.0, 10.0, 20.0, 50.0, 100.0, 200.0]
    """
    power = floor(log10(max(top, 1e-6)))
    rungs = [
        times * 10.0**exponent for exponent in range(power - steps, power + 2) for times in (1.0, 2.0, 5.0)
    ]
    last = next(place for place, rung in enumerate(rungs) if rung >= top)
    return [0.0, *rungs[last - steps + 1 : last + 1]]


def _shade(tile: Tile, edges: Sequence[float]) -> str:
    """How a cell is drawn: its colour, doubtful, or a hole."""
    if tile.value is None:
        return HATCHED
    return DOTTED if tile.doubtful else SHADES[max(bisect_left(edges, tile.value) - 1, 0)]


def _tiles(places: Mapping[tuple[int, int], Tile], marker: Figure) -> Figure:
    return {
        "type": "bar",
        "x": [x for x, _ in places],
        "y": [0.92] * len(places),
        "base": [y - 0.46 for _, y in places],
        "width": 0.94,
        "marker": marker,
        "hovertext": [tile.text for tile in places.values()],
        "hovertemplate": "%{hovertext}<extra></extra>",
    }


def _above() -> Figure:
    return {
        "orientation": "h",
        "y": 1.02,
        "yanchor": "bottom",
        "x": 0,
        "traceorder": "normal",
        "itemclick": False,
        "itemdoubleclick": False,
    }


def tallies(
    labels: Sequence[str], values: Sequence[float], kinds: Sequence[bool], line: tuple[str, float] | None
) -> Figure:
    """Exact counts as columns; those not of a kind are pale, and a line may mark what is needed."""
    figure = _figure(
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
        xaxis=_axis(**_sparse(labels), showgrid=False, zeroline=False),
        yaxis=_axis(rangemode="tozero", tickformat=",~d"),
    )
    if line is not None:
        name, level = line
        figure["layout"]["shapes"] = [
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
        figure["layout"]["annotations"] = [
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
    return figure


def _sparse(labels: Sequence[str]) -> Figure:
    step = max(1, -(-len(labels) // 8))
    places = list(range(0, len(labels), step))
    return {"tickvals": places, "ticktext": [labels[place] for place in places], "tickangle": 0}


def _band(times: Sequence[str], line: Line, colour: str) -> list[Figure]:
    """The interval as a filled outline, broken where there is no answer."""
    pieces: list[Figure] = []
    run: list[tuple[str, float, float]] = []
    for time, value, reach in [*zip(times, line.values, line.reach, strict=True), ("", None, None)]:
        if value is not None and reach is not None:
            run.append((time, value - reach, value + reach))
        elif run:
            forth, back = [time for time, _, _ in run], [time for time, _, _ in reversed(run)]
            limits = [high for _, _, high in run] + [low for _, low, _ in reversed(run)]
            pieces.append(
                {
                    "type": "scatter",
                    "mode": "lines",
                    "x": forth + back,
                    "y": limits,
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
        "marker": _hatch(),
        "hovertemplate": "no answer",
    }


def _hatch() -> Figure:
    return {
        "color": "--paper",
        "line": {"width": 0},
        "pattern": {"shape": "/", "size": 6, "solidity": 0.22, "fgcolor": "--hatch", "bgcolor": "--paper"},
    }


def _dots() -> Figure:
    return {
        "color": "--doubt",
        "line": {"width": 0},
        "pattern": {"shape": ".", "size": 6, "solidity": 0.12, "fgcolor": "--hatch", "bgcolor": "--doubt"},
    }


def _errors(
    values: Sequence[float], low: Sequence[float], high: Sequence[float], colour: str, thickness: float
) -> Figure:
    return {
        "type": "data",
        "symmetric": False,
        "array": [max(top - value, 0) for value, top in zip(values, high, strict=True)],
        "arrayminus": [max(value - bottom, 0) for value, bottom in zip(values, low, strict=True)],
        "color": colour,
        "thickness": thickness,
        "width": 4,
    }


def _spoken(values: Sequence[float], low: Sequence[float], high: Sequence[float], unit: str) -> list[str]:
    return [
        f"{value:,.1f} {unit}<br>95 %: {bottom:,.1f} to {top:,.1f}".replace("-", "−")
        for value, bottom, top in zip(values, low, high, strict=True)
    ]


def _rows(labels: Sequence[str]) -> Figure:
    """A vertical axis that names rows, the first on top."""
    return _axis(
        tickvals=list(range(len(labels))),
        ticktext=list(labels),
        range=[len(labels) - 0.5, -0.5],
        showgrid=False,
        zeroline=False,
    )


def _axis(title: str = "", **more: Any) -> Figure:
    return {
        "automargin": True,
        "fixedrange": True,
        "gridcolor": "--line",
        "zerolinecolor": "--zero",
        "linecolor": "--line",
        "title": {"text": title, "standoff": 8, "font": {"color": "--muted", "size": 13}},
        **more,
    }


def _figure(data: list[Figure], **layout: Any) -> Figure:
    return {
        "data": data,
        "layout": {
            "paper_bgcolor": "rgba(0,0,0,0)",
            "plot_bgcolor": "rgba(0,0,0,0)",
            "margin": {"l": 8, "r": 12, "t": 12, "b": 8, "pad": 6},
            "font": {"color": "--ink", "size": 13, "family": "--font"},
            "hoverlabel": {"bgcolor": "--card", "bordercolor": "--line", "font": {"color": "--ink"}},
            "showlegend": False,
            "dragmode": False,
            **layout,
        },
    }
