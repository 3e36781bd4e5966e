"""What audits say about one thing, in one traced sentence; that nothing was said is said too."""

from collections.abc import Sequence

from hushwatt.audit.statement.evidence import CheckedLine, Evidence
from hushwatt.audit.statement.fact import TracedFigure

NOT_AUDITED = "Not audited here."


def shown_by(evidence: Evidence, *claims: str) -> TracedFigure:
    """How many checks of these claims passed, and the files that say so."""
    lines = evidence.about(claims)
    if not lines:
        return TracedFigure(NOT_AUDITED, f"no audit of {' '.join(claims)} was given")
    return TracedFigure(f"{summed(lines)}.", sources(lines, claims), [line.finding.passed for line in lines])


def summed(lines: Sequence[CheckedLine]) -> str:
    """So many of so many checks passed."""
    good, own = sum(line.finding.passed for line in lines), sum(line.own for line in lines)
    verdict = f"{good:,} of {len(lines):,} check{'' if len(lines) == 1 else 's'} passed"
    if own == len(lines):
        return f"{verdict}, of this very plan"
    return f"{verdict}, {own:,} of them of this very plan" if own else f"{verdict}, in general and not of this plan"


def sources(lines: Sequence[CheckedLine], claims: Sequence[str]) -> str:
    """The audits that the lines stand in, and which claims they are about."""
    audits = dict.fromkeys(line.file.label for line in lines)
    seen = [claim for claim in claims if any(claim in line.finding.claims for line in lines)]
    return f"audit: {' '.join(seen)} {' + '.join(audits)}"
