"""The first page that an owner sees: one sentence, what needs attention, what was measured and sent, plugs and days."""

from hushwatt.household.ledger.objections import earlier_terms
from hushwatt.household.page import html
from hushwatt.household.page.comparison import comparison
from hushwatt.household.page.data import OwnerPageData
from hushwatt.household.page.history import this_month
from hushwatt.household.page.last_report import last_report
from hushwatt.household.page.leaving import unfinished
from hushwatt.household.page.plugs import plugs
from hushwatt.household.page.reports import report_table
from hushwatt.household.status import PlanStatus, sent_reports
from hushwatt.household.troubles import Trouble, troubles
from hushwatt.household.words.clock_words import zone_name
from hushwatt.household.words.consent_text import WHILE_PAUSED, filed_sentence
from hushwatt.household.words.plan_words import how_often
from hushwatt.household.words.sentences import home_sentence
from hushwatt.sanitise import quoted

LATEST = 5  # reports that are shown here
NO_PLAN = "This home takes part in nothing; nothing leaves it."


def home_page(data: OwnerPageData) -> str:
    """The whole page."""
    parts = [_header(data), _lead(data), _notices(data), unfinished(data)]
    parts += [_plan(data, each) for each in data.here] or [html.section("No plan", html.paragraph(NO_PLAN))]
    parts += [plugs(data), this_month(data), comparison(data), _left(data)]
    return html.page("hushwatt at home", "".join(parts), "./")


def _header(data: OwnerPageData) -> str:
    paused = bool(data.here) and all(each.state == "paused" for each in data.here)
    state = "paused" if paused else "on" if data.here else "off"
    action = html.button("resume", "Resume", data.csrf_token, "", main=True) if paused else ""
    if data.here and not paused:
        action = html.button("pause", "Pause everything" if len(data.here) > 1 else "Pause", data.csrf_token, "")
    when = f"As of {data.moment(data.now)} ({zone_name(data.zone, data.now)})."
    return (
        f'<header><h1>hushwatt at home <span class="state {state}">{state}</span></h1><div>{action}</div></header>'
        f'<p class="soft">{html.text(when)} {html.link("./", "Look again")}</p>'
    )


def _lead(data: OwnerPageData) -> str:
    told = home_sentence(data.store, data.now, data.zone, data.measured)
    return f'<p class="lead">{html.text(told)}</p><p>{html.link("numbers", "How that is worked out")}</p>'


def _notices(data: OwnerPageData) -> str:
    """All that the owner should know of, and what to do about it."""
    found = troubles(data.store, data.caps, data.health, data.now, data.every)
    if not found:
        return ""
    lines = [_notice(data, each) for each in found]
    return f'<section class="notice"><h2>Needs your attention</h2>{html.listed(lines)}</section>'


def _notice(data: OwnerPageData, each: Trouble) -> str:
    """One of them; what the limits say in numbers is on their own page."""
    status = data.status_of(each.plan or "")
    if each.key.startswith("caps ") and status is not None:
        words = f"{quoted(status.plan.name)} asks for more than your limits allow, so your home holds reports back."
        return f"{html.text(words)} {html.link('limits', 'See your limits')}"
    return f"{_prose(each.words)} <em>{_prose(each.remedy)}</em>"


def _prose(words: str) -> str:
    plain = html.for_owners(words)
    return html.text(f"{plain[:1].upper()}{plain[1:]}.")


def _plan(data: OwnerPageData, each: PlanStatus) -> str:
    parts = [
        f"<p>{html.text(_when(data, each))}</p>",
        *([html.paragraph(filed_sentence(each.labels))] if each.labels else []),
        *_agreed_before(data, each),
        *(html.sentence(line) for line in each.successors),
        *([html.paragraph(WHILE_PAUSED)] if each.state == "paused" else []),
        last_report(data, each),
        _links(data, each),
    ]
    return html.section(f"The plan {quoted(each.plan.name)}", *parts)


def _when(data: OwnerPageData, each: PlanStatus) -> str:
    """How often the home speaks, and when it last did and next will."""
    last = "none yet" if each.last_report is None else f"about {data.clock_time(each.plan, each.last_report)}"
    words = [f"Your home sends {how_often(each.plan)}.", f"Last report: {last}."]
    if each.state == "paused":
        words.append("Paused: nothing is sent.")
    elif each.next_report_at is not None:
        words.append(f"Next report: after {data.moment(each.next_report_at, each.plan.slot.unit == 's')}.")
    if each.waiting:
        words.append(f"{each.waiting:,} report{' waits' if each.waiting == 1 else 's wait'} to be sent.")
    return " ".join(words)


def _agreed_before(data: OwnerPageData, each: PlanStatus) -> list[str]:
    terms = earlier_terms(data.caps) if each.agreed_before else None
    return [] if terms is None else [html.sentence(terms)]


def _links(data: OwnerPageData, each: PlanStatus) -> str:
    action, label = ("resume", "Resume this plan") if each.state == "paused" else ("pause", "Pause this plan")
    alone = len(data.here) == 1
    button = "" if alone else html.button(action, label, data.csrf_token, each.plan.id)
    agreed = html.link("plan", "What it asks, and what you agreed to", id=each.plan.id)
    return f'<div class="pair">{button}{agreed} {html.link("leave", "Leave this plan", plan=each.plan.id)}</div>'


def _left(data: OwnerPageData) -> str:
    rows = sent_reports(data.store, LATEST)[::-1]
    every = f"<p>{html.link('reports', 'Everything that left, byte for byte')}</p>"
    return html.section(
        "Everything that left this home", report_table(data, rows, with_bytes=False), every if rows else ""
    )
