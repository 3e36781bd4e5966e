"""What the owner sees: the promise, the budget, true against sent, and everything that ever left.

The true side of the grid comes from the agent's memory.  It is in no file, and on no
other page.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import numpy as np

from hushwatt.household.clock import SECOND
from hushwatt.household.consent_text import HABITS, WHILE_PAUSED, consent_terms, plan_changes
from hushwatt.household.ledger.caps import Caps
from hushwatt.household.ledger.store import Store
from hushwatt.household.page import html
from hushwatt.household.report.levels import Watts
from hushwatt.household.report.preview import named_levels
from hushwatt.household.status import (
    PlanStatus,
    appliance_meter,
    cap_objections,
    meters,
    plan_statuses,
    sent_reports,
)
from hushwatt.plan.amounts import plain
from hushwatt.plan.plan import Plan
from hushwatt.privacy.promise import odds, promise
from hushwatt.sanitise import quoted

LATEST_ROWS = 50  # rows of the log that are shown at first


@dataclass(frozen=True)
class OwnerPageData:
    """All that a page is made from."""

    store: Store
    caps: Caps
    now: int
    latest: Mapping[str, tuple[int, Watts]]
    health: list[dict[str, Any]]
    key: str  # proves that a button was on our page
    everything: bool = False

    def __repr__(self) -> str:
        return "<what the owner's page shows>"


def home_page(sight: OwnerPageData) -> str:
    """The whole page."""
    every = plan_statuses(sight.store, sight.now)
    here = [each for each in every if each.state in ("taking part", "paused")]
    parts, beyond = [_header(sight, here), _budget(sight, every)], cap_objections(sight.caps, every)
    parts += [_plan(sight, each, every, beyond[each.plan.id]) for each in here]
    if not here:
        parts.append(
            html.section("No plan", html.paragraph("This home takes part in nothing; nothing leaves it."))
        )
    return html.page("hushwatt at home", "".join([*parts, _sources(sight), _log(sight, every)]))


def _header(sight: OwnerPageData, here: list[PlanStatus]) -> str:
    paused = bool(here) and all(each.state == "paused" for each in here)
    state = "paused" if paused else "on" if here else "off"
    action = html.button("resume", "Resume", sight.key, "", main=True) if paused else ""
    if here and not paused:
        action = html.button("pause", "Pause everything", sight.key, "")
    return f'<header><h1>hushwatt at home <span class="state">{state}</span></h1><div>{action}</div></header>'


def _budget(sight: OwnerPageData, every: list[PlanStatus]) -> str:
    rows = []
    for each in every:
        if each.state in ("taking part", "paused"):
            why = f" ({each.window_why})" if each.window_why else ""
            label = f"{quoted(each.plan.name)}: this window{why}"
            rows.append(_meter(label, each.window_spent, each.plan.epsilon))
    day, year, life = meters(sight.store, sight.caps, sight.now)
    single = appliance_meter(sight.store, sight.caps, sight.now)
    rows += [
        _meter("all plans: last 24 hours", day.spent, day.cap),
        _meter("last year", year.spent, year.cap),
        _meter(f"all plans, on any one appliance in any {single.span}", single.spent, single.cap),
    ]
    rows.append(["lifetime", "", f"ε {plain(life.spent)}", f"odds {html.text(odds(life.spent / 1e6))}"])
    return html.section(
        "Your budget", html.table(["", "", "spent", "at most"], rows), html.paragraph(HABITS, True)
    )


def _meter(label: str, spent: int, cap: int) -> list[str]:
    return [html.text(label), html.bar(spent, cap), f"ε {plain(spent)}", f"ε {plain(cap)}"]


def _plan(sight: OwnerPageData, each: PlanStatus, every: list[PlanStatus], beyond: list[str]) -> str:
    row = sight.store.rows("SELECT provider FROM plans WHERE plan = ?", (each.plan.id,))[0]
    weighed = promise(each.plan)
    parts = [
        html.paragraph(f"{each.state}; {each.reports} reports, {each.waiting} waiting to be sent."),
        *(html.paragraph(f"Held back by your caps: {line}.") for line in beyond),
        *([html.paragraph(WHILE_PAUSED)] if each.state == "paused" else []),
        *(
            html.paragraph(f"Silent in slots {first} to {last}: {why}.", True)
            for first, last, why in each.silences[:2]
        ),
        _grid(sight, each),
        "<h2>What the provider can conclude</h2>",
        html.paragraph(
            "From one report: it can shift a bet about your home by odds "
            f"{odds(weighed.drawn / 1e6)} at most; its answer about an appliance is the plain truth with "
            f"probability {weighed.truthful[1]:.3g} at most."
        ),
        html.paragraph(
            f"From all {each.reports} so far: ε {plain(each.spent)} in all, odds {odds(each.spent / 1e6)} "
            "at most, for someone who looks for what stays the same. What you did in any one window stays "
            f"at odds {weighed.odds}."
        ),
        "<h2>What you agreed to</h2>",
        html.terms(consent_terms(each.plan, weighed, each.address, row["provider"])),
        _changes(each, every),
        html.paragraph("To leave and have everything erased: hushwatt household leave", True),
    ]
    return html.section(f"The plan {quoted(each.plan.name)}", *parts)


def _changes(each: PlanStatus, every: list[PlanStatus]) -> str:
    """What changed against the plan that this one took the place of."""
    older = [one for one in every if one.state == "left" and one.plan.name == each.plan.name]
    if not older:
        return ""
    lines = "".join(f"<li>{html.text(line)}</li>" for line in plan_changes(older[-1].plan, each.plan))
    return f"<h2>What changed against the plan before</h2><ul>{lines}</ul>"


def _grid(sight: OwnerPageData, each: PlanStatus) -> str:
    """True against sent, side by side, for the last slot that ended."""
    plan = each.plan
    slot, watts = sight.latest.get(plan.id, (None, None))
    told = {} if slot is None else _told(sight.store, plan, slot)
    if watts is None:
        return html.paragraph(
            "True against sent is shown once a slot has ended while this page's agent runs.", True
        )
    rows = []
    for appliance, mean in zip(plan.appliances, watts, strict=True):
        level = true_level(plan, appliance.name, float(mean))
        said = told.get(appliance.name)
        shown = "not asked" if said is None else html.cells(appliance.levels, said, "sent")
        rows.append([html.text(quoted(appliance.name)), html.cells(appliance.levels, [level], "true"), shown])
    sent = "as it was sent" if told else "nothing was sent"
    return f"<h2>True against sent, slot {slot}</h2>" + html.table(
        ["appliance", "true, only here", sent], rows
    )


def _told(store: Store, plan: Plan, slot: int) -> dict[str, list[int]]:
    payload = store.value(
        "SELECT payload FROM reports WHERE slot = ? AND place = (SELECT place FROM plans WHERE plan = ?)",
        (slot, plan.id),
    )
    return {} if payload is None else named_levels(plan, payload)


def true_level(plan: Plan, name: str, watts: float) -> int:
    """The level that holds a mean; when dithering, the one whose value is nearest."""
    appliance = next(each for each in plan.appliances if each.name == name)
    if plan.mapping == "dither" or appliance.edges is None:
        return int(np.argmin(np.abs(np.array(appliance.values) - watts)))
    return int(np.searchsorted(np.array(appliance.edges), watts, side="left"))


def _sources(sight: OwnerPageData) -> str:
    if not sight.health:
        return html.section("Sources", html.paragraph("None yet: name your plugs in sources.toml."))
    rows = []
    for each in sight.health:
        heard = "never" if each["heard"] is None else _time(each["heard"])
        state = (
            "fresh" if each["fresh"] else f'<span class="bad">{html.text(each["trouble"] or "stale")}</span>'
        )
        rows.append([html.text(each["appliance"]), html.text(each["name"]), heard, state])
    return html.section("Sources", html.table(["appliance", "source", "last heard", "health"], rows))


def _log(sight: OwnerPageData, every: list[PlanStatus]) -> str:
    names = {each.plan.id: quoted(each.plan.name) for each in every}
    rows = [
        [
            html.text(names[row["plan"]]),
            str(row["slot"]),
            f"ε {plain(row['spent'])}",
            html.text(row["answer"] or "waiting"),
            f"<code>{row['payload'].hex()}</code>",
        ]
        for row in sent_reports(sight.store, None if sight.everything else LATEST_ROWS)[::-1]
    ]
    more = (
        ""
        if sight.everything or len(rows) < LATEST_ROWS
        else '<p><a href="?all=1">everything ever sent</a></p>'
    )
    head = ["plan", "slot", "spent", "state", "bytes"]
    return html.section("Everything that left this home", html.table(head, rows), more)


def _time(nanoseconds: int) -> str:
    return f"{datetime.fromtimestamp(nanoseconds // SECOND, UTC):%Y-%m-%d %H:%M:%S} UTC"
