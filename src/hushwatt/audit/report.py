"""What an audit came to: its findings, the plans it looked at, and how to see it again."""

import os
import platform
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from math import isfinite
from typing import Any

from hushwatt import __version__
from hushwatt.audit.finding import Finding
from hushwatt.audit.summary import ClaimRow, by_claim
from hushwatt.plan.plan import Plan

PARTS = ("numpy", "cryptography", "apsw", "scipy")  # what randomness, ledgers and verdicts lean on


@dataclass(frozen=True)
class PlanReport:
    """One plan, and what was found out about it."""

    plan: Plan
    findings: list[Finding]


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
