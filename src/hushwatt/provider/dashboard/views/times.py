"""Appliance by time: how the watts go from slot to slot, all appliances at once."""

from statistics import median
from typing import Any

from hushwatt.provider.dashboard import words
from hushwatt.provider.dashboard.charts.figure import Chart
from hushwatt.provider.dashboard.charts.heat import Tile, heat
from hushwatt.provider.dashboard.page_context import Cell, PageContext
from hushwatt.provider.dashboard.tables import Column, Table, numbers

MOST_SLOTS = 300
ROW, FRAME = 30, 56


def show(scene: PageContext) -> dict[str, Any]:
    slots = scene.slots(MOST_SLOTS)
    if not scene.ranked:
        return {}
    rows = {name: scene.course(name, slots) for name, _ in scene.ranked}
    cells = [cell for row in rows.values() for cell in row]
    return {
        "chart": _chart(scene, slots, rows),
        "table": _table(scene, slots, rows),
        "holes": any(cell.why_not for cell in cells),
        "doubts": any(not cell.why_not and cell.low < 0 for cell in cells),
        "alone": any(cell.alone for cell in cells),
        "cut": scene.cut(slots),
    }


def _chart(scene: PageContext, slots: range, rows: dict[str, list[Cell]]) -> Chart:
    figure, key = heat(
        [f"{words.title(name)}{_typical(row)}" for name, row in rows.items()],
        [words.slot_mark(scene.plan, slot) for slot in slots],
        [[_tile(scene, name, cell) for cell in row] for name, row in rows.items()],
        "W",
    )
    label = f"Mean watts of a home: {len(rows)} appliances in {words.count(len(slots), 'slot')}"
    return Chart(figure, label, FRAME + ROW * len(rows), key)


def _typical(row: list[Cell]) -> str:
    """How far off a cell of a row typically is."""
    found = [cell.reach for cell in row if not cell.why_not]
    if not found:
        return ""
    reach = median(found)
    return f"  ±{words.number(reach, words.decimals(reach))}"


def _tile(scene: PageContext, name: str, cell: Cell) -> Tile:
    text = _told(scene, name, cell)
    return Tile(None, False, text) if cell.why_not else Tile(cell.value, cell.low < 0, text)


def _told(scene: PageContext, name: str, cell: Cell) -> str:
    where = f"{words.title(name)}, {words.slot_name(scene.plan, cell.slot)}"
    if cell.why_not:
        return f"{where}<br>{cell.in_full}"
    return f"{where}<br>{cell.told}"


def _table(scene: PageContext, slots: range, rows: dict[str, list[Cell]]) -> Table:
    reasons = {cell.why_not for row in rows.values() for cell in row if cell.why_not}
    texts = [
        [words.slot_name(scene.plan, slot)] + [row[place].told for row in rows.values()]
        for place, slot in enumerate(slots)
    ]
    headings = [Column("Slot"), *numbers(*map(words.title, rows))]
    return Table("Mean watts of a home, with 95 % intervals", headings, texts, frozenset(reasons))
