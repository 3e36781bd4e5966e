"""What stands along an axis of time: slots, or the hours, days, weeks or months that they are taken together by."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from hushwatt.plan.plan import Plan
from hushwatt.provider.dashboard import formatting
from hushwatt.provider.dashboard.page_context import TOO_FEW, PageContext, SlotCell
from hushwatt.provider.estimate.courses.course import CoursePoint, Courses
from hushwatt.provider.estimate.times.fold import fold_key
from hushwatt.provider.estimate.times.time_filter import local_span

SECONDS = {"each-hour": 3600, "each-day": 86_400, "each-week": 7 * 86_400, "each-month": 30 * 86_400}


@dataclass(frozen=True)
class TimeMark:
    """A place on the axis."""

    name: str  # in a table
    tick: str  # on the axis
    start: datetime  # by the plan's clocks
    count: int  # reports of a slot; slots of what is longer
    key: str = ""  # of the fold

    @property
    def at(self) -> str:
        """When it begins, as a chart takes it."""
        return f"{self.start:%Y-%m-%d %H:%M:%S}"

    @property
    def midnight(self) -> bool:
        return self.start.hour == self.start.minute == self.start.second == 0


@dataclass(frozen=True)
class TimeSeries:
    """Appliances over time."""

    marks: Sequence[TimeMark]
    rows: Mapping[str, Sequence[SlotCell]]  # by appliance, a cell for each mark
    one: str  # what a mark is
    counted: str  # what is counted at each
    seconds: float  # how long one lasts
    cut: str = ""  # what to say of those that are not shown

    @property
    def cells(self) -> list[SlotCell]:
        return [cell for row in self.rows.values() for cell in row]


def slot_series(page: PageContext, names: Sequence[str], most: int) -> TimeSeries:
    """The last `most` slots that were asked for; one without reports has too few homes, never zero watts."""
    slots = page.asked[-most:]
    rows = {name: page.series(name, slots) for name in names}
    reports = {slot.slot: slot.reports for slot in page.estimates.slots}
    marks = [_slot_mark(page.plan, slot, reports.get(slot, 0)) for slot in slots]
    lasts = page.plan.publish * page.plan.slot.seconds
    return TimeSeries(marks, rows, page.plan.periods.word, "Reports", lasts, page.cut(len(slots)))


def course_series(page: PageContext, found: Courses) -> TimeSeries:
    """What stands together; where no home reported at all there is a mark too."""
    plan, one = page.plan, found.fold.removeprefix("each-")
    starts: dict[str, datetime] = {}
    for slot in page.asked:
        begin, _ = local_span(plan, slot)
        starts.setdefault(fold_key(found.fold, begin), begin)
    places = {key: place for place, key in enumerate(found.keys)}
    marks: list[TimeMark] = []
    rows: dict[str, list[SlotCell]] = {name: [] for name in found.by_appliance}
    for key, start in starts.items():
        points = {name: _point(row, places.get(key)) for name, row in found.by_appliance.items()}
        marks.append(_course_mark(one, key, start, max((each.slots for each in points.values() if each), default=0)))
        for name, point in points.items():
            rows[name].append(course_cell(point))
    return TimeSeries(marks, rows, one, f"{plan.periods.word.title()}s", SECONDS[found.fold])


def course_cell(point: CoursePoint | None) -> SlotCell:
    """A number of a course as it is shown."""
    if point is None:
        return SlotCell(-1, 0, missing=TOO_FEW, missing_detail=TOO_FEW)
    return SlotCell(-1, point.slots, point.watts, point.low, point.high, point.noise)


def _point(row: Sequence[CoursePoint | None], place: int | None) -> CoursePoint | None:
    return None if place is None else row[place]


def _slot_mark(plan: Plan, slot: int, reports: int) -> TimeMark:
    begin = formatting.local(plan.calendar.start_of(slot), plan)
    return TimeMark(formatting.slot_name(plan, slot), formatting.slot_tick(plan, slot), begin, reports)


def _course_mark(one: str, key: str, start: datetime, slots: int) -> TimeMark:
    date, short = formatting.day(start), f"{start.day} {start:%b}"
    name = {
        "hour": f"{date}, {start:%H}:00",
        "day": date,
        "week": f"week of {formatting.day(datetime.fromisoformat(key))}" if one == "week" else "",
        "month": f"{start:%B %Y}",
    }[one]
    tick = {"hour": f"{short} {start:%H}:00", "day": short, "week": short, "month": f"{start:%b %Y}"}[one]
    return TimeMark(name, tick, start, slots, key)
