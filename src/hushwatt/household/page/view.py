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
from hushwatt.household.consent_text import HABITS, WHILE_PAUSED, consent_terms, plan_changes, successor_terms
from hushwatt.household.ledger.caps import DAY, Caps
from hushwatt.household.ledger.objections import earlier_terms
from hushwatt.household.ledger.store import Store
from hushwatt.household.page import html
from hushwatt.household.report.levels import Watts
from hushwatt.household.report.preview import named_levels
from hushwatt.household.status import (
    PlanStatus,
    appliance_meters,
    cap_objections,
    meters,
    plan_statuses,
    sent_reports,
)
from hushwatt.plan.amounts import plain
from hushwatt.plan.plan import Plan
from hushwatt.plan.times import nanoseconds
from hushwatt.privacy.long_run import long_run_sentences, long_run_words
from hushwatt.privacy.promise import Promise, promise
from hushwatt.privacy.promise_words import as_prose
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
    csrf_token: str  # proves that a button was on our page
    everything: bool = False

    def __repr__(self) -> str:
        return "<what the owner's page shows>"


def home_page(data: OwnerPageData) -> str:
    """The whole page."""
    every = plan_statuses(data.store, data.now)
    here = [each for each in every if each.state in ("taking part", "paused")]
    parts, beyond = [_header(data, here), _budget(data, every)], cap_objections(data.caps, every)
    parts += [_plan(data, each, every, beyond[each.plan.id]) for each in here]
    retired = [each.retired for each in every if each.state == "retired" and each.retired]
    if retired:
        parts.append(html.section("Retired", *(html.paragraph(f"{line[:1].upper()}{line[1:]}.") for line in retired)))
    if not here:
        parts.append(html.section("No plan", html.paragraph("This home takes part in nothing; nothing leaves it.")))
    return html.page("hushwatt at home", "".join([*parts, _sources(data), _log(data, every)]))


def _header(data: OwnerPageData, here: list[PlanStatus]) -> str:
    paused = bool(here) and all(each.state == "paused" for each in here)
    state = "paused" if paused else "on" if here else "off"
    action = html.button("resume", "Resume", data.csrf_token, "", main=True) if paused else ""
    if here and not paused:
        action = html.button("pause", "Pause everything", data.csrf_token, "")
    return f'<header><h1>hushwatt at home <span class="state">{state}</span></h1><div>{action}</div></header>'


def _budget(data: OwnerPageData, every: list[PlanStatus]) -> str:
    rows = []
    for each in every:
        if each.state in ("taking part", "paused"):
            why = f" ({each.window_why})" if each.window_why else ""
            label = f"{quoted(each.plan.name)}: this window{why}"
            rows.append(_meter(label, each.window_spent, each.plan.epsilon))
    day, year, life = meters(data.store, data.caps, data.now)
    rows += [
        _meter("all plans: last 24 hours", day.spent, day.cap),
        _meter("last year", year.spent, year.cap),
        _meter("lifetime", life.spent, life.cap),
    ]
    for single in appliance_meters(data.store, data.caps, data.now):
        rows.append(_meter(f"all plans, on any one appliance {single.when}", single.spent, single.cap))
    return html.section("Your budget", html.table(["", "", "spent", "at most"], rows), html.paragraph(HABITS, True))


def _meter(label: str, spent: int, cap: int) -> list[str]:
    most, bar = (f"ε {plain(cap)}", html.bar(spent, cap)) if cap else ("no limit", "")
    return [html.text(label), bar, f"ε {plain(spent)}", most]


def _plan(data: OwnerPageData, each: PlanStatus, every: list[PlanStatus], beyond: list[str]) -> str:
    row = data.store.rows("SELECT provider FROM plans WHERE plan = ?", (each.plan.id,))[0]
    weighed, successors = promise(each.plan), successor_terms(data.caps.follow_successors)
    parts = [
        html.paragraph(f"{each.state}; {each.reports} reports, {each.waiting} waiting to be sent."),
        *(html.paragraph(f"Held back by your caps: {line}.") for line in beyond),
        *_agreed_before(data, each),
        *(html.paragraph(f"{line[:1].upper()}{line[1:]}.") for line in each.successors),
        *([html.paragraph(WHILE_PAUSED)] if each.state == "paused" else []),
        *(html.paragraph(f"Silent in slots {first} to {last}: {why}.", True) for first, last, why in each.silences[:2]),
        _grid(data, each),
        *_conclusions(data, each, weighed),
        "<h2>What you agreed to</h2>",
        html.terms([*consent_terms(each.plan, weighed, each.address, row["provider"]), successors]),
        _changes(each, every),
        html.paragraph("To leave and have everything erased: hushwatt household leave", True),
    ]
    return html.section(f"The plan {quoted(each.plan.name)}", *parts)


def _agreed_before(data: OwnerPageData, each: PlanStatus) -> list[str]:
    terms = earlier_terms(data.caps) if each.agreed_before else None
    return [] if terms is None else [html.paragraph(f"{terms[:1].upper()}{terms[1:]}.")]


def _conclusions(data: OwnerPageData, each: PlanStatus, weighed: Promise) -> list[str]:
    """From one report, from all there were so far, and from those of years, in plain words."""
    joined = data.store.value("SELECT joined FROM plans WHERE plan = ?", (each.plan.id,))
    days = max(1, -(-(data.now - max(joined, nanoseconds(each.plan.start))) // DAY))
    so_far = long_run_words(each.plan, days)[0] if each.reports else "nothing was sent yet"
    return [
        "<h2>What the provider can conclude</h2>",
        html.paragraph(
            "From one report: its answer about an appliance is the plain truth with probability "
            f"{weighed.truthful[1]:.3g} at most."
        ),
        html.paragraph(f"From all {each.reports} so far: {so_far}."),
        *(html.paragraph(text) for _, text in as_prose(long_run_sentences(each.plan))),
    ]


def _changes(each: PlanStatus, every: list[PlanStatus]) -> str:
    """What changed against the plan that this one took the place of."""
    replaced = (each.plan.name, each.plan.replaces)
    older = [one for one in every if one.state == "left" and {one.plan.name, one.plan.id} & {*replaced}]
    if not older:
        return ""
    lines = "".join(f"<li>{html.text(line)}</li>" for line in plan_changes(older[-1].plan, each.plan))
    return f"<h2>What changed against the plan before</h2><ul>{lines}</ul>"


def _grid(data: OwnerPageData, each: PlanStatus) -> str:
    """True against sent, side by side, for the last slot that ended."""
    plan = each.plan
    slot, watts = data.latest.get(plan.id, (None, None))
    levels_sent = {} if slot is None else _levels_sent(data.store, plan, slot)
    if watts is None:
        return html.paragraph("True against sent is shown once a slot has ended while this page's agent runs.", True)
    rows = []
    for appliance, mean in zip(plan.appliances, watts, strict=True):
        level = true_level(plan, appliance.name, float(mean))
        said = levels_sent.get(appliance.name)
        shown = "not asked" if said is None else _answers(plan, appliance.levels, said, "sent")
        rows.append([html.text(quoted(appliance.name)), _answers(plan, appliance.levels, [level], "true"), shown])
    sent = "as it was sent" if levels_sent else "nothing was sent"
    return f"<h2>True against sent, slot {slot}</h2>" + html.table(["appliance", "true, only here", sent], rows)


def _answers(plan: Plan, levels: int, answers: list[int], kind: str) -> str:
    """A square for each level, and the words where "not measured" is among the answers."""
    words = " not measured" if plan.answers_unmeasured and levels in answers else ""
    return html.cells(levels, answers, kind) + words


def _levels_sent(store: Store, plan: Plan, slot: int) -> dict[str, list[int]]:
    payload = store.value(
        "SELECT payload FROM reports WHERE slot = ? AND place = (SELECT place FROM plans WHERE plan = ?)",
        (slot, plan.id),
    )
    return {} if payload is None else named_levels(plan, payload)


def true_level(plan: Plan, name: str, watts: float) -> int:
    """The level that holds a mean; when dithering, the one whose value is nearest; NaN is beyond the last."""
    appliance = next(each for each in plan.appliances if each.name == name)
    if np.isnan(watts):
        return appliance.levels
    if plan.mapping == "dither" or appliance.edges is None:
        return int(np.argmin(np.abs(np.array(appliance.values) - watts)))
    return int(np.searchsorted(np.array(appliance.edges), watts, side="left"))


def _sources(data: OwnerPageData) -> str:
    if not data.health:
        return html.section("Sources", html.paragraph("None yet: name your plugs in sources.toml."))
    rows = []
    for each in data.health:
        heard = "never"
        if each["heard"] is not None:
            heard = f"{datetime.fromtimestamp(each['heard'] // SECOND, UTC):%Y-%m-%d %H:%M:%S} UTC"
        state = "fresh" if each["fresh"] else f'<span class="bad">{html.text(each["trouble"] or "stale")}</span>'
        rows.append([html.text(each["appliance"]), html.text(each["name"]), heard, state])
    return html.section("Sources", html.table(["appliance", "source", "last heard", "health"], rows))


def _log(data: OwnerPageData, every: list[PlanStatus]) -> str:
    names = {each.plan.id: quoted(each.plan.name) for each in every}
    rows = [
        [
            html.text(names[row["plan"]]),
            str(row["slot"]),
            f"ε {plain(row['spent'])}",
            html.text(row["answer"] or "waiting"),
            f"<code>{row['payload'].hex()}</code>",
        ]
        for row in sent_reports(data.store, None if data.everything else LATEST_ROWS)[::-1]
    ]
    more = "" if data.everything or len(rows) < LATEST_ROWS else '<p><a href="?all=1">everything ever sent</a></p>'
    head = ["plan", "slot", "spent", "state", "bytes"]
    return html.section("Everything that left this home", html.table(head, rows), more)
