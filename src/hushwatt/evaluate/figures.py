"""Results as pictures: one description of each chart, drawn to PNG here and by the page in the browser."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import Any

from hushwatt.evaluate.reproduce import MeanResult, ReproducedExperiment
from hushwatt.files import atomic_write

COLOURS = {  # readable on white and on near-black alike
    "printed": "#8b93a1",
    "floor": "#5f6b7a",
    "as printed": "#e07b39",
    "corrected": "#3f7fd6",
    "right estimator": "#3f7fd6",
    "hushwatt": "#12a06e",
    "true": "#9a6bd0",
    "measured": "#12a06e",
    "against the release": "#c9a227",
    "lpu --smooth": "#12a06e",
    "lpu": "#3f7fd6",
    "lpu, grr, two of 15": "#12a06e",
}
OTHERS = ("#e07b39", "#c9a227", "#9a6bd0", "#d1495b", "#5f6b7a", "#2a9d8f", "#8b93a1")


@dataclass(frozen=True)
class FigureLine:
    """One column of a chart: points with their error bars."""

    name: str
    colour: str
    places: tuple[Any, ...]  # settings, or numbers along the axis
    values: tuple[float, ...]
    errors: tuple[float, ...]  # 1.96 standard errors, 0 where there are none


@dataclass(frozen=True)
class Figure:
    """One picture."""

    title: str
    kind: str  # bars or series
    lines: tuple[FigureLine, ...]
    label: str  # of the value axis
    axis: str
    logarithmic: bool

    @property
    def settings(self) -> list[Any]:
        """The places along the axis in the order in which they were run."""
        longest = sorted(self.lines, key=lambda line: -len(line.places))
        return list(dict.fromkeys(place for line in longest for place in line.places))


def charts(part: ReproducedExperiment) -> list[Figure]:
    """The charts of an experiment: one of bars, or one for each setting of a series."""
    each = part.experiment
    if each.figure == "none":
        return []
    metric = each.shown
    label = f"{metric.name}, {metric.unit}" if metric.unit else metric.name
    results = [one for one in part.results if one.metric == metric.name and isfinite(one.value)]
    if each.figure == "bars":
        lines = _lines(each.columns, results)
        return [Figure(each.title, "bars", lines, label, "", each.logarithmic)] if lines else []
    settings = dict.fromkeys(one.setting for one in results)
    return [
        Figure(
            setting,
            "series",
            _lines(each.columns, [one for one in results if one.setting == setting and one.column != "as printed"]),
            label,
            each.axis,
            False,
        )
        for setting in settings
    ]


def _lines(columns: Sequence[str], results: list[MeanResult]) -> tuple[FigureLine, ...]:
    lines = []
    for place, column in enumerate(columns):
        mine = [one for one in results if one.column == column]
        if mine:
            colour = COLOURS.get(column, OTHERS[place % len(OTHERS)])
            places = tuple(one.setting if one.at is None else one.at for one in mine)
            errors = tuple(1.96 * (one.error or 0.0) for one in mine)
            lines.append(FigureLine(column, colour, places, tuple(one.value for one in mine), errors))
    return tuple(lines)


def draw(part: ReproducedExperiment, folder: Path) -> list[Path]:
    """Write the charts of an experiment into `folder`, as one PNG; give the files."""
    pictures = charts(part)
    if not pictures:
        return []
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    columns = min(2, len(pictures))
    rows = -(-len(pictures) // columns)
    width = 9.0 if columns == 1 else 11.0
    figure, axes = pyplot.subplots(rows, columns, figsize=(width, 4.2 * rows), squeeze=False, layout="constrained")
    for chart, axis in zip(pictures, axes.flat, strict=False):
        _plot(chart, axis)
    figure.suptitle(f"{part.experiment.title}\n", fontsize=13, fontweight="bold", x=0.01, ha="left")
    figure.text(0.01, 0.995, "\n\n" + "; ".join(part.homes), fontsize=8, color="#667", va="top")
    path = folder / f"{part.experiment.name}.png"
    with atomic_write(path) as temporary:
        figure.savefig(temporary, format="png", dpi=140)
    pyplot.close(figure)
    return [path]


def _plot(chart: Figure, axis: Any) -> None:
    """One chart on one pair of axes."""
    if chart.kind == "bars":
        _bars(chart, axis)
    else:
        for line in chart.lines:
            style = {"linestyle": "--"} if line.name == "true" else {"marker": "o", "markersize": 3}
            axis.errorbar(line.places, line.values, line.errors, color=line.colour, label=line.name, capsize=2, **style)
        axis.set_title(chart.title, fontsize=10, loc="left", pad=20)
        axis.set_xlabel(chart.axis)
    axis.set_ylabel(chart.label)
    if chart.logarithmic:
        axis.set_yscale("log")
    axis.spines[["top", "right"]].set_visible(False)
    axis.grid(axis="y", alpha=0.25)
    axis.legend(frameon=False, fontsize=8, ncols=4, loc="lower left", bbox_to_anchor=(0.0, 1.0))


def _bars(chart: Figure, axis: Any) -> None:
    """Bars side by side, a group for each setting."""
    settings = chart.settings
    step = 0.84 / len(chart.lines)
    for number, line in enumerate(chart.lines):
        places = [settings.index(place) - 0.42 + step * (number + 0.5) for place in line.places]
        axis.bar(places, line.values, step * 0.92, color=line.colour, label=line.name)
        if any(line.errors):
            axis.errorbar(places, line.values, line.errors, fmt="none", ecolor="#445", elinewidth=1, capsize=2)
    long = max(len(str(setting)) for setting in settings) > 10 and len(settings) > 4
    axis.set_xticks(range(len(settings)), settings, rotation=35 if long else 0, ha="right" if long else "center")
    axis.tick_params(axis="x", labelsize=8, length=0)
