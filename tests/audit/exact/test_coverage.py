"""Nothing that a plan can name is left out of the enumeration."""

from hushwatt.audit.exact import coverage
from hushwatt.audit.exact.coverage import audit_coverage, nameable
from hushwatt.audit.miniature import mechanisms


def test_nothing_is_left_out():
    """What is gone through is what plans accept, no more and no less."""
    finding = audit_coverage(8, 5)

    assert finding.passed
    assert set(nameable()) == set(mechanisms())
    assert finding.figure.startswith("96 mechanisms (3 oracles × 9 methods and who decides × 2 mappings")
    assert "8 shapes × 5 ε × 2 observers; 0 left out" in finding.figure


def test_a_missing_one_is_found(monkeypatch):
    """A mechanism that nobody enumerates is noticed."""
    monkeypatch.setattr(coverage, "mechanisms", lambda: list(mechanisms())[1:])

    assert audit_coverage(8, 5).numbers["missing"] == 1
    assert not audit_coverage(8, 5).passed
