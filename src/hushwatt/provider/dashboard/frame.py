"""What stands around every view: the way to the others, the range of time, the downloads."""

from datetime import date, timedelta
from typing import TYPE_CHECKING, Any

from hushwatt.provider.dashboard import words
from hushwatt.provider.dashboard.page_context import PageContext

if TYPE_CHECKING:
    from hushwatt.provider.dashboard.views import View

FORMS = (("csv", "CSV"), ("parquet", "Parquet"), ("json", "JSON"))
STRETCHES = (7, 30, 90)  # days


def frame(scene: PageContext, view: "View", signed_in: bool) -> dict[str, Any]:
    """All that the page around a view needs."""
    from hushwatt.provider.dashboard.views import VIEWS

    asked, plan = scene.asked, scene.plan
    waiting = not scene.found.answered
    return {
        "title": view.name,
        "plan": plan,
        "asked": asked,
        "path": view.path,
        "navigation": [(each.name, asked.link(each.path), each is view) for each in VIEWS],
        "plans": [
            (each.plan.id[:12], each.plan.name, each.plan.id == plan.id)
            for each in scene.read.collections.values()
        ],
        "signed_in": signed_in,
        "waiting": waiting_for(scene) if waiting else None,
        "downloads": [(name, asked.download(form)) for form, name in FORMS],
        "range_text": range_text(scene),
        "left_out": left_out(scene),
        "range_kinds": (_kind(asked.start), _kind(asked.end)),
        "stretches": stretches(scene, view.path),
    }


def waiting_for(scene: PageContext) -> dict[str, Any]:
    """Why there is no answer, and when to look again."""
    not_yet, asked = scene.not_yet, scene.asked
    have, need = not_yet.have, not_yet.need
    if not_yet.next_look is None:
        when = "The plan is over: no more slots will be published."
    else:
        when = f"Next look at {words.moment_of(not_yet.next_look, scene.plan, scene.now)}"
        when += f" ({scene.plan.timezone})."
    most, some = scene.found.heard, scene.plan.appliances_per_report < len(scene.plan.appliances)
    did = "spoke of one appliance" if some else "reported"
    before = f"In the slots published so far at most {words.count(most, 'home')} {did}." if most else ""
    return {
        "have": have,
        "need": need,
        "line": f"Not yet: {have:,} of {words.count(need, 'home')}",
        "when": when,
        "before": before,
        "ranged": asked.ranged,
    }


def range_text(scene: PageContext) -> str:
    """Which slots the answer is about."""
    slots = scene.found.slots
    if not slots:
        return ""
    first, last = (words.slot_name(scene.plan, slot.slot) for slot in (slots[0], slots[-1]))
    few = sum(not slot.enough for slot in slots)
    span = first if len(slots) == 1 else f"{first} to {last}"
    left_out = f", {few:,} of them left out: too few homes" if few else ""
    homes = words.count(scene.found.homes, "home")
    return f"{span} ({scene.plan.timezone}): {words.count(len(slots), 'slot')}{left_out}. {homes} take part."


def left_out(scene: PageContext) -> str:
    """What is not in the answer, as too few homes spoke of it."""
    found, need, lines = scene.found, scene.plan.minimum_homes, []
    if found.withheld:
        names = ", ".join(map(words.spoken, found.withheld))
        lines.append(f"Too few homes spoke of {names}: no answer and no rank below {need:,}.")
    if found.left_out:
        most = max(found.left_out.values())
        lines.append(
            f"Slots in which fewer than {need:,} homes spoke of an appliance count together or not at all: "
            f"up to {most:,} are left out."
        )
    return " ".join(lines)


def stretches(scene: PageContext, path: str) -> list[tuple[str, str, bool]]:
    """Links to the last days that are published, and to everything."""
    asked, published = scene.asked, scene.state.published
    found = []
    if published >= 0:
        last = words.local(scene.plan.calendar.end_of(published) - timedelta(seconds=1), scene.plan).date()
        for days in STRETCHES:
            start, end = (last - timedelta(days=days - 1)).isoformat(), last.isoformat()
            chosen = (asked.start, asked.end) == (start, end)
            found.append((f"Last {days} days", _link(scene, path, start, end), chosen))
    return [*found, ("All", _link(scene, path, "", ""), not asked.ranged)]


def _link(scene: PageContext, path: str, start: str, end: str) -> str:
    asked = scene.asked
    more: dict[str, Any] = {"from": start, "to": end, "appliance": list(asked.appliances)}
    return asked.link(path, **more, **asked.counts)


def _kind(word: str) -> str:
    """The kind of field that can hold what was written."""
    try:
        date.fromisoformat(word or "2024-01-01")
    except ValueError:
        return "text"
    return "date"
