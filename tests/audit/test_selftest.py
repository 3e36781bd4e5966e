"""Claim C14: the auditor finds planted bugs."""

from hushwatt.audit.finding import Finding
from hushwatt.audit.selftest import audit_bug, selftest_audits


def test_every_one_is_found():
    """Each of the twelve planted bugs is found by the audit that the shipped code passes."""
    findings = [audit() for audit in selftest_audits()]

    assert [finding.passed for finding in findings] == [True] * 12
    assert len({finding.subject for finding in findings}) == 12


def test_a_blind_audit_is_not_enough():
    """An audit that passes everything, or refuses everything, finds nothing."""

    def says(answer):
        return lambda: Finding("C1", "x", "y", passed=answer)

    assert audit_bug("bug", shipped=says(True), faulty=says(False)).passed
    assert not audit_bug("bug", shipped=says(True), faulty=says(True)).passed
    assert not audit_bug("bug", shipped=says(False), faulty=says(False)).passed
