"""What an audit came to: its findings, one row for every claim, the plans it looked at, how to see it again."""

import os
import platform
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from math import isfinite
from typing import Any

from hushwatt import __version__
from hushwatt.audit.claims import CLAIMS
from hushwatt.audit.finding import Finding
from hushwatt.plan.plan import Plan

PARTS = ("numpy", "cryptography", "apsw", "scipy")  # what randomness, ledgers and verdicts lean on


@dataclass(frozen=True)
class PlanReport:
    """One plan, and what was found out about it."""

    plan: Plan
    findings: list[Finding]


@dataclass(frozen=True)
class ClaimRow:
    """What an audit found out about one claim."""

    claim: str
    says: str
    stated: str
    figure: str
    seconds: float
    good: int  # findings that passed
    all: int

    @property
    def passed(self) -> bool:
        return self.good == self.all


@dataclass(frozen=True)
class AuditReport:
    """One run of one audit, or of all of them."""

    name: str
    quick: bool
    findings: list[Finding]
    plans: list[PlanReport] = field(default_factory=list)
    command: str = ""  # that does the same again
    when: datetime = field(default_factory=lambda: datetime.now(UTC))

    @property
    def everything(self) -> list[Finding]:
        """In general, and about every plan."""
        return [*self.findings, *(finding for plan in self.plans for finding in plan.findings)]

    @property
    def passed(self) -> bool:
        return all(finding.passed for finding in self.everything)

    @property
    def seconds(self) -> float:
        return sum(finding.seconds for finding in self.everything)

    @property
    def rows(self) -> list[ClaimRow]:
        return by_claim(self.everything)


def by_claim(findings: Iterable[Finding]) -> list[ClaimRow]:
    """The claims that were looked at, in their order; a finding about several counts for each.

    Its seconds go to the first of them, so that the times add up.
    """
    about: dict[str, list[Finding]] = {claim: [] for claim in CLAIMS}
    for finding in findings:
        for claim in finding.claims:
            about[claim].append(finding)
    return [_claim_row(claim, found) for claim, found in about.items() if found]


def _claim_row(claim: str, found: list[Finding]) -> ClaimRow:
    good = sum(finding.passed for finding in found)
    seconds = sum(finding.seconds for finding in found if finding.claims[0] == claim)
    return ClaimRow(claim, CLAIMS[claim].says, CLAIMS[claim].stated, _figure(found, good), seconds, good, len(found))


def _figure(found: list[Finding], good: int) -> str:
    """The finding that says most: a failed one, else the one that came nearest to what is allowed."""
    worst = max(found, key=lambda finding: (not finding.passed, finding.reached))
    cases = sum(finding.cases for finding in found)
    counted = f", {cases:,} cases" if cases else ""
    checks = "" if len(found) == 1 else f"{good:,} of {len(found):,} checks{counted}; "
    return f"{checks}{worst.subject}: {worst.figure}"


def versions() -> dict[str, str]:
    """What the audit ran on."""
    found = {"hushwatt": __version__, "Python": platform.python_version()}
    for part in PARTS:
        try:
            found[part] = version(part)
        except PackageNotFoundError:
            continue
    return found | {"system": platform.platform(), "cores": f"{os.cpu_count()}"}


def as_table(report: AuditReport) -> dict[str, Any]:
    """The same for programs; what has no number in JSON is a word."""
    return {
        "audit": report.name,
        "passed": report.passed,
        "quick": report.quick,
        "when": f"{report.when:%Y-%m-%dT%H:%M:%SZ}",
        "seconds": report.seconds,
        "versions": versions(),
        "claims": [{**asdict(row), "passed": row.passed} for row in report.rows],
        "findings": [_finding(each) for each in report.everything],
        "plans": [
            {"plan": each.plan.id, "name": each.plan.name, "findings": [_finding(f) for f in each.findings]}
            for each in report.plans
        ],
    }


def _finding(finding: Finding) -> dict[str, Any]:
    numbers = {name: _number(value) for name, value in finding.numbers.items()}
    return {**asdict(finding), "stated": finding.stated, "numbers": numbers}


def _number(value: float | int | str) -> float | int | str:
    return value if isinstance(value, str) or isfinite(value) else "infinite"
