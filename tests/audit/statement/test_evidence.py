"""What audit files say is read with care, and counted for the right plan."""

import json

import pytest
from tests.audit.statement.conftest import finding

from hushwatt import __version__
from hushwatt.audit.finding import Finding
from hushwatt.audit.report import AuditReport, PlanReport, as_table
from hushwatt.audit.statement.evidence import Evidence, read_audit, verdicts
from hushwatt.errors import UsageError
from hushwatt.plan.presets import preset

PLAN = preset("paper")


def test_reads_what_audits_write(tmp_path):
    """The JSON of a real report: general findings and those of each plan are told apart."""
    general, own = Finding("C2", "lbu", "1.0 ε", True), Finding("C7 C8", "as it stands", "0.9 ε", False)
    report = AuditReport("all", True, [general], [PlanReport(PLAN, [own]), PlanReport(preset("advised"), [own])])
    path = tmp_path / "all.json"
    path.write_text(json.dumps(as_table(report)))

    found = read_audit(path)

    assert (found.audit, found.version, found.quick) == ("all", __version__, True)
    assert [each.subject for each in found.general] == ["lbu"]
    assert set(found.plans) == {PLAN.id, preset("advised").id}
    assert found.plans[PLAN.id][0].claims == ("C7", "C8")
    assert [line.finding.subject for line in Evidence(PLAN, (found,)).failed] == ["as it stands"]


def test_reads_what_chaos_writes(tmp_path):
    """Scenarios count for the promises that they are about."""
    row = {"promise": 17, "scenario": "small-groups", "unit": "sequences", "done": 40, "asked": 40, "passed": True}
    path = tmp_path / "chaos.json"
    path.write_text(json.dumps({"audit": "chaos", "seed": 1, "passed": True, "scenarios": [row]}))

    found = read_audit(path)

    assert (found.general[0].claims, found.general[0].figure) == (("P17",), "40 of 40 sequences")
    assert found.version == "not stated"


def test_only_this_plan_counts(audit_file):
    """What was found about another plan says nothing about this one; what holds in general does."""
    file = read_audit(audit_file([finding("C5")], {"another": [finding("C7")]}))
    evidence = Evidence(PLAN, (file,))

    assert [claim for claim, _ in verdicts(evidence)] == ["C5"]
    assert evidence.own == []
    assert evidence.of_other_plans == [file]


def test_another_version_is_named(audit_file):
    """A figure of another version says so in its source."""
    file = read_audit(audit_file(plans={PLAN.id: [finding("C7")]}, version="0.0.1"))
    evidence = Evidence(PLAN, (file,))

    assert evidence.other_versions == [file]
    assert evidence.own[0].figure.source == "audit: C7 exact, version 0.0.1"


def test_claims_come_in_their_order(audit_file):
    """Known claims first, then what this version does not know."""
    file = read_audit(audit_file([finding("C999"), finding("C10"), finding("C2 C9")]))

    assert [claim for claim, _ in verdicts(Evidence(PLAN, (file,)))] == ["C2", "C9", "C10", "C999"]


@pytest.mark.parametrize(
    "text",
    [
        "{}",
        "[]",
        "7",
        '{"audit": "exact"}',
        '{"scenarios": [{"promise": "many"}]}',
        '{"scenarios": 7}',
        '{"audit": "exact", "plans": [], "findings": [{"claim": "", "subject": "", "figure": "", "passed": true}], '
        '"versions": {"hushwatt": "1"}, "when": "", "quick": false}',
        '{"audit": "exact", "plans": [], "findings": [{"claim": "C1", "subject": "", "figure": "", "passed": "yes"}], '
        '"versions": {"hushwatt": "1"}, "when": "", "quick": false}',
        '{"audit": 7, "plans": [], "findings": [], "versions": {"hushwatt": "1"}, "when": "", "quick": false}',
    ],
)
def test_other_json_is_refused(tmp_path, text):
    """Whatever else a file holds, it is refused in one line that says what is wanted."""
    path = tmp_path / "other.json"
    path.write_text(text)

    with pytest.raises(UsageError, match=r"other\.json: is not the result of an audit; `hushwatt audit … --json`"):
        read_audit(path)


@pytest.mark.parametrize("text", [b"", b"<html>", b"\xff\xfe", b"[" * 100_000])
def test_no_json_is_refused(tmp_path, text):
    """Neither is what is no JSON at all."""
    path = tmp_path / "page.html"
    path.write_bytes(text)

    with pytest.raises(UsageError, match=r"page\.html: "):
        read_audit(path)


def test_what_is_too_large_or_missing_is_refused(tmp_path, monkeypatch):
    """Before anything is made of it."""
    monkeypatch.setattr("hushwatt.audit.statement.evidence.LARGEST", 10)
    path = tmp_path / "large.json"
    path.write_text(" " * 11)

    with pytest.raises(UsageError, match="more than 10 bytes"):
        read_audit(path)
    with pytest.raises(UsageError, match="no such file"):
        read_audit(tmp_path / "gone.json")
