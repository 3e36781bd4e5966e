"""The overview: how many homes, how complete the slot is, what is promised, what is known so far."""

from dataclasses import dataclass
from typing import Any

from hushwatt.plan.amounts import plain
from hushwatt.plan.plan import Plan
from hushwatt.plan.summary import any_window
from hushwatt.privacy.promise_words import reach
from hushwatt.provider.dashboard import formatting
from hushwatt.provider.dashboard.charts.count_chart import count_chart
from hushwatt.provider.dashboard.charts.figure import PageChart
from hushwatt.provider.dashboard.command_line import estimate_command
from hushwatt.provider.dashboard.numbers_file import period_numbers
from hushwatt.provider.dashboard.page_context import PageContext
from hushwatt.provider.dashboard.plan_promise import cached_promise, rounded_up
from hushwatt.provider.dashboard.tables import Column, HtmlTable, number_columns
from hushwatt.provider.dashboard.views.top import chart, lead, links, table
from hushwatt.provider.schedule import CLOSED, COMING, GRACE, OPEN, PUBLISHED
from hushwatt.provider.service.collection_reader import SlotView

STAGES = (OPEN, GRACE, CLOSED, PUBLISHED)
STAGE_TEXTS = {
    COMING: "has not begun",
    OPEN: "is open: homes report",
    GRACE: "is over, and takes late reports for a while",
    CLOSED: "is closed, and is about to be published",
    PUBLISHED: "is published: its numbers never change",
}
TOP_APPLIANCES, MAX_SLOTS = 5, 60


@dataclass(frozen=True)
class CurrentSlot:
    """A slot as the page tells of it."""

    name: str
    steps: list[tuple[str, bool, bool]]  # stage, whether it is past, whether it is now
    meaning: str
    reports: int
    expected: int
    percent: int
    need: int
    when: str
    turns: bool


def show(page: PageContext) -> dict[str, Any]:
    slots, latest = _latest(page)
    promise = cached_promise(page.plan)
    shown: dict[str, Any] = {
        "homes": page.state.homes,
        "slot_now": _now(page, latest),
        "epsilon": plain(page.plan.epsilon),
        "appliance_epsilon": rounded_up(reach(promise)),
        "window": any_window(page.plan),
        "appliance_odds": promise.appliance_odds.replace(" ", formatting.THIN),
        "others": [
            _other(page, each.plan) for each in page.reader.collections.values() if each.plan.id != page.plan.id
        ],
    }
    if slots:
        shown |= {"slots_chart": _slots_chart(page, slots), "slots_table": _slots_table(page, slots)}
        shown["since"] = "" if slots is latest else formatting.slot_name(page.plan, page.last_reported)
    ranked = page.ranked[:TOP_APPLIANCES]
    if ranked:
        shown |= {
            "top": chart(ranked),
            "top_table": table(ranked, page.estimates.swap_homes, links(page)),
            "numbers": period_numbers("overview", page.ranked),
            "command": estimate_command(page.query),
            "lead": lead(page.ranked),
        }
    return shown


def _latest(page: PageContext) -> tuple[list[SlotView], list[SlotView]]:
    """The slots to tell of, the last with reports among them, and the latest ones."""
    plan, span = page.plan, (MAX_SLOTS - 1) * page.plan.publish
    begun = plan.periods.first_of(max(page.reader.schedule(plan).last_begun(page.now), 0))
    latest = page.reader.slots(plan, begun - span)[-MAX_SLOTS:]
    if page.last_reported < 0 or any(slot.reports for slot in latest):
        return latest, latest
    last = page.last_reported
    return page.reader.slots(plan, last - span, last), latest


def _now(page: PageContext, slots: list[SlotView]) -> CurrentSlot | None:
    """The last slot that has begun."""
    begun = [slot for slot in slots if slot.state != COMING]
    if not begun:
        return None
    slot = begun[-1]
    stage = STAGES.index(slot.state)
    expected = page.expected(slot.homes)
    return CurrentSlot(
        name=formatting.slot_name(page.plan, slot.slot),
        steps=[(each, index < stage, index == stage) for index, each in enumerate(STAGES)],
        meaning=STAGE_TEXTS[slot.state],
        reports=slot.reports,
        expected=expected,
        percent=min(100, round(100 * slot.reports / expected)) if expected else 0,
        need=slot.need,
        when=_when(page, slot),
        turns=expected < slot.homes,
    )


def _when(page: PageContext, slot: SlotView) -> str:
    if slot.state == PUBLISHED:
        return ""
    closes = formatting.moment(slot.closes, page.plan, page.now)
    if slot.state == OPEN:
        ends = formatting.moment(slot.end, page.plan, page.now)
        return f"It ends at {ends}, and is closed and published at {closes}."
    return f"It is closed and published at {closes}."


def _slots_chart(page: PageContext, slots: list[SlotView]) -> PageChart:
    figure = count_chart(
        [formatting.slot_tick(page.plan, slot.slot) for slot in slots],
        [slot.reports for slot in slots],
        [slot.state == PUBLISHED for slot in slots],
        (f"{page.plan.minimum_homes:,} needed", page.plan.minimum_homes),
    )
    return PageChart(figure, f"Reports in the latest {page.plan.periods.word}s; those not published yet are pale", 240)


def _slots_table(page: PageContext, slots: list[SlotView]) -> HtmlTable:
    rows = [
        [
            formatting.slot_name(page.plan, slot.slot),
            slot.state,
            f"{slot.reports:,}",
            f"{page.expected(slot.homes):,}",
            f"{slot.late:,}",
        ]
        for slot in reversed(slots)
    ]
    one = page.plan.periods.word
    columns = [Column(one.title()), Column("State"), *number_columns("Reports", "Expected", "Late")]
    return HtmlTable(f"The latest {one}s", columns, rows)


def _other(page: PageContext, plan: Plan) -> dict[str, str]:
    state = page.reader.state(plan)
    return {
        "name": plan.name,
        "link": page.query.link("/", plan=plan.id[:12], **{"from": "", "to": "", "smooth": ""}),
        "homes": formatting.count(state.homes, "home"),
        "epsilon": plain(plan.epsilon),
    }
