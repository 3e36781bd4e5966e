"""One plan: what it asks in plain words, all that the owner agreed to, and what changed against the plan before."""

from hushwatt.household.page import html
from hushwatt.household.page.data import OwnerPageData
from hushwatt.household.status import PlanStatus
from hushwatt.household.words.consent_text import consent_terms, plan_changes, successor_terms
from hushwatt.household.words.sentences import plan_sentences
from hushwatt.privacy.promise import promise
from hushwatt.sanitise import quoted


def plan_page(data: OwnerPageData, plan_id: str) -> str | None:
    each = data.status_of(plan_id)
    if each is None:
        return None
    others = [other.plan for other in data.here if other.plan.id != plan_id]
    caps = data.caps.as_agreed_before() if each.agreed_before else data.caps
    sentences = plan_sentences(each.plan, caps, others, now=data.now, zone=data.zone)
    body = [
        html.heading(f"The plan {quoted(each.plan.name)}", 1),
        html.section("What it asks", *(html.paragraph(line) for line in sentences)),
        *_changes(data, each),
        html.section("All that you agreed to", _terms(data, each), _consents(data, plan_id)),
    ]
    return html.page("A plan: hushwatt at home", "".join(body))


def _terms(data: OwnerPageData, each: PlanStatus) -> str:
    provider = data.store.value("SELECT provider FROM plans WHERE plan = ?", (each.plan.id,))
    successors = successor_terms(data.caps.follow_successors)
    agreed = consent_terms(each.plan, promise(each.plan), each.address, provider, each.labels)
    return html.terms([*agreed, successors])


def _consents(data: OwnerPageData, plan_id: str) -> str:
    """When the owner agreed, and to which words."""
    rows = data.store.rows("SELECT time, words FROM consents WHERE plan = ? ORDER BY time", (plan_id,))
    return "".join(
        html.details(f"What you agreed to on {data.moment(row['time'])}, word for word", _verbatim(row["words"]))
        for row in rows
    )


def _verbatim(words: str) -> str:
    lines = "\n".join(html.text(line) for line in words.splitlines())
    return f'<pre tabindex="0">{lines}</pre>'


def _changes(data: OwnerPageData, each: PlanStatus) -> list[str]:
    """What changed against the plan that this one took the place of."""
    replaced = (each.plan.name, each.plan.replaces)
    older = [one for one in data.every if one.state == "left" and {one.plan.name, one.plan.id} & {*replaced}]
    older = [one for one in older if one.plan.id != each.plan.id]
    if not older:
        return []
    lines = (html.text(line) for line in plan_changes(older[-1].plan, each.plan))
    return [html.section("What changed against the plan before", html.listed(lines))]
