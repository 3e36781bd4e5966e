"""What left this home day by day, and when it kept silent and why: a month as a calendar."""

from calendar import Calendar as MonthCalendar
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from typing import Any

from hushwatt.household.page import html
from hushwatt.household.page.data import OwnerPageData
from hushwatt.household.words.clock_words import DAYS, MONTHS, day_words, local_time, span_words
from hushwatt.household.words.told_so_far import LEFT
from hushwatt.plan.plan import Plan
from hushwatt.plan.times import nanoseconds
from hushwatt.sanitise import quoted

YEARS = range(1971, 2262)  # of which a month can be shown
MAX_SILENCES = 40  # of a month that are listed


@dataclass
class DayRecord:
    """What became of one day, over all plans."""

    sent: int = 0
    waiting: int = 0
    silent: int = 0  # slots
    reasons: set[str] = field(default_factory=set)

    @property
    def kind(self) -> str:
        if self.silent and not self.sent:
            return "silent"
        return "mixed" if self.silent else "sent" if self.sent else "waiting" if self.waiting else "none"

    @property
    def words(self) -> str:
        parts = [_count(self.sent, "report") + " sent"] if self.sent else []
        parts += [_count(self.waiting, "report") + " waiting"] if self.waiting else []
        parts += [f"silent: {'; '.join(sorted(self.reasons))}"] if self.silent else []
        return ", ".join(parts) or "nothing was due"


def history_page(data: OwnerPageData, month: str = "") -> str:
    """One month, with links to the months around it."""
    first = _first_of(data, month)
    before, after = _previous(first), _next(first)
    links = [html.link("history", _name(each), month=f"{each:%Y-%m}") for each in (before, after)]
    body = [
        html.heading("Day by day", 1),
        html.paragraph("Each report counts on the day on which the time it is about begins.", soft=True),
        html.section(_name(first), month_table(data, first), _silences(data, first)),
        f'<p class="pair">{links[0]} {links[1]}</p>',
    ]
    return html.page(f"{_name(first)}: hushwatt at home", "".join(body), "history")


def this_month(data: OwnerPageData) -> str:
    first = local_time(data.now, data.zone).date().replace(day=1)
    return html.section(
        f"Day by day: {_name(first)}",
        month_table(data, first),
        f"<p>{html.link('history', 'All months, and why it was silent')}</p>",
    )


def month_table(data: OwnerPageData, first: date) -> str:
    """A calendar: a row for each week, a cell for each day."""
    records = dict(day_records(data, first))
    head = "".join(f'<th scope="col"><abbr title="{day}">{day[:2]}</abbr></th>' for day in DAYS)
    weeks = MonthCalendar().monthdatescalendar(first.year, first.month)
    rows = "".join(f"<tr>{''.join(_day(day, first, records) for day in week)}</tr>" for week in weeks)
    legend = (
        '<p class="legend"><span class="key sent"></span>sent <span class="key waiting"></span>waiting to be sent '
        '<span class="key mixed"></span>sent, and silent in between <span class="key silent"></span>silent '
        '<span class="key none"></span>nothing due</p>'
    )
    return f'<table class="month"><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>{legend}'


def day_records(data: OwnerPageData, first: date) -> Iterator[tuple[date, DayRecord]]:
    """Every day of a month, by the home's own calendar."""
    days = [first + timedelta(days=each) for each in range((_next(first) - first).days + 1)]
    edges = [_midnight(data, day) for day in days]
    records = [DayRecord() for _ in days[:-1]]
    for row in data.store.rows("SELECT place, canonical FROM plans"):
        plan = Plan.parse(row["canonical"])
        _add_plan(data, row["place"], plan, edges, records)
    yield from zip(days, records, strict=False)


def _add_plan(data: OwnerPageData, place: int, plan: Plan, edges: list[int], records: list[DayRecord]) -> None:
    bounds = [_first_slot_from(plan, edge) for edge in edges]
    for record, low, high in zip(records, bounds, bounds[1:], strict=False):
        if low >= high:
            continue
        counts = data.store.rows(
            f"SELECT coalesce(sum({LEFT}), 0) AS sent, coalesce(sum(due IS NOT NULL AND NOT {LEFT}), 0) AS waiting "
            "FROM reports WHERE place = ? AND slot >= ? AND slot < ?",
            (place, low, high),
        )[0]
        record.sent, record.waiting = record.sent + counts["sent"], record.waiting + counts["waiting"]
        for each in _silent_rows(data, place, low, high):
            record.silent += min(each["last"], high - 1) - max(each["first"], low) + 1
            record.reasons.add(html.for_owners(each["reason"]))


def _silences(data: OwnerPageData, first: date) -> str:
    """When and why the home said nothing, with times."""
    low, high, lines = _midnight(data, first), _midnight(data, _next(first)), []
    for row in data.store.rows("SELECT place, canonical FROM plans"):
        plan = Plan.parse(row["canonical"])
        bounds = _first_slot_from(plan, low), _first_slot_from(plan, high)
        for each in _silent_rows(data, row["place"], *bounds):
            start, end = (_local(data, plan, slot) for slot in (each["first"], each["last"] + 1))
            lines.append(
                (start, f"{span_words(start, end)}: {html.for_owners(each['reason'])} ({quoted(plan.name, 60)})")
            )
    if not lines:
        return ""
    shown = [html.text(words) for _, words in sorted(lines, key=lambda line: line[0])]
    more = [f"and {len(shown) - MAX_SILENCES} more"] if len(shown) > MAX_SILENCES else []
    return html.heading("When it was silent, and why") + html.listed([*shown[:MAX_SILENCES], *more])


def _silent_rows(data: OwnerPageData, place: int, low: int, high: int) -> list[dict[str, Any]]:
    query = "SELECT first, last, reason FROM silences WHERE place = ? AND first < ? AND last >= ? ORDER BY first"
    return data.store.rows(query, (place, high, low))


def _day(day: date, first: date, records: dict[date, DayRecord]) -> str:
    if day.month != first.month:
        return "<td></td>"
    record = records[day]
    count, words = f"<b>{record.sent}</b>" if record.sent else "", html.text(f"{day_words(day)}: {record.words}")
    return (
        f'<td class="{record.kind}" title="{words}"><span aria-hidden="true">{day.day}{count}</span>'
        f'<span class="unseen">{words}</span></td>'
    )


def _first_slot_from(plan: Plan, time: int) -> int:
    """The first slot that begins at a moment or after it."""
    calendar = plan.calendar
    slot = int(calendar.slot_of([time])[0])
    if slot < 0:
        return 0
    return slot if slot >= calendar.slots or nanoseconds(calendar.start_of(slot)) >= time else slot + 1


def _local(data: OwnerPageData, plan: Plan, slot: int) -> datetime:
    return plan.calendar.start_of(slot).astimezone(data.zone)


def _midnight(data: OwnerPageData, day: date) -> int:
    return nanoseconds(datetime.combine(day, datetime.min.time(), data.zone).astimezone(data.zone))


def _first_of(data: OwnerPageData, month: str) -> date:
    """The month that was asked for, such as 2024-05, or this one."""
    try:
        first = date.fromisoformat(f"{month}-01")
    except ValueError:
        first = date.min
    return first if first.year in YEARS else local_time(data.now, data.zone).date().replace(day=1)


def _previous(first: date) -> date:
    return (first - timedelta(days=1)).replace(day=1)


def _next(first: date) -> date:
    return (first + timedelta(days=31)).replace(day=1)


def _name(first: date) -> str:
    return f"{MONTHS[first.month - 1]} {first.year}"


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"
