"""A heat map: rows over time, the more the darker."""

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import floor, log10

from hushwatt.provider.dashboard.charts.figure import Figure, axis, day_ticks, figure, hatch_pattern, rows_axis

SHADES = ("--heat-1", "--heat-2", "--heat-3", "--heat-4", "--heat-5")
DOTTED, HATCHED = "dotted", "hatched"


@dataclass(frozen=True)
class HeatmapCell:
    """A cell of a heat map, and what is said of it."""

    value: float | None  # None: no answer
    doubtful: bool  # whether its interval reaches zero
    text: str


def heatmap(
    rows: Sequence[str],
    marks: Sequence[str],
    tiles: Sequence[Sequence[HeatmapCell]],
    unit: str,
    days: Sequence[int] = (),
) -> tuple[Figure, tuple[tuple[str, str], ...]]:
    """Rows over time, the more the darker, and the key to it.

    Cells without an answer are hatched, and doubtful ones dotted.  All are bars, as a heat map of
    plotly's is an image with styles of its own.  The axis is marked where `days` begin, if several do.
    """
    places = {(x, y): tile for y, row in enumerate(tiles) for x, tile in enumerate(row)}
    top = max((tile.value or 0.0 for tile in places.values() if not tile.doubtful), default=1.0)
    edges = class_edges(top, len(SHADES))
    kinds: dict[str, dict[tuple[int, int], HeatmapCell]] = {}
    for index, tile in places.items():
        kinds.setdefault(_shade(tile, edges), {})[index] = tile
    markers = {colour: {"color": colour, "line": {"width": 0}} for colour in SHADES}
    markers |= {DOTTED: _dots(), HATCHED: hatch_pattern()}
    names = [f"{low:,.4g}–{high:,.4g} {unit}" for low, high in pairwise(edges)]
    key = zip(markers, [*names, "may be zero", "too few homes"], strict=True)
    drawn = figure(
        [_tiles(kinds[kind], marker) for kind, marker in markers.items() if kind in kinds],
        barmode="overlay",
        xaxis=axis(**day_ticks(marks, days), showgrid=False, zeroline=False, range=[-0.5, len(marks) - 0.5]),
        yaxis=rows_axis(rows),
    )
    return drawn, tuple((kind.strip("-"), name) for kind, name in key if kind in kinds)


def class_edges(top: float, steps: int) -> list[float]:
    """Edges of classes from 0 up to `top`, each 1, 2 or 5 times a power of ten.

    >>> class_edges(120, 5)
    [0.0, 10.0, 20.0, 50.0, 100.0, 200.0]
    >>> len(class_edges(0, 5))
    6
    """
    top = max(top, 1e-6)
    power = floor(log10(top))
    rungs = [times * 10.0**exponent for exponent in range(power - steps, power + 2) for times in (1.0, 2.0, 5.0)]
    last = next(index for index, rung in enumerate(rungs) if rung >= top)
    return [0.0, *rungs[last - steps + 1 : last + 1]]


def _shade(tile: HeatmapCell, edges: Sequence[float]) -> str:
    """How a cell is drawn: its colour, doubtful, or a hole."""
    if tile.value is None:
        return HATCHED
    return DOTTED if tile.doubtful else SHADES[max(bisect_left(edges, tile.value) - 1, 0)]


def _tiles(places: Mapping[tuple[int, int], HeatmapCell], marker: Figure) -> Figure:
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


def _dots() -> Figure:
    return {
        "color": "--doubt",
        "line": {"width": 0},
        "pattern": {"shape": ".", "size": 6, "solidity": 0.12, "fgcolor": "--hatch", "bgcolor": "--doubt"},
    }
