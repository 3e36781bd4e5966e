"""One row for every claim: what all findings about it come to."""

from collections.abc import Iterable
from dataclasses import dataclass

from hushwatt.audit.claims import CLAIMS
from hushwatt.audit.finding import Finding


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


def by_claim(findings: Iterable[Finding]) -> list[ClaimRow]:
    """The claims that were looked at, in their order; a finding about several counts for each.

    Its seconds go to the first of them, so that the times add up.
    """
    about: dict[str, list[Finding]] = {claim: [] for claim in CLAIMS}
    for finding in findings:
        for claim in finding.claims:
            about[claim].append(finding)
    return [_row(claim, found) for claim, found in about.items() if found]


def _row(claim: str, found: list[Finding]) -> ClaimRow:
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
