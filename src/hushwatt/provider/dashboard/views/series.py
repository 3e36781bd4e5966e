"""Watts over time in their bands, one appliance or a few."""

from typing import Any

from hushwatt.provider.dashboard import formatting
from hushwatt.provider.dashboard.charts.figure import PageChart
from hushwatt.provider.dashboard.charts.line_chart import ChartLine, line_chart
from hushwatt.provider.dashboard.page_context import NOT_SMOOTHED, PageContext, SlotCell
from hushwatt.provider.dashboard.tables import Column, HtmlTable, number_columns

MAX_SLOTS = 2000
HEIGHT = 420


def show(page: PageContext) -> dict[str, Any]:
    names = page.appliances
    choices = page.choices(names)
    if not page.ranked:
        return {"choices": choices}
    slots = page.slots(MAX_SLOTS)
    courses = {name: page.series(name, slots) for name in names}
    cells = [cell for course in courses.values() for cell in course]
    return {
        "choices": choices,
        "chart": _chart(page, slots, courses),
        "table": _table(page, slots, courses),
        "negative": any(cell.value < 0 for cell in cells),
        "holes": any(cell.missing for cell in cells),
        "alone": any(cell.unsmoothed for cell in cells),
        "cut": page.cut(slots),
        "names": ", ".join(map(formatting.title, names)),
    }


def _chart(page: PageContext, slots: range, courses: dict[str, list[SlotCell]]) -> PageChart:
    starts = [formatting.local(page.plan.calendar.start_of(slot), page.plan) for slot in slots]
    times = [f"{start:%Y-%m-%d %H:%M:%S}" for start in starts]
    lines = [
        ChartLine(
            formatting.title(name),
            [None if cell.missing else cell.value for cell in course],
            [None if cell.missing else (cell.low, cell.high) for cell in course],
            [f", {NOT_SMOOTHED}" if cell.unsmoothed else "" for cell in course],
        )
        for name, course in courses.items()
    ]
    gaps = [time for index, time in enumerate(times) if all(row[index].missing for row in courses.values())]
    figure = line_chart(times, lines, gaps, page.plan.publish * page.plan.slot.seconds, "W")
    label = f"Mean watts of a home over time: {', '.join(map(formatting.title, courses))}, with 95 % bands"
    return PageChart(figure, label, HEIGHT)


def _table(page: PageContext, slots: range, courses: dict[str, list[SlotCell]]) -> HtmlTable:
    reasons = {cell.missing for course in courses.values() for cell in course if cell.missing}
    rows = [
        [formatting.slot_name(page.plan, slot), f"{cells[0].reports:,}", *(cell.text for cell in cells)]
        for slot, *cells in zip(slots, *courses.values(), strict=True)
    ]
    headings = [Column(page.plan.periods.word.title()), *number_columns("Reports", *map(formatting.title, courses))]
    caption = "Mean watts of a home, with 95 % intervals"
    return HtmlTable(caption, headings, rows, frozenset(reasons))
