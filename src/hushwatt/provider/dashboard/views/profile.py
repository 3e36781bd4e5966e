"""Time that repeats: an appliance by the hour, the weekday or the hour of the week, or all of them in small."""

from collections.abc import Sequence
from typing import Any

from hushwatt.errors import UsageError
from hushwatt.provider.dashboard import formatting
from hushwatt.provider.dashboard.charts.figure import PageChart
from hushwatt.provider.dashboard.charts.line_chart import ChartLine, profile_chart
from hushwatt.provider.dashboard.charts.small_multiples import SmallMultiple, small_multiple
from hushwatt.provider.dashboard.command_line import estimate_command
from hushwatt.provider.dashboard.day_parts import key_name, told_times
from hushwatt.provider.dashboard.differences import widest
from hushwatt.provider.dashboard.numbers_file import NumbersFile
from hushwatt.provider.dashboard.page_context import PageContext
from hushwatt.provider.dashboard.query import FOLDED
from hushwatt.provider.dashboard.tables import Column, HtmlTable, number_columns
from hushwatt.provider.dashboard.time_marks import course_cell
from hushwatt.provider.estimate.courses.course import CoursePoint, Courses
from hushwatt.provider.estimate.times.fold import fold_rows

HEIGHT = 400
MOST_KEYS, MOST_SMALL = 168, 24  # keys of an appliance, and of each of all
NAMES = {"hour": "By the hour", "weekday": "By the weekday", "hour-of-week": "By the hour of the week"}
WORDS = {"hour": "hour of the day", "weekday": "weekday", "hour-of-week": "hour of the week"}


def show(page: PageContext) -> dict[str, Any]:
    names = page.query.appliances
    shown: dict[str, Any] = {"choices": page.choices(names), "fold": "", "folds": [], "lead": ""}
    if not page.ranked:
        return shown
    folds = _possible(page)
    fold = page.query.fold if page.query.fold in folds else next(iter(folds), "")
    if not fold:
        return shown
    found = page.courses(fold, names or [name for name, _ in page.ranked])
    about = {
        "fold": fold,
        "word": WORDS[fold],
        "folds": [(NAMES[each], page.query.here("/profile", fold=each), each == fold) for each in folds],
        "table": _table(found),
        "numbers": _numbers(found),
        "command": estimate_command(page.query, "--fold", fold, "--json"),
        "names": ", ".join(map(formatting.title, names)),
        "name": names[0] if len(names) == 1 else "",
    }
    return shown | about | (_chosen(page, found) if names else _all(page, found))


def _possible(page: PageContext) -> list[str]:
    """The folds that what is published can be told apart by, and that have several keys; few for all in small."""
    return [fold for fold in FOLDED if 1 < _keys(page, fold) <= (MOST_KEYS if page.query.appliances else MOST_SMALL)]


def _keys(page: PageContext, fold: str) -> int:
    try:
        return len(fold_rows(page.plan, page.collected.timeline, fold))
    except UsageError:
        return 0


def _chosen(page: PageContext, found: Courses) -> dict[str, Any]:
    lines = [
        ChartLine(
            formatting.title(name),
            [None if each is None else each.watts for each in row],
            [None if each is None else (each.low, each.high) for each in row],
            [""] * len(row),
        )
        for name, row in found.by_appliance.items()
    ]
    ticks = [key_name(found.fold, key) for key in found.keys]
    label = f"Mean watts of a home by the {WORDS[found.fold]}: {', '.join(line.name for line in lines)}"
    times = told_times(page.collected, found.fold)
    told = [widest(page.collected, times, name, len(lines)) for name in found.by_appliance]
    count = len(times) * (len(times) - 1) // 2 * len(lines)
    return {
        "chart": PageChart(profile_chart(ticks, lines, "W"), f"{label}, with 95 % bands", HEIGHT),
        "lead": " ".join(each[1] for each in told if each),
        "looked_at": f"{count:,} pairs of times that could have stood here" if count > 1 else "",
    }


def _all(page: PageContext, found: Courses) -> dict[str, Any]:
    """Every appliance in small; a sentence about the one with the most watts, which the numbers chose."""
    name, _ = page.ranked[0]
    told = widest(page.collected, told_times(page.collected, found.fold), name, len(page.plan.names))
    small = [_one(page, found, name, row) for name, row in found.by_appliance.items()]
    return {"small": small, "lead": told[1] if told else ""}


def _one(page: PageContext, found: Courses, name: str, row: Sequence[CoursePoint | None]) -> SmallMultiple:
    limits = [None if each is None else (each.watts, each.low, each.high) for each in row]
    known = [(each, key) for each, key in zip(row, found.keys, strict=True) if each is not None]
    high = max((each.high for each, _ in known), default=0.0)
    about = "too few homes"
    if known:
        (most, at), (least, when) = max(known, key=_watts), min(known, key=_watts)
        about = (
            f"most {key_name(found.fold, at)} ({formatting.watts(most.watts, most.low, most.high)}), "
            f"least {key_name(found.fold, when)} ({formatting.watts(least.watts, least.low, least.high)})"
        )
    link = page.query.here("/profile", appliance=name)
    return small_multiple(formatting.title(name), link, limits, f"{high:,.3g}{formatting.THIN}W", about)


def _watts(pair: tuple[CoursePoint, str]) -> float:
    return pair[0].watts


def _table(found: Courses) -> HtmlTable:
    rows = [
        [key_name(found.fold, key), *(course_cell(row[place]).text for row in found.by_appliance.values())]
        for place, key in enumerate(found.keys)
    ]
    reasons = {cell.missing for row in found.by_appliance.values() for cell in map(course_cell, row) if cell.missing}
    headings = [Column(WORDS[found.fold].capitalize()), *number_columns(*map(formatting.title, found.by_appliance))]
    return HtmlTable("Mean watts of a home, with 95 % intervals", headings, rows, frozenset(reasons))


def _numbers(found: Courses) -> NumbersFile:
    rows = [
        (key, name, *((each.watts, each.low, each.high, each.slots) if each else (None,) * 4))
        for name, row in found.by_appliance.items()
        for key, each in zip(found.keys, row, strict=True)
    ]
    return NumbersFile(f"profile-{found.fold}", ("key", "appliance", "watts", "low", "high", "slots"), rows)
