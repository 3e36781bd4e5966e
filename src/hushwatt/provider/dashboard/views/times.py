"""Appliance by time: how the watts go from slot to slot, all appliances at once."""

from statistics import median
from typing import Any

from hushwatt.provider.dashboard import formatting
from hushwatt.provider.dashboard.charts.figure import PageChart
from hushwatt.provider.dashboard.charts.heatmap import HeatmapCell, heatmap
from hushwatt.provider.dashboard.page_context import PageContext, SlotCell
from hushwatt.provider.dashboard.tables import Column, HtmlTable, number_columns

MAX_SLOTS = 300
ROW_HEIGHT, FRAME_HEIGHT = 30, 56


def show(page: PageContext) -> dict[str, Any]:
    slots = page.slots(MAX_SLOTS)
    if not page.ranked:
        return {}
    rows = {name: page.series(name, slots) for name, _ in page.ranked}
    cells = [cell for row in rows.values() for cell in row]
    return {
        "chart": _chart(page, slots, rows),
        "table": _table(page, slots, rows),
        "holes": any(cell.missing for cell in cells),
        "doubts": any(not cell.missing and cell.low < 0 for cell in cells),
        "alone": any(cell.unsmoothed for cell in cells),
        "cut": page.cut(slots),
    }


def _chart(page: PageContext, slots: range, rows: dict[str, list[SlotCell]]) -> PageChart:
    figure, key = heatmap(
        [f"{formatting.title(name)}{_typical(row)}" for name, row in rows.items()],
        [formatting.slot_tick(page.plan, slot) for slot in slots],
        [[_tile(page, name, cell) for cell in row] for name, row in rows.items()],
        "W",
    )
    label = f"Mean watts of a home: {len(rows)} appliances in {formatting.count(len(slots), page.plan.periods.word)}"
    return PageChart(figure, label, FRAME_HEIGHT + ROW_HEIGHT * len(rows), key)


def _typical(row: list[SlotCell]) -> str:
    """How far off a cell of a row typically is."""
    reaches = [cell.reach for cell in row if not cell.missing]
    if not reaches:
        return ""
    reach = median(reaches)
    return f"  ±{formatting.number(reach, formatting.decimals(reach))}"


def _tile(page: PageContext, name: str, cell: SlotCell) -> HeatmapCell:
    where = f"{formatting.title(name)}, {formatting.slot_name(page.plan, cell.slot)}"
    if cell.missing:
        return HeatmapCell(None, False, f"{where}<br>{cell.missing_detail}")
    return HeatmapCell(cell.value, cell.low < 0, f"{where}<br>{cell.text}")


def _table(page: PageContext, slots: range, rows: dict[str, list[SlotCell]]) -> HtmlTable:
    reasons = {cell.missing for row in rows.values() for cell in row if cell.missing}
    texts = [
        [formatting.slot_name(page.plan, slot)] + [row[index].text for row in rows.values()]
        for index, slot in enumerate(slots)
    ]
    headings = [Column(page.plan.periods.word.title()), *number_columns(*map(formatting.title, rows))]
    return HtmlTable("Mean watts of a home, with 95 % intervals", headings, texts, frozenset(reasons))
