"""Watts over time in their bands, one appliance or a few."""

from itertools import pairwise
from typing import Any

from hushwatt.provider.dashboard import formatting
from hushwatt.provider.dashboard.charts.figure import PageChart
from hushwatt.provider.dashboard.charts.line_chart import ChartLine, line_chart
from hushwatt.provider.dashboard.command_line import estimate_command, slots_command
from hushwatt.provider.dashboard.differences import difference
from hushwatt.provider.dashboard.numbers_file import series_numbers
from hushwatt.provider.dashboard.page_context import NOT_SMOOTHED, PageContext
from hushwatt.provider.dashboard.resolution import Resolution, resolved
from hushwatt.provider.dashboard.tables import Column, HtmlTable, number_columns
from hushwatt.provider.dashboard.time_marks import TimeSeries
from hushwatt.provider.estimate.courses.course import side

MAX_SLOTS = 2000
HEIGHT = 420


def show(page: PageContext) -> dict[str, Any]:
    names = page.appliances
    choices = page.choices(names)
    if not page.ranked:
        return {"choices": choices}
    found = resolved(page, names, MAX_SLOTS)
    cells = found.series.cells
    return {
        "choices": choices,
        "chart": _chart(found.series),
        "table": series_table(found.series),
        "negative": any(cell.value < 0 for cell in cells),
        "holes": any(cell.missing for cell in cells),
        "alone": any(cell.unsmoothed for cell in cells),
        "names": ", ".join(map(formatting.title, names)),
        "name": names[0] if len(names) == 1 else "",
        "lead": _lead(page),
        **told(page, found, "/series"),
    }


def told(page: PageContext, found: Resolution, path: str) -> dict[str, Any]:
    """How finely time is told and why, how else it could be, and where the same numbers come from."""
    query, per = page.query, found.per
    command = slots_command(query) if per == "slot" else estimate_command(query, "--fold", f"each-{per}", "--json")
    return {
        "one": found.series.one,
        "why": found.why,
        "cut": found.series.cut,
        "resolutions": [
            (name, query.here(path, per=each, smooth="" if each != "slot" else query.given.get("smooth")), each == per)
            for each, name in found.choices
        ],
        "numbers": series_numbers(path.strip("/"), found.series),
        "command": command,
    }


def _chart(series: TimeSeries) -> PageChart:
    lines = [
        ChartLine(
            formatting.title(name),
            [None if cell.missing else cell.value for cell in row],
            [None if cell.missing else (cell.low, cell.high) for cell in row],
            [f", {NOT_SMOOTHED}" if cell.unsmoothed else "" for cell in row],
        )
        for name, row in series.rows.items()
    ]
    times, rows = [mark.at for mark in series.marks], list(series.rows.values())
    gaps = [time for index, time in enumerate(times) if all(row[index].missing for row in rows)]
    starts = [mark.start for mark in series.marks]
    breaks = [place for place, (a, b) in enumerate(pairwise(starts)) if (b - a).total_seconds() > 1.5 * series.seconds]
    figure = line_chart(times, lines, gaps, series.seconds, "W", breaks=frozenset(breaks))
    label = f"Mean watts of a home by the {series.one}: {', '.join(line.name for line in lines)}, with 95 % bands"
    return PageChart(figure, label, HEIGHT)


def series_table(series: TimeSeries) -> HtmlTable:
    """The numbers of a chart over time, the newest last."""
    reasons = {cell.missing for cell in series.cells if cell.missing}
    rows = [
        [mark.name, f"{mark.count:,}", *(cell.text for cell in cells)]
        for mark, *cells in zip(series.marks, *series.rows.values(), strict=True)
    ]
    headings = [Column(series.one.title()), *number_columns(series.counted, *map(formatting.title, series.rows))]
    return HtmlTable("Mean watts of a home, with 95 % intervals", headings, rows, frozenset(reasons))


def _lead(page: PageContext) -> str:
    """The second half of the time against the first, for every appliance that is shown."""
    timeline = page.collected.timeline
    places = timeline.requested.nonzero()[0]
    if len(places) < 2:
        return ""
    later = timeline.requested.copy()
    later[: places[len(places) // 2]] = False
    looked_at = len(page.appliances) if page.query.appliances else len(page.plan.names)  # else the data chose it
    halves = {name: [side(page.collected, rows, name) for rows in (later, ~later)] for name in page.appliances}
    found = [difference(after, before, name, looked_at) for name, (after, before) in halves.items()]
    return " ".join(each.sentence("in the second half", "in the first half") for each in found if each)
