"""What an audit found out: one claim about one subject, with the figure reached."""

from collections.abc import Callable, Iterable, Iterator, Mapping
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
    numbers: Mapping[str, float | int | str] = field(default_factory=dict)  # the same, for programs

    @property
    def claims(self) -> list[str]:
        return self.claim.split()

    @property
    def stated(self) -> str:
        """Where the claim is made; the first of several."""
        return STATED[self.claims[0]]

    @property
    def cases(self) -> int:
        """How many cases were gone through one by one, where they were counted."""
        return int(self.numbers.get("cases", 0))

    @property
    def reached(self) -> float:
        """How much of what is allowed was reached, when that can be said."""
        told = self.numbers.get("reached", 0.0)
        return float(told) if isinstance(told, int | float) else 0.0


Audit = Callable[[], Finding]


def timed(audits: Iterable[Audit], advance: Callable[[int], None] = lambda done: None) -> Iterator[Finding]:
    """Run audits one after the other, and give what each found with the seconds it took."""
    for audit in audits:
        start = perf_counter()
        finding = audit()
        advance(1)
        yield replace(finding, seconds=perf_counter() - start)
