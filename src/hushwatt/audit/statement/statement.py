"""A whole statement: every section, the audits it leans on, and the same for programs."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from hushwatt import __version__
from hushwatt.audit.claims import CLAIMS
from hushwatt.audit.statement.evidence import AuditFile, Evidence, verdicts
from hushwatt.audit.statement.fact import (
    FORMULAS,
    FigureTable,
    StatementSection,
    TracedFigure,
    fact,
    from_audit,
)
from hushwatt.audit.statement.guarantee import guarantee
from hushwatt.audit.statement.impact import description, proportionality
from hushwatt.audit.statement.limits import for_people, limits
from hushwatt.audit.statement.long_term import long_term
from hushwatt.audit.statement.parameters import parameters
from hushwatt.audit.statement.registry import registry_entry
from hushwatt.audit.statement.risks import risks
from hushwatt.plan.plan import Plan
from hushwatt.sanitise import sanitised

LOOKED_AT = "What the audit files given here say; a figure is repeated as its file has it."


@dataclass(frozen=True)
class AuditVerdict:
    """What can be said of the audits as a whole, in one line, and what else must be known of them."""

    mark: str  # yes, no or open
    says: str
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class PlanStatement:
    """All that is stated about one plan."""

    plan: Plan
    evidence: Evidence
    sections: tuple[StatementSection, ...]
    registry: dict[str, Any]
    when: datetime = field(default_factory=lambda: datetime.now(UTC))

    @property
    def verdict(self) -> AuditVerdict:
        return audit_verdict(self.evidence)

    def as_json(self) -> dict[str, Any]:
        """The same for programs: each figure with its source."""
        return {
            "statement": 1,
            "plan": self.plan.id,
            "name": self.plan.name,
            "when": f"{self.when:%Y-%m-%dT%H:%M:%SZ}",
            "version": __version__,
            "audits": {
                "verdict": self.verdict.mark,
                "says": self.verdict.says,
                "notes": list(self.verdict.notes),
                "files": [_file(each, self.plan) for each in self.evidence.files],
            },
            "sections": {section.key: section.as_json() for section in self.sections},
            "registry_entry": self.registry,
            "formulas": FORMULAS,
        }


def statement(plan: Plan, audits: Iterable[AuditFile] = ()) -> PlanStatement:
    """State everything that a plan and these audits can answer."""
    evidence = Evidence(plan, tuple(audits))
    sections = (
        guarantee(plan, evidence),
        long_term(plan, evidence),
        limits(plan),
        description(plan),
        proportionality(plan),
        risks(plan, evidence),
        for_people(),
        audited(evidence),
        parameters(plan),
    )
    return PlanStatement(plan, evidence, sections, registry_entry(plan, evidence))


def audit_verdict(evidence: Evidence) -> AuditVerdict:
    """Nothing given, something failed, nothing about this plan, or all passed."""
    notes, lines, own = tuple(_notes(evidence)), evidence.lines, len(evidence.own)
    if not evidence.files:
        return AuditVerdict("open", "No audit was given: this says what is promised, not that anybody checked it.")
    if evidence.failed:
        return AuditVerdict("no", f"{len(evidence.failed):,} of {len(lines):,} checks failed", notes)
    if not own:
        return AuditVerdict("open", "No audit of this very plan was given", notes)
    return AuditVerdict("yes", f"All {len(lines):,} checks given passed, {own:,} of them of this very plan", notes)


def _notes(evidence: Evidence) -> Iterable[str]:
    for file in evidence.of_other_plans:
        yield f"{file.name} looks at another plan; what it says of that one does not count here."
    for file in evidence.other_versions:
        yield f"{file.name} was made with hushwatt {file.version}, this statement with {__version__}."
    seen = {claim for line in evidence.lines for claim in line.finding.claims}
    left = [claim for claim in CLAIMS if claim not in seen]
    if seen and left:
        yield f"No audit given here looked at {', '.join(left)}."
    if any(file.quick for file in evidence.files):
        yield "A quick audit goes through fewer cases than a full one."


def audited(evidence: Evidence) -> StatementSection:
    """One row for everything that was looked at."""
    rows = tuple(_row(claim, evidence) for claim, _ in verdicts(evidence))
    head = ("claim", "what is claimed", "checks", "the figure that says most")
    table = (FigureTable("claims", head, rows),) if rows else ()
    facts = () if rows else (fact("none", "No audit", "Nothing was looked at: give audits with --audit.", "open"),)
    return StatementSection("audited", "What was audited", LOOKED_AT, facts, table)


def _row(claim: str, evidence: Evidence) -> tuple[TracedFigure, ...]:
    """A failed line says most, then one about this very plan."""
    lines = evidence.about((claim,))
    good, telling = sum(line.finding.passed for line in lines), min(lines, key=lambda line: line.finding.passed)
    audits = " + ".join(dict.fromkeys(line.file.label for line in lines))
    says = CLAIMS[claim].says if claim in CLAIMS else "a promise of docs/howto/chaos.md"
    bad = len(lines) - good
    verdict = f"{bad:,} of {len(lines):,} FAILED" if bad else f"{good:,} of {len(lines):,} passed"
    return (
        from_audit(claim, audits, claim),
        from_audit(claim, audits, says),
        from_audit(claim, audits, verdict, {"passed": good, "all": len(lines)}),
        from_audit(claim, telling.file.label, telling.figure.shown),
    )


def _file(file: AuditFile, plan: Plan) -> dict[str, Any]:
    return {
        "file": file.name,
        "audit": file.audit,
        "version": file.version,
        "when": file.when,
        "quick": file.quick,
        "of_this_plan": plan.id in file.plans,
        "other_plans": sorted(sanitised(each) for each in file.plans if each != plan.id),
    }
