"""The page: one HTML file that needs nothing else, with charts, tables and how each number was made."""

import json
from html import escape
from importlib.resources import files
from math import isinf
from typing import Any

from hushwatt import __version__
from hushwatt.evaluate.figures import Figure, charts
from hushwatt.evaluate.reproduce import MeanResult, ReproducedExperiment, Reproduction
from hushwatt.evaluate.result_tables import ResultTable, shown, tables

LONG = 24  # rows above which a table is folded away


def page(reproduction: Reproduction) -> str:
    """The whole page as text."""
    from plotly.offline import get_plotlyjs

    described = {
        f"{part.experiment.name}-{place}": _described(chart)
        for part in reproduction.parts
        for place, chart in enumerate(charts(part))
    }
    sections = "".join(_section(part) for part in reproduction.parts)
    links = "".join(
        f'<a href="#{part.experiment.name}">{escape(part.experiment.name)}</a>' for part in reproduction.parts
    )
    return _TEMPLATE.format(
        style=_asset("page.css"),
        mode="quick" if reproduction.quick else "full",
        seed=reproduction.seed,
        version=__version__,
        links=links,
        cards=_cards(reproduction),
        sections=sections,
        charts=json.dumps(described, allow_nan=False).replace("</", "<\\/"),
        plotly=get_plotlyjs(),
        script=_asset("page.js"),
    )


def _asset(name: str) -> str:
    return (files("hushwatt.evaluate") / name).read_text(encoding="utf-8")


_TEMPLATE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>LDP-SmartEnergy, reproduced</title>
<style>{style}</style></head>
<body>
<header><div class="wrap">
<p class="over">hushwatt {version} · {mode} run · seed {seed}</p>
<h1>LDP-SmartEnergy, reproduced</h1>
<p class="lead">Every table and figure of “Local Differential Privacy for Smart Meter Data Sharing”
(Shanmugarasa et al., arXiv 2311.04544): what it prints, what comes out when it is followed to the letter,
what comes out when its slips are mended, and what hushwatt reaches for the same ε in any window.</p>
<p class="note">All homes are synthetic: the paper's own augmented data was never published.
Error bars and ± are standard errors over repetitions (bars: 95 %).</p>
</div></header>
<nav><div class="wrap">{links}</div></nav>
<main class="wrap">
<section class="cards">{cards}</section>
{sections}
</main>
<footer class="wrap">Made by <code>hushwatt reproduce</code>. The same seed gives the same numbers; only times
differ.</footer>
<script type="application/json" id="charts">{charts}</script>
<script>{plotly}</script>
<script>{script}</script>
</body></html>
"""


def _described(chart: Figure) -> dict[str, Any]:
    """A chart as the browser's script reads it."""
    return {
        "kind": chart.kind,
        "settings": chart.settings,
        "title": chart.title if chart.kind == "series" else "",
        "label": chart.label,
        "axis": chart.axis,
        "log": chart.logarithmic,
        "lines": [
            {
                "name": line.name,
                "colour": line.colour,
                "x": list(line.places),
                "y": list(line.values),
                "e": list(line.errors),
            }
            for line in chart.lines
        ],
    }


def _section(part: ReproducedExperiment) -> str:
    each = part.experiment
    pictures = "".join(
        f'<div class="chart {each.figure}" data-chart="{each.name}-{place}"></div>'
        for place in range(len(charts(part)))
    )
    return (
        f'<section class="experiment" id="{each.name}"><h2>{escape(each.title)}</h2>'
        f'<p class="asks">{escape(each.asks)}</p>'
        f'<div class="charts">{pictures}</div>'
        f"{''.join(_table(table) for table in tables(part))}{_goals(part)}{_making(part)}</section>"
    )


def _table(table: ResultTable) -> str:
    head = "".join(f'<th class="{_slug(column)}">{escape(column)}</th>' for column in table.columns)
    rows = "".join(
        f"<tr><th>{escape(setting)}</th>"
        + "".join(
            f'<td class="{_slug(column)}">{_cell(text)}</td>' for column, text in zip(table.columns, cells, strict=True)
        )
        + "</tr>"
        for setting, cells in table.rows
    )
    better = {"lower": "lower is better", "higher": "higher is better", "": ""}[table.metric.better]
    hint = f" <small>{better}</small>" if better else ""
    grid = f"<table><thead><tr><th></th>{head}</tr></thead><tbody>{rows}</tbody></table>"
    body = f'<div class="scroll">{grid}</div>'
    title = f"<h3>{escape(table.title)}{hint}</h3>"
    if len(table.rows) <= LONG:
        return title + body
    return f"<details><summary>{title}<span>{len(table.rows)} rows</span></summary>{body}</details>"


def _cell(text: str) -> str:
    """The number large, its error small."""
    number, plus, error = text.partition(" ± ")
    return f"{escape(number)}<small>{escape(plus + error)}</small>" if plus else escape(number)


def _goals(part: ReproducedExperiment) -> str:
    """Figures that were missed are open to see, those that were reached are folded up."""
    goals = part.goals()
    if not goals:
        return ""
    lines = {True: "", False: ""}
    for goal, one, reached in goals:
        lines[reached] += (
            f'<li class="{"yes" if reached else "no"}">{escape(goal.setting)}, {escape(goal.column)}: '
            f"{escape(goal.metric)} {escape(_wanted(goal.least, goal.most))}, reached "
            f"<b>{escape(shown(part.experiment.metric(goal.metric), one))}</b></li>"
        )
    count = sum(reached for _, _, reached in goals)
    missed = f"<div class='goals'><ul>{lines[False]}</ul></div>" if lines[False] else ""
    return (
        f"<details class='goals'><summary>{count} of {len(goals)} figures reached</summary>"
        f"<ul>{lines[True]}</ul></details>{missed}"
    )


def _wanted(least: float | None, most: float | None) -> str:
    """The figure to reach, in words.

    >>> _wanted(0.9, 1.1), _wanted(8.0, None)
    ('from 0.9 to 1.1', 'at least 8')
    """
    if least is not None and most is not None:
        return f"from {least:g} to {most:g}"
    return f"at least {least:g}" if least is not None else f"at most {most:g}"


def _making(part: ReproducedExperiment) -> str:
    each = part.experiment
    columns = "".join(
        f"<dt>{escape(column)}</dt><dd>{escape(each.explained[column])}</dd>"
        for column in each.columns
        if column in each.explained
    )
    runs = sorted({one.runs for one in part.results if one.runs})
    times = f"{runs[-1]} repetition{'s' if runs[-1] > 1 else ''}. " if runs else ""
    homes = f"Homes: {'; '.join(part.homes)}. " if part.homes else ""
    return (
        "<details class='made'><summary>How these numbers were made</summary>"
        f"<p>{escape(each.made)}</p><p>{escape(times + homes)}"
        f"Again: <code>hushwatt reproduce {each.name}</code></p><dl>{columns}</dl></details>"
    )


def _slug(text: str) -> str:
    return "c-" + "".join(letter if letter.isalnum() else "-" for letter in text.lower())


CARDS = (  # experiment, setting, metric, what it says, columns
    (
        "floors",
        "uniform, d = 10",
        "Kruskal–Wallis p",
        "The printed p-values come from the printed estimator; the very same reports give a p near 0.5",
        ("printed", "as printed", "right estimator"),
    ),
    (
        "top-k",
        "LBA",
        "exact-rank hits of 10",
        "Top-10 appliances at exactly the right rank, ε = 10 and at most ε/15 an appliance",
        ("printed", "as printed", "corrected", "hushwatt"),
    ),
    (
        "top-k",
        "LBA",
        "error of a share",
        "Mean error of an appliance's share of consumption, in points",
        ("as printed", "corrected", "hushwatt"),
    ),
    (
        "privacy",
        "LBA, d = 2, w = 2, ε = 1",
        "worst loss, in ε",
        "What a home's reports can tell at worst, when ε = 1 was promised",
        ("as printed", "corrected"),
    ),
)


def _cards(reproduction: Reproduction) -> str:
    """The few numbers that matter most, if they were asked for."""
    out = ""
    for name, setting, metric, says, columns in CARDS:
        part = reproduction.part(name)
        results = {column: part.result(setting, metric, column) for column in columns} if part else {}
        if part is None or not all(results.values()):
            continue
        numbers = "".join(
            f'<div class="{_slug(column)}"><b>{_short(part, metric, one)}</b><span>{escape(column)}</span></div>'
            for column, one in results.items()
            if one is not None
        )
        out += f'<a class="card" href="#{name}"><p>{escape(says)}</p><div class="numbers">{numbers}</div></a>'
    return out


def _short(part: ReproducedExperiment, metric: str, one: MeanResult) -> str:
    """A number alone; ∞ for one without end."""
    if isinf(one.value):
        return "∞"
    return escape(shown(part.experiment.metric(metric), one).split(" ± ")[0])
