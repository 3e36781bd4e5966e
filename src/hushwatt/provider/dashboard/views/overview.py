"""The overview: how many homes, how complete the slot is, what is promised, what is known so far."""

from dataclasses import dataclass
from typing import Any

from hushwatt.plan.amounts import plain
from hushwatt.plan.plan import Plan
from hushwatt.privacy.promise_words import reach
from hushwatt.provider.dashboard import words
from hushwatt.provider.dashboard.charts.counts import tallies
from hushwatt.provider.dashboard.charts.figure import Chart
from hushwatt.provider.dashboard.page_context import PageContext
from hushwatt.provider.dashboard.promised import promised, rounded_up
from hushwatt.provider.dashboard.tables import Column, Table, numbers
from hushwatt.provider.dashboard.views.top import chart, lead, table
from hushwatt.provider.schedule import CLOSED, COMING, GRACE, OPEN, PUBLISHED
from hushwatt.provider.service.collection_reader import SlotView

LIFE = (OPEN, GRACE, CLOSED, PUBLISHED)
MEANING = {
    COMING: "has not begun",
    OPEN: "is open: homes report",
    GRACE: "is over, and takes late reports for a while",
    CLOSED: "is closed, and is about to be published",
    PUBLISHED: "is published: its numbers never change",
}
FEW_APPLIANCES, LATEST = 5, 60


@dataclass(frozen=True)
class SlotNow:
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


def show(scene: PageContext) -> dict[str, Any]:
    slots = scene.read.slots(scene.plan)[-LATEST:]
    promise = promised(scene.plan)
    found: dict[str, Any] = {
        "homes": scene.state.homes,
        "slot_now": _now(scene, slots),
        "epsilon": plain(scene.plan.epsilon),
        "appliance_epsilon": rounded_up(reach(promise)),
        "appliance_odds": promise.appliance_odds.replace(" ", words.THIN),
        "others": [_other(scene, plan) for plan in _others(scene)],
    }
    if slots:
        found |= {"slots_chart": _slots_chart(scene, slots), "slots_table": _slots_table(scene, slots)}
    ranked = scene.ranked[:FEW_APPLIANCES]
    if ranked:
        found |= {
            "top": chart(ranked),
            "top_table": table(ranked, scene.found.swap_homes),
            "lead": lead(scene.ranked),
        }
    return found


def _now(scene: PageContext, slots: list[SlotView]) -> SlotNow | None:
    """The last slot that has begun."""
    begun = [slot for slot in slots if slot.state != COMING]
    if not begun:
        return None
    slot = begun[-1]
    stage = LIFE.index(slot.state)
    expected = scene.expected(slot.homes)
    return SlotNow(
        name=words.slot_name(scene.plan, slot.slot),
        steps=[(each, place < stage, place == stage) for place, each in enumerate(LIFE)],
        meaning=MEANING[slot.state],
        reports=slot.reports,
        expected=expected,
        percent=min(100, round(100 * slot.reports / expected)) if expected else 0,
        need=slot.need,
        when=_when(scene, slot),
        turns=expected < slot.homes,
    )


def _when(scene: PageContext, slot: SlotView) -> str:
    if slot.state == PUBLISHED:
        return ""
    closes = words.moment_of(slot.closes, scene.plan, scene.now)
    if slot.state == OPEN:
        ends = words.moment_of(slot.end, scene.plan, scene.now)
        return f"It ends at {ends}, and is closed and published at {closes}."
    return f"It is closed and published at {closes}."


def _slots_chart(scene: PageContext, slots: list[SlotView]) -> Chart:
    figure = tallies(
        [words.slot_mark(scene.plan, slot.slot) for slot in slots],
        [slot.reports for slot in slots],
        [slot.state == PUBLISHED for slot in slots],
        (f"{scene.plan.minimum_homes:,} needed", scene.plan.minimum_homes),
    )
    return Chart(figure, "Reports in the latest slots; those not published yet are pale", 240)


def _slots_table(scene: PageContext, slots: list[SlotView]) -> Table:
    rows = [
        [
            words.slot_name(scene.plan, slot.slot),
            slot.state,
            f"{slot.reports:,}",
            f"{scene.expected(slot.homes):,}",
            f"{slot.late:,}",
        ]
        for slot in reversed(slots)
    ]
    columns = [Column("Slot"), Column("State"), *numbers("Reports", "Expected", "Late")]
    return Table("The latest slots", columns, rows)


def _others(scene: PageContext) -> list[Plan]:
    plans = [each.plan for each in scene.read.collections.values()]
    return [plan for plan in plans if plan.id != scene.plan.id]


def _other(scene: PageContext, plan: Plan) -> dict[str, str]:
    state = scene.read.state(plan)
    return {
        "name": plan.name,
        "link": scene.asked.link("/", plan=plan.id[:12], **{"from": "", "to": "", "smooth": ""}),
        "homes": words.count(state.homes, "home"),
        "epsilon": plain(plan.epsilon),
    }
