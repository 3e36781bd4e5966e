"""Findings know their claim and their time."""

from time import sleep

import pytest

from hushwatt.audit.finding import Finding, timed


def test_timed():
    """Audits run one after the other, each with the seconds it took, and progress is told."""
    steps = []

    def slow():
        sleep(0.02)
        return Finding("C1", "a law", "fine", passed=True)

    findings = list(timed([slow, slow], steps.append))

    assert [finding.subject for finding in findings] == ["a law", "a law"]
    assert all(0.02 <= finding.seconds < 1 for finding in findings)
    assert steps == [1, 1]


def test_stated_by_the_first_claim():
    """A finding on several claims says where the first of them is made."""

    assert Finding("C8 C1", "x", "y", passed=True).stated == Finding("C8", "x", "y", passed=True).stated


def test_unknown_claim():
    """A claim that is not on the list cannot be cited."""
    with pytest.raises(KeyError):
        _ = Finding("C99", "x", "y", passed=True).stated
