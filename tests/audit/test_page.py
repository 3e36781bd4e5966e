"""The page for a data protection officer: whole, honest, and of one file."""

import re
from datetime import UTC, datetime
from html.parser import HTMLParser

import pytest

from hushwatt.audit.claims import CLAIMS
from hushwatt.audit.finding import Finding
from hushwatt.audit.page import page, sure
from hushwatt.audit.page_words import LIMITS, QUESTIONS
from hushwatt.audit.report import AuditReport, PlanReport
from hushwatt.plan.presets import preset

WHEN = datetime(2026, 3, 1, 9, 30, tzinfo=UTC)
GOOD = Finding("C13", "attack on lbu", "shows 0.91 of what is promised", True, 3.2)
BAD = Finding("C2", "lba, home", "dearest window 1.5 ε", False, 0.5)
HABIT = Finding("C15", "averaging attack", "71% of constant levels found out", True, 0.1)


class Text(HTMLParser):
    """What a reader sees, and which tags are left open."""

    def __init__(self, text):
        super().__init__()
        self.seen, self.open, self.loads = [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        if tag not in ("meta", "br", "html", "li", "dt", "dd", "tr", "td", "th", "p"):
            self.open.append(tag)
        self.loads += [value for name, value in attributes if name in ("src", "href")]

    def handle_endtag(self, tag):
        if tag in self.open:
            assert self.open.pop() == tag

    def handle_data(self, data):
        self.seen.append(data)

    @property
    def words(self):
        return " ".join(" ".join(self.seen).split())


def shown(*findings, plans=(), quick=False):
    report = AuditReport("all", quick, list(findings), list(plans), "hushwatt audit all plan.toml", WHEN)
    return Text(page(report))


def test_needs_nothing_else():
    """No script, no picture, no font and no address: the file is all there is."""
    found = shown(GOOD)

    assert found.loads == []
    assert found.open == []
    assert "<script" not in page(AuditReport("all", False, [GOOD]))
    assert not re.search(r"https?://", page(AuditReport("all", False, [GOOD])))


def test_verdict_date_and_command():
    """The verdict comes first; when, on what and how to see it again are told."""
    words = shown(GOOD, HABIT).words

    assert "All 2 checks passed" in words
    assert "1 March 2026, 09:30 UTC" in words
    assert "hushwatt audit all plan.toml" in words
    assert "cryptography" in words


def test_a_failure_is_not_hidden():
    """One failed check is the verdict, and stands out in its row."""
    words = shown(GOOD, BAD).words

    assert "1 of 2 checks failed" in words
    assert "All" not in words.split("checks failed")[0]
    assert "✗ NO" in words


def test_what_was_not_looked_at_is_said():
    """A question without a check is not answered by yes."""
    words = shown(GOOD).words

    assert "not part of this audit" in words
    assert "1 of 1 checks passed" in words


def test_limits_are_told():
    """Every known limit is there, habits with their figure, and that a quick run is one."""
    words = shown(HABIT, quick=True).words

    assert "71% of constant levels found out C15" in words
    assert "This was a quick run" in words
    assert "This was a quick run" not in shown(HABIT).words
    assert all(limit.replace("`", "").split(".")[0].split(",")[0] in words for limit in LIMITS)


def test_a_plan_in_plain_words():
    """Both protections, the odds as a bet, the chance of plain truth, and what was found."""
    plan = preset("advised")
    words = shown(plans=[PlanReport(plan, [GOOD])]).words

    assert plan.id in words
    assert "The whole home ε 10 over any 3 slots in a row (3 days); odds 22,026 : 1." in words
    assert "One appliance ε 0.666666 over any 3 slots in a row (3 days); odds 1.9 : 1." in words
    assert "99.9955 % at most" in words
    assert "66.1 % at most: the same about one appliance" in words
    assert "66.1 % of the answers about an appliance are simply true" in words
    assert "2.1 over 30 days" in words


def test_names_cannot_break_the_page():
    """Markup in a finding stays text."""
    odd = Finding("C1", "<b>law", "<script>alert(1)</script>", True)

    assert "<script>alert(1)</script>" in shown(odd).words
    assert "<script" not in page(AuditReport("all", False, [odd]))


@pytest.mark.parametrize("epsilon, chance", [(0.0, 0.5), (1.0, 0.7310586), (800.0, 1.0)])
def test_how_sure_an_undecided_person_gets(epsilon, chance):
    """Even odds become e^ε : 1."""

    assert sure(epsilon) == pytest.approx(chance)


def test_every_claim_answers_a_question():
    """No claim is left out of the plain words, and none is in two places."""
    named = [claim for question in QUESTIONS for claim in question.claims]

    assert sorted(named) == sorted(CLAIMS)
