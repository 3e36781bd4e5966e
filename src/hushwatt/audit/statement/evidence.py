"""What audits found about a plan, read from the JSON that `hushwatt audit … --json` writes.

Such a file is repeated, not believed: its version, its plan and its verdicts are shown beside every figure taken
from it.
"""

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hushwatt import __version__
from hushwatt.audit.claims import CLAIMS
from hushwatt.audit.statement.fact import TracedFigure, from_audit
from hushwatt.errors import UsageError
from hushwatt.plan.plan import Plan
from hushwatt.sanitise import sanitised

LARGEST = 64 << 20  # bytes of one file
MADE_BY = "`hushwatt audit … --json` writes what is asked for here"
NO_VERSION = "not stated"
CLAIM = re.compile(r"C[0-9]{1,3}")


@dataclass(frozen=True)
class AuditedFinding:
    """One line of an audit, as its file has it."""

    claims: tuple[str, ...]
    subject: str
    figure: str
    passed: bool


@dataclass(frozen=True)
class AuditFile:
    """One run of an audit: what it found in general, and about which plans."""

    name: str  # of the file
    audit: str
    version: str
    when: str
    quick: bool
    general: tuple[AuditedFinding, ...]
    plans: dict[str, tuple[AuditedFinding, ...]]  # by their ids

    @property
    def label(self) -> str:
        """The audit's name, with the version where it is not this one."""
        return self.audit if self.version == __version__ else f"{self.audit}, version {self.version}"


@dataclass(frozen=True)
class CheckedLine:
    """A finding that counts for this plan, with the file it stands in."""

    file: AuditFile
    finding: AuditedFinding
    own: bool  # about this very plan, not in general

    @property
    def figure(self) -> TracedFigure:
        said = f"{self.finding.subject}: {self.finding.figure}"
        return from_audit(" ".join(self.finding.claims), self.file.label, said)


@dataclass(frozen=True)
class Evidence:
    """All audit files of a statement, as far as they are about its plan."""

    plan: Plan
    files: tuple[AuditFile, ...] = ()

    @property
    def lines(self) -> list[CheckedLine]:
        """What was found about this plan, then what was found in general; other plans' lines do not count."""
        own = [CheckedLine(file, each, True) for file in self.files for each in file.plans.get(self.plan.id, ())]
        return own + [CheckedLine(file, each, False) for file in self.files for each in file.general]

    @property
    def own(self) -> list[CheckedLine]:
        return [line for line in self.lines if line.own]

    @property
    def failed(self) -> list[CheckedLine]:
        return [line for line in self.lines if not line.finding.passed]

    @property
    def other_versions(self) -> list[AuditFile]:
        return [file for file in self.files if file.version != __version__]

    @property
    def of_other_plans(self) -> list[AuditFile]:
        """Files that look at plans, and not at this one."""
        return [file for file in self.files if file.plans and self.plan.id not in file.plans]

    def about(self, claims: Iterable[str]) -> list[CheckedLine]:
        """What was found about some claims."""
        return [line for line in self.lines if set(line.finding.claims) & set(claims)]


def read_audit(path: Path) -> AuditFile:
    """One file; anything else than an audit's JSON is refused in one line."""
    document = _document(path)
    try:
        if "scenarios" in document:
            return _chaos(path, document)
        return _audit(path, document)
    except (KeyError, TypeError, ValueError, AttributeError):
        raise UsageError(f"{path}: is not the result of an audit; {MADE_BY}") from None


def _document(path: Path) -> dict[str, Any]:
    try:
        with path.open("rb") as file:
            text = file.read(LARGEST + 1)
        if len(text) > LARGEST:
            raise UsageError(f"{path}: has more than {LARGEST:,} bytes, the most that is read")
        found = json.loads(text)
    except (OSError, RecursionError) as wrong:
        raise UsageError(f"{path}: {(getattr(wrong, 'strerror', None) or 'cannot be read').lower()}") from None
    except ValueError:
        raise UsageError(f"{path}: is not JSON; {MADE_BY}") from None
    if not isinstance(found, dict):
        raise UsageError(f"{path}: is not the result of an audit; {MADE_BY}")
    return found


def _audit(path: Path, document: dict[str, Any]) -> AuditFile:
    """The general findings come first in the list of all, those of plans after them."""
    plans = {_text(each["plan"]): _findings(each["findings"]) for each in document["plans"]}
    every = _findings(document["findings"])
    return AuditFile(
        name=sanitised(path.name),
        audit=_text(document["audit"]),
        version=_text(document["versions"]["hushwatt"]),
        when=_text(document["when"]),
        quick=_truth(document["quick"]),
        general=every[: len(every) - sum(map(len, plans.values()))],
        plans=plans,
    )


def _chaos(path: Path, document: dict[str, Any]) -> AuditFile:
    """Scenarios of trouble, each about one of the promises that docs/howto/chaos.md numbers."""
    rows = tuple(
        AuditedFinding(
            (f"P{int(each['promise'])}",),
            _text(each["scenario"]),
            f"{int(each['done']):,} of {int(each['asked']):,} {_text(each['unit'])}",
            _truth(each["passed"]),
        )
        for each in document["scenarios"]
    )
    version = document.get("versions", {}).get("hushwatt", NO_VERSION)
    when, quick = document.get("when", NO_VERSION), document.get("quick", False)
    return AuditFile(sanitised(path.name), "chaos", _text(version), _text(when), _truth(quick), rows, {})


def _findings(rows: Any) -> tuple[AuditedFinding, ...]:
    return tuple(_finding(row) for row in rows)


def _finding(row: dict[str, Any]) -> AuditedFinding:
    claims = tuple(_text(row["claim"]).split())
    if not claims or not all(CLAIM.fullmatch(claim) for claim in claims):
        raise ValueError("not the number of a claim")
    return AuditedFinding(claims, _text(row["subject"]), _text(row["figure"]), _truth(row["passed"]))


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError("not a text")
    return sanitised(value, 2_000)


def _truth(value: Any) -> bool:
    if not isinstance(value, bool):
        raise TypeError("not a yes or no")
    return value


def verdicts(evidence: Evidence) -> Iterator[tuple[str, list[CheckedLine]]]:
    """What was found about everything that was looked at: claims in their order, then what else files name."""
    named = dict.fromkeys(claim for line in evidence.lines for claim in line.finding.claims)
    order = [*CLAIMS, *(claim for claim in named if claim not in CLAIMS)]
    for claim in sorted(named, key=order.index):
        yield claim, evidence.about((claim,))
