"""The page to sign: whole, honest, of one file, every figure with its source."""

import re
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from tests.audit.statement.conftest import finding
from tests.audit.test_page import Text

from hushwatt.audit.statement.evidence import read_audit
from hushwatt.audit.statement.fact import FORMULAS
from hushwatt.audit.statement.limits import LIMITS, QUESTIONS_FOR_PEOPLE
from hushwatt.audit.statement.page import headlines, statement_page
from hushwatt.audit.statement.statement import statement
from hushwatt.plan.presets import preset

PLAN = replace(preset("advised"), expires=datetime(2026, 1, 1, tzinfo=UTC))


@pytest.fixture(scope="module")
def page():
    return statement_page(statement(PLAN))


def test_needs_nothing_else(page):
    """No script, no picture, no font and no address but those of its own sections."""
    found = Text(page)

    assert all(each.startswith("#") for each in found.loads)
    assert found.open == []
    assert "<script" not in page
    assert not re.search(r"https?://", page)
    assert {each[1:] for each in found.loads} <= set(re.findall(r'id="([^"]+)"', page))


def test_says_what_must_be_said(page):
    """All sections, all limits, all questions for people, the id, and that no audit was given."""
    words = Text(page).words

    for told in ("No audit was given", PLAN.id, "NIST SP 800-226", "smart grid", "OpenDP deployments registry"):
        assert told in words
    for _, label, text in (*LIMITS, *QUESTIONS_FOR_PEOPLE):
        assert label in words
        assert text in words
    assert "Data protection officer" in words


def test_every_figure_shows_its_source(page):
    """Below each sentence, in print too; formulas are explained at the end."""
    words = Text(page).words

    assert "10 ← plan: epsilon" in words
    assert "66.1 % ← computed: certainty" in words
    assert "no audit of C17 was given" in words
    assert all(text in words for text in FORMULAS.values())


def test_headlines(page):
    """The four figures on top are worked out, and differ between plans."""
    told = [figure.shown for figure, _ in headlines(statement(PLAN))]
    longer = [figure.shown for figure, _ in headlines(statement(replace(PLAN, window=365)))]

    assert told[0] == longer[0] == "66.1 %"
    assert float(longer[2].split()[0]) < float(told[2].split()[0])


def test_a_strange_plan_cannot_write_the_page(audit_file):
    """Names, purposes and what audit files say are shown as text, never as part of the page."""
    nasty = "</section><script>alert(1)</script>"
    plan = replace(PLAN, name=nasty, description=nasty, contact="`" + nasty)
    file = read_audit(audit_file([finding("C5", nasty, nasty)], version=nasty))
    page = statement_page(statement(plan, [file]))

    assert "<script" not in page
    assert "&lt;script&gt;" in page
    assert Text(page).open == []


def test_marks(audit_file):
    """A failure stands out in words, not in colour alone."""
    file = read_audit(audit_file(plans={PLAN.id: [finding("C7", passed=False)]}))
    page = statement_page(statement(PLAN, [file]))

    assert 'class="verdict no"' in page
    assert '<span class="tag no">NO</span>' in page
