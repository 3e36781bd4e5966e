"""What an audit found out: one claim about one subject, with the figure reached."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from time import perf_counter

from hushwatt.audit.claims import STATED


@dataclass(frozen=True)
class Finding:
    """One line of the table that every audit ends with."""

    claim: str  # numbered as in docs/claims.md; several with spaces between
    subject: str  # what was looked at
    figure: str  # what was reached, for people
    passed: bool
    seconds: float = 0.0
    numbers: dict[str, float | int | str] = field(default_factory=dict)  # the same, for programs

    @property
    def stated(self) -> str:
        """Where the claim is made; the first of several."""
        return STATED[self.claim.split()[0]]


Audit = Callable[[], Finding]


def timed(audits: Iterable[Audit], advance: Callable[[int], None] = lambda done: None) -> Iterator[Finding]:
    """Run audits one after the other, and give what each found with the seconds it took."""
    for audit in audits:
        start = perf_counter()
        finding = audit()
        advance(1)
        yield replace(finding, seconds=perf_counter() - start)
