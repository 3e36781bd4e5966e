"""The layout around every view: navigation, the range of time, the downloads."""

from datetime import timedelta
from typing import TYPE_CHECKING, Any

from hushwatt.plan.plan import Plan
from hushwatt.provider.dashboard import formatting
from hushwatt.provider.dashboard.chosen_times import HOURS, TimeFields, times_text
from hushwatt.provider.dashboard.page_context import PageContext
from hushwatt.provider.estimate.times.time_range import parse_query_range, written_end, written_start

if TYPE_CHECKING:
    from hushwatt.provider.dashboard.views import View

FORMS = (("csv", "CSV"), ("parquet", "Parquet"), ("json", "JSON"))
NEXT = ("/series", "/profile", "/levels", "/compare")  # what more there is to see of an appliance
RANGE_DAYS = (7, 30, 90)  # days


def layout_context(page: PageContext, view: "View", signed_in: bool) -> dict[str, Any]:
    """All that the template around a view needs."""
    from hushwatt.provider.dashboard.views import VIEWS

    query, plan = page.query, page.plan
    waiting = not page.estimates.answered
    return {
        "title": view.name,
        "plan": plan,
        "query": query,
        "path": view.path,
        "one": plan.periods.word,
        "navigation": [
            (each.name, query.link(each.path), each is view) for each in VIEWS if _offered(page, each, view)
        ],
        "hours": HOURS,
        "see": _see(page, view),
        "file": lambda: query.here(view.path, form="csv"),
        "plans": [
            (each.plan.id[:12], each.plan.name, each.plan.id == plan.id) for each in page.reader.collections.values()
        ],
        "signed_in": signed_in,
        "waiting": waiting_text(page) if waiting else None,
        "downloads": [(name, query.download(form)) for form, name in FORMS],
        "range_text": range_text(page),
        "left_out": left_out_text(page),
        "fields": TimeFields.of(plan, query.given),
        "range_links": range_links(page, view.path),
    }


def _offered(page: PageContext, view: "View", here: "View") -> bool:
    """Whether a view is in the navigation: groups only where homes have labels."""
    return view is here or view.path != "/groups" or bool(page.labels)


def _see(page: PageContext, here: "View") -> list[tuple[str, str]]:
    """Where else the appliances of a page are told of."""
    from hushwatt.provider.dashboard.views import VIEWS

    names = list(page.appliances)
    further = [view for view in VIEWS if view.path in NEXT and view is not here]
    return [(view.name, page.query.here(view.path, appliance=names)) for view in further]


def waiting_text(page: PageContext) -> dict[str, Any]:
    """Why there is no answer, and when to look again."""
    not_yet, query = page.not_yet, page.query
    have, need = not_yet.have, not_yet.need
    if not_yet.next_look is None:
        when = f"The plan is over: no more {page.plan.periods.word}s will be published."
    else:
        when = f"Next look at {formatting.moment(not_yet.next_look, page.plan, page.now)}"
        when += f" ({page.plan.timezone})."
    heard, sampled = page.estimates.heard, page.plan.appliances_per_report < len(page.plan.appliances)
    did = "spoke of one appliance" if sampled else "reported"
    homes = formatting.count(heard, "home")
    before = f"In the {page.plan.periods.word}s published so far at most {homes} {did}." if heard else ""
    return {
        "have": have,
        "need": need,
        "line": f"Not yet: {have:,} of {formatting.count(need, 'home')}",
        "when": when,
        "before": before,
        "ranged": query.ranged,
        "one": page.plan.periods.word,
    }


def range_text(page: PageContext) -> str:
    """Which slots the answer is about."""
    slots = page.estimates.slots
    if not slots:
        return ""
    first, last = (formatting.slot_name(page.plan, slot.slot) for slot in (slots[0], slots[-1]))
    few = sum(not slot.enough for slot in slots)
    range_name = first if len(slots) == 1 else f"{first} to {last}"
    left_out = f", {few:,} of them left out: too few homes" if few else ""
    homes = formatting.count(page.estimates.homes, "home")
    count = formatting.count(len(slots), page.plan.periods.word)
    only = "" if page.query.times.everything else f" {times_text(page.plan, None, None, page.query.times)}"
    return f"{range_name}{only} ({page.plan.timezone}): {count}{left_out}. {homes} take part."


def left_out_text(page: PageContext) -> str:
    """What is not in the answer, as too few homes spoke of it."""
    estimates, need, lines = page.estimates, page.plan.minimum_homes, []
    if estimates.withheld:
        names = ", ".join(map(formatting.appliance_name, estimates.withheld))
        lines.append(f"Too few homes spoke of {names}: no answer and no rank below {need:,}.")
    if estimates.left_out:
        one = page.plan.periods.word
        most = max(estimates.left_out.values())
        lines.append(
            f"{one.title()}s in which fewer than {need:,} homes spoke of an appliance count together or not at all: "
            f"up to {most:,} are left out."
        )
    return " ".join(lines)


def range_links(page: PageContext, path: str) -> list[tuple[str, str, bool]]:
    """Links to the last days that have reports, and to everything."""
    query, last = page.query, page.last_reported if page.last_reported >= 0 else page.state.published
    ranges = last_ranges(page.plan, last) if last >= 0 else {}
    between = query.first, query.last
    links = [
        (name, _link(page, path, start, end), between == parse_query_range(page.plan, start, end))
        for name, (start, end) in ranges.items()
    ]
    return [*links, ("All", _link(page, path, "", ""), between == (None, None))]


def last_ranges(plan: Plan, published: int) -> dict[str, tuple[str, str]]:
    """Ranges that end with this published slot, by their names; of what is published together, whole ones."""
    if plan.publish == 1:
        last = formatting.local(plan.calendar.end_of(published) - timedelta(seconds=1), plan).date()
        return {
            f"Last {days} days": ((last - timedelta(days=days - 1)).isoformat(), last.isoformat())
            for days in RANGE_DAYS
        }
    counts = {max(days * formatting.DAY // (plan.publish * plan.slot.seconds), 1) for days in RANGE_DAYS}
    firsts = {count: plan.periods.first_of(published) - (count - 1) * plan.publish for count in sorted(counts)}
    return {
        f"Last {plan.slot.lasting(published - first + 1)}": (written_start(plan, first), written_end(plan, published))
        for first in firsts.values()
        if first >= 0
    }


def _link(page: PageContext, path: str, start: str, end: str) -> str:
    return page.query.here(path, **{"from": start, "to": end})
