"""Everything that left this home: each report, what it says, and its bytes."""

from typing import Any

from hushwatt.household.page import html
from hushwatt.household.page.data import OwnerPageData
from hushwatt.household.page.last_report import sent_words
from hushwatt.household.page.requests import carrying, request_line, requests_section
from hushwatt.household.report.preview import named_levels
from hushwatt.household.status import sent_reports
from hushwatt.household.words.chances import plain_name
from hushwatt.plan.amounts import plain
from hushwatt.plan.plan import Plan
from hushwatt.privacy.laws import is_direct
from hushwatt.sanitise import quoted

LATEST_ROWS = 50  # that are shown at first
ANSWERS = {None: "waiting to be sent", "accepted": "accepted", "withheld": "never sent: you left before"}


def reports_page(data: OwnerPageData, everything: bool = False) -> str:
    """All reports, the latest first, and the requests that carried them."""
    rows = sent_reports(data.store, None if everything else LATEST_ROWS)[::-1]
    more = "" if everything or len(rows) < LATEST_ROWS else f"<p>{html.link('reports', 'All reports ever', all=1)}</p>"
    body = [
        html.heading("Everything that left this home", 1),
        html.paragraph(
            "A report is a few bytes that chance has changed. Nothing else about your plugs leaves this home. "
            "Choose one to see what it says, byte for byte."
        ),
        html.section("Reports", report_table(data, rows), more),
        requests_section(data),
        html.section(
            "Your record",
            html.paragraph(
                "Plans, consents, reports, spends, silences and requests, as one file; no readings, no keys."
            ),
            '<p><a class="button" href="export" download="hushwatt-record.json">Save your record</a></p>',
        ),
    ]
    return html.page("What left: hushwatt at home", "".join(body), "reports")


def report_table(data: OwnerPageData, rows: list[dict[str, Any]], with_bytes: bool = True) -> str:
    """Reports by the time they are about, each a link to what it says."""
    plans = {each.plan.id: each.plan for each in data.every}
    if not rows:
        return html.paragraph("Nothing yet.")
    several = len(plans) > 1
    head = ["About", *(["Plan"] if several else []), "State", *(["Bytes"] if with_bytes else [])]
    cells = [_report_row(data, plans[row["plan"]], row, several) for row in rows]
    return html.table(head, [row[: len(head)] for row in cells])


def _report_row(data: OwnerPageData, plan: Plan, row: dict[str, Any], several: bool) -> list[str]:
    about = html.link("report", data.clock_time(plan, row["slot"]), plan=plan.id, slot=row["slot"])
    named = [html.text(quoted(plan.name))] if several else []
    return [about, *named, html.text(_answer(row)), f"<code>{row['payload'].hex()}</code>"]


def _answer(row: dict[str, Any]) -> str:
    return ANSWERS.get(row["answer"]) or f"refused by the provider: {row['answer']}"


def report_page(data: OwnerPageData, plan_id: str, slot: str) -> str | None:
    """One report: what it says, what it cost, its bytes, and the requests that carried it."""
    status = data.status_of(plan_id)
    row = _row(data, plan_id, slot)
    if status is None or row is None:
        return None
    plan = status.plan
    says = [
        f"{html.text(plain_name(each.name))}: {html.text(sent_words(plan, each, said))}"
        for each in plan.appliances
        if (said := named_levels(plan, row["payload"]).get(each.name)) is not None
    ]
    carried = [html.listed(request_line(data, each) for each in carrying(data, plan, row["slot"]))]
    note = "The requests that carried it are no longer kept, or it has not been sent by this version of hushwatt."
    body = [
        html.heading(f"The report about {data.clock_time(plan, row['slot'])}", 1),
        html.sentence(f"under {quoted(plan.name)}; {_answer(row)}"),
        html.section("What it says, changed by chance", html.listed(says), _mixed(plan)),
        html.section("Its bytes", f"<p><code>{row['payload'].hex(' ')}</code></p>", _cost(row)),
        html.section("The requests that carried it", *(carried if "<li>" in carried[0] else [html.paragraph(note)])),
    ]
    return html.page("A report: hushwatt at home", "".join(body))


def _row(data: OwnerPageData, plan_id: str, slot: str) -> dict[str, Any] | None:
    if not (slot.isascii() and slot.isdigit() and len(slot) < 12):
        return None
    query = "SELECT * FROM reports WHERE slot = ? AND place = (SELECT place FROM plans WHERE plan = ?)"
    rows = data.store.rows(query, (int(slot), plan_id))
    return rows[0] if rows else None


def _mixed(plan: Plan) -> str:
    """Why a report may name several levels at once."""
    if is_direct(plan.oracle):
        return ""
    return html.paragraph("Chance decides about each level by itself, so a report names several, or none.", soft=True)


def _cost(row: dict[str, Any]) -> str:
    cost = f"It cost ε {plain(row['spent'])}, and was drawn with ε {plain(row['drawn'])}."
    return html.details("What it cost", html.paragraph(cost))
