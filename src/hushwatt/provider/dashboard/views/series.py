"""Watts over time in their bands, one appliance or a few."""

from typing import Any

from hushwatt.provider.dashboard import words
from hushwatt.provider.dashboard.charts.bands import Line, bands
from hushwatt.provider.dashboard.charts.figure import Chart
from hushwatt.provider.dashboard.page_context import ALONE, Cell, PageContext
from hushwatt.provider.dashboard.tables import Column, Table, numbers

MOST_SLOTS = 2000
HEIGHT = 420


def show(scene: PageContext) -> dict[str, Any]:
    names = scene.asked.appliances or tuple(name for name, _ in scene.ranked[:1])
    choices = [(name, words.title(name), name in names) for name in scene.plan.names]
    if not scene.ranked:
        return {"choices": choices}
    slots = scene.slots(MOST_SLOTS)
    courses = {name: scene.course(name, slots) for name in names}
    cells = [cell for course in courses.values() for cell in course]
    return {
        "choices": choices,
        "chart": _chart(scene, slots, courses),
        "table": _table(scene, slots, courses),
        "negative": any(cell.value < 0 for cell in cells),
        "holes": any(cell.why_not for cell in cells),
        "alone": any(cell.alone for cell in cells),
        "cut": scene.cut(slots),
        "names": ", ".join(map(words.title, names)),
    }


def _chart(scene: PageContext, slots: range, courses: dict[str, list[Cell]]) -> Chart:
    starts = [words.local(scene.plan.calendar.start_of(slot), scene.plan) for slot in slots]
    times = [f"{start:%Y-%m-%d %H:%M:%S}" for start in starts]
    lines = [
        Line(
            words.title(name),
            [None if cell.why_not else cell.value for cell in course],
            [None if cell.why_not else (cell.low, cell.high) for cell in course],
            [f", {ALONE}" if cell.alone else "" for cell in course],
        )
        for name, course in courses.items()
    ]
    gaps = [time for place, time in enumerate(times) if all(row[place].why_not for row in courses.values())]
    figure = bands(times, lines, gaps, scene.plan.slot.seconds, "W")
    label = f"Mean watts of a home over time: {', '.join(map(words.title, courses))}, with 95 % bands"
    return Chart(figure, label, HEIGHT)


def _table(scene: PageContext, slots: range, courses: dict[str, list[Cell]]) -> Table:
    reasons = {cell.why_not for course in courses.values() for cell in course if cell.why_not}
    rows = []
    for place, slot in enumerate(slots):
        here = [course[place] for course in courses.values()]
        found = [cell.told for cell in here]
        rows.append([words.slot_name(scene.plan, slot), f"{here[0].reports:,}", *found])
    headings = [Column("Slot"), *numbers("Reports", *map(words.title, courses))]
    caption = "Mean watts of a home, with 95 % intervals"
    return Table(caption, headings, rows, frozenset(reasons))
