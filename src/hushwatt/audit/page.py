"""The audit as a page to hand to a data protection officer: one file, no script, fit to print."""

from collections.abc import Iterable
from html import escape
from importlib.resources import files
from math import exp
from string import Template

from hushwatt.audit.finding import Finding
from hushwatt.audit.page_words import INTRODUCTION, LIMITS, QUESTIONS, QUICK, ReaderQuestion
from hushwatt.audit.report import AuditReport, ClaimRow, PlanReport, versions
from hushwatt.plan.summary import facts
from hushwatt.privacy.promise import promise
from hushwatt.privacy.promise_words import as_prose, sentences
from hushwatt.wire.payload import Layout

HOME = "who gave even odds on two stories about the home"
APPLIANCE = "about one appliance, if they already knew everything else about the home"
SHORTENED = ("promise", "one appliance", "id")  # facts of a plan that the page tells in other words


def page(report: AuditReport) -> str:
    """The whole page as text."""
    template = Template((files("hushwatt.audit") / "page.html").read_text(encoding="utf-8"))
    checks = len(report.everything)
    good = sum(finding.passed for finding in report.everything)
    return template.substitute(
        style=page_style(),
        version=escape(versions()["hushwatt"]),
        date=f"{report.when:%d %B %Y, %H:%M} UTC".lstrip("0"),
        mark="yes" if report.passed else "no",
        verdict=_verdict(good, checks),
        introduction=escape(INTRODUCTION),
        quick=f'<p class="quick">{_text(QUICK)}</p>' if report.quick else "",
        questions="".join(_question(each, report.everything) for each in QUESTIONS),
        plans=_plans(report.plans),
        claims=_claims(report.rows),
        limits="".join(f"<li>{_text(each)}</li>" for each in LIMITS),
        versions="".join(f"<dt>{escape(n)}</dt><dd>{escape(v)}</dd>" for n, v in versions().items()),
        command=escape(report.command),
        seconds=_time(report.seconds),
        findings=_findings(report.findings),
    )


def page_style() -> str:
    """How the pages of audits look: light and dark, on a phone, and in print."""
    return (files("hushwatt.audit") / "page.css").read_text(encoding="utf-8")


def _verdict(good: int, checks: int) -> str:
    if good == checks:
        return f"All {checks:,} checks passed" if checks != 1 else "The one check passed"
    return f"{checks - good:,} of {checks:,} checks failed"


def _question(question: ReaderQuestion, findings: list[Finding]) -> str:
    """One question with its answer; what was not looked at is open, and a known limit has its figure."""
    found = [each for each in findings if set(each.claims) & set(question.claims)]
    good = sum(each.passed for each in found)
    mark = "open" if not found else "no" if good < len(found) else "limit" if question.limit else "yes"
    said = "not part of this audit" if not found else f"{good:,} of {len(found):,} checks passed"
    if found and question.limit:
        said = found[0].figure
    return (
        f'<li class="{mark}"><h3>{escape(question.asks)}</h3><p>{escape(question.answer)}</p>'
        f'<p class="result">{escape(said)} <span>{" ".join(question.claims)}</span></p></li>'
    )


def _plans(plans: list[PlanReport]) -> str:
    if not plans:
        return ""
    title = "The plan" if len(plans) == 1 else "The plans"
    return f"<h2>{title}</h2>{''.join(map(_plan, plans))}"


def _plan(audited: PlanReport) -> str:
    """One plan: who asks, what it promises, what that means for a bet, and what was found."""
    plan = audited.plan
    told = promise(plan)
    slots = "one slot" if plan.window == 1 else f"{plan.window:,} slots"
    cards = [
        (sure(told.dearest / 1e6), f"at most: how sure {slots} of reports make somebody {HOME}"),
        (sure(float(told.appliance_dearest) / 1e6), f"at most: the same {APPLIANCE}"),
        (told.truthful[1], "of the answers about an appliance are simply true; the others are chance"),
    ]
    rows = as_prose(sentences(plan, told, Layout.of(plan).size))
    shown = [(label.capitalize(), text) for label, text in facts(plan) if label not in SHORTENED]
    return (
        f'<article><h3>{escape(plan.name)}</h3><p class="id">plan {plan.id}</p>'
        f'<div class="bets">{"".join(_card(chance, words) for chance, words in cards)}</div>'
        f"<h4>What it promises</h4><dl>{_terms(rows)}</dl>"
        f"<h4>What it asks</h4><dl>{_terms(shown)}</dl>"
        f"<h4>What was found</h4>{_findings(audited.findings)}</article>"
    )


def sure(epsilon: float) -> float:
    """How sure somebody can be afterwards who was undecided before: e^ε/(1 + e^ε).

    >>> round(sure(0.0), 3), round(sure(0.667), 3)
    (0.5, 0.661)
    """
    return 1 / (1 + exp(-epsilon))


def _card(chance: float, words: str) -> str:
    shown = f"{100 * chance:.3g}" if chance < 0.995 else f"{100 * chance:.6g}"
    return f"<p><b>{shown} %</b>{escape(words)}</p>"


def _terms(rows: Iterable[tuple[str, str]]) -> str:
    return "".join(f"<dt>{escape(label)}</dt><dd>{escape(text)}</dd>" for label, text in rows)


def _claims(rows: list[ClaimRow]) -> str:
    heads = ("Claim", "What is claimed", "Stated", "Figure reached")
    cells = ((row.claim, row.says[:1].upper() + row.says[1:], row.stated, row.figure) for row in rows)
    return _table(heads, [_row(*each, judged=row) for each, row in zip(cells, rows, strict=True)])


def _findings(findings: list[Finding]) -> str:
    heads = ("Claim", "What was looked at", "Figure reached")
    return _table(heads, [_row(each.claim, each.subject, each.figure, judged=each) for each in findings])


def _table(heads: tuple[str, ...], rows: list[str]) -> str:
    row = "".join(f"<th>{head}</th>" for head in (*heads, "Time", "Pass"))
    head = f'<table class="c{len(heads) + 2}"><thead><tr>{row}</tr></thead>'
    return f'<div class="wide">{head}<tbody>{"".join(rows)}</tbody></table></div>'


def _row(*cells: str, judged: ClaimRow | Finding) -> str:
    """Some texts, how long it took, and whether it passed; what did not stands out."""
    texts = "".join(f"<td>{escape(cell)}</td>" for cell in cells)
    kind, mark = ("good", "✓ yes") if judged.passed else ("bad", "✗ NO")
    return f'<tr class="{kind}">{texts}<td class="number">{_time(judged.seconds)}</td><td class="mark">{mark}</td></tr>'


def _time(seconds: float) -> str:
    if seconds < 100:
        return f"{seconds:.1f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"


def _text(text: str) -> str:
    """Plain text where `a command` is set as code."""
    parts = escape(text).split("`")
    return "".join(f"<code>{part}</code>" if place % 2 else part for place, part in enumerate(parts))
