"""What all charts share: the frame, the axes, how an interval is drawn and spoken."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

Figure = dict[str, Any]


@dataclass(frozen=True)
class PageChart:
    """A figure, what it is called, and what it shows in a sentence."""

    figure: Figure
    label: str
    height: int  # pixels
    key: tuple[tuple[str, str], ...] = ()  # the style sheet's name of a swatch, and what it means


def figure(data: list[Figure], **layout: Any) -> Figure:
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


def axis(title: str = "", **more: Any) -> Figure:
    return {
        "automargin": True,
        "fixedrange": True,
        "gridcolor": "--line",
        "zerolinecolor": "--zero",
        "linecolor": "--line",
        "title": {"text": title, "standoff": 8, "font": {"color": "--muted", "size": 13}},
        **more,
    }


def rows_axis(labels: Sequence[str]) -> Figure:
    """A vertical axis that names rows, the first on top."""
    return axis(
        tickvals=list(range(len(labels))),
        ticktext=list(labels),
        range=[len(labels) - 0.5, -0.5],
        showgrid=False,
        zeroline=False,
    )


def sparse_ticks(labels: Sequence[str]) -> Figure:
    step = max(1, -(-len(labels) // 8))
    places = list(range(0, len(labels), step))
    return {"tickvals": places, "ticktext": [labels[index] for index in places], "tickangle": 0}


def day_ticks(labels: Sequence[str], days: Sequence[int]) -> Figure:
    """Marks at the places where days begin, a few of them; sparse ones where not even two do.

    >>> day_ticks(["1 Jan 00:00", "1 Jan 12:00", "2 Jan 00:00"], [0, 2])["ticktext"]
    ['1 Jan', '2 Jan']
    """
    if len(days) < 2:
        return sparse_ticks(labels)
    places = list(days[:: max(1, -(-len(days) // 8))])
    texts = [labels[place].removesuffix(" 00:00") for place in places]
    return {"tickvals": places, "ticktext": texts, "tickangle": 0}


def error_bars(
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


def hover_texts(values: Sequence[float], low: Sequence[float], high: Sequence[float], unit: str) -> list[str]:
    return [
        f"{value:,.1f} {unit}<br>95 %: {bottom:,.1f} to {top:,.1f}".replace("-", "−")
        for value, bottom, top in zip(values, low, high, strict=True)
    ]


def hatch_pattern() -> Figure:
    return {
        "color": "--paper",
        "line": {"width": 0},
        "pattern": {"shape": "/", "size": 6, "solidity": 0.22, "fgcolor": "--hatch", "bgcolor": "--paper"},
    }
