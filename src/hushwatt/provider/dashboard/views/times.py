"""Appliance by time: how the watts go from slot to slot, or from day to day, all appliances at once."""

from collections.abc import Sequence
from statistics import median
from typing import Any

from hushwatt.provider.dashboard import formatting
from hushwatt.provider.dashboard.charts.figure import PageChart
from hushwatt.provider.dashboard.charts.heatmap import HeatmapCell, heatmap
from hushwatt.provider.dashboard.page_context import PageContext, SlotCell
from hushwatt.provider.dashboard.resolution import resolved
from hushwatt.provider.dashboard.tables import Column, HtmlTable, number_columns
from hushwatt.provider.dashboard.time_marks import TimeMark, TimeSeries
from hushwatt.provider.dashboard.views.series import told
from hushwatt.provider.dashboard.views.top import lead

MAX_SLOTS = 300
ROW_HEIGHT, FRAME_HEIGHT = 30, 56


def show(page: PageContext) -> dict[str, Any]:
    if not page.ranked:
        return {}
    found = resolved(page, [name for name, _ in page.ranked], MAX_SLOTS)
    cells = found.series.cells
    return {
        "lead": lead(page.ranked),
        "chart": _chart(found.series),
        "table": _table(found.series),
        "holes": any(cell.missing for cell in cells),
        "doubts": any(not cell.missing and cell.low < 0 for cell in cells),
        "alone": any(cell.unsmoothed for cell in cells),
        **told(page, found, "/times"),
    }


def _chart(series: TimeSeries) -> PageChart:
    figure, key = heatmap(
        [f"{formatting.title(name)}{_typical(row)}" for name, row in series.rows.items()],
        [mark.tick for mark in series.marks],
        [
            [_tile(name, mark, cell) for mark, cell in zip(series.marks, row, strict=True)]
            for name, row in series.rows.items()
        ],
        "W",
        days=[place for place, mark in enumerate(series.marks) if mark.midnight],
    )
    count = formatting.count(len(series.marks), series.one)
    label = f"Mean watts of a home: {len(series.rows)} appliances in {count}"
    return PageChart(figure, label, FRAME_HEIGHT + ROW_HEIGHT * len(series.rows), key)


def _typical(row: Sequence[SlotCell]) -> str:
    """How far off a cell of a row typically is."""
    reaches = [cell.reach for cell in row if not cell.missing]
    if not reaches:
        return ""
    reach = median(reaches)
    return f"  ±{formatting.number(reach, formatting.decimals(reach))}"


def _tile(name: str, mark: TimeMark, cell: SlotCell) -> HeatmapCell:
    where = f"{formatting.title(name)}, {mark.name}"
    if cell.missing:
        return HeatmapCell(None, False, f"{where}<br>{cell.missing_detail}")
    return HeatmapCell(cell.value, cell.low < 0, f"{where}<br>{cell.text}")


def _table(series: TimeSeries) -> HtmlTable:
    reasons = {cell.missing for cell in series.cells if cell.missing}
    texts = [[mark.name] + [row[index].text for row in series.rows.values()] for index, mark in enumerate(series.marks)]
    headings = [Column(series.one.title()), *number_columns(*map(formatting.title, series.rows))]
    return HtmlTable("Mean watts of a home, with 95 % intervals", headings, texts, frozenset(reasons))
