"""Sentences whose figures all say where they come from: a key of the plan, a formula, or an audit.

The words are written here and hold no figure; the figures are worked out and put in between.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from string import Formatter
from typing import Any

from hushwatt.plan.amounts import MICRO, plain

FORMULAS = {
    "promise": "the dearest of all sequences of decisions (privacy/promise.py, privacy/dearest.py)",
    "odds": "e^ε : 1 (privacy/promise.py)",
    "certainty": "e^ε/(1 + e^ε), for someone who gave even odds before (audit/page.py)",
    "laws": "the exact chances of every answer (privacy/laws)",
    "long run": "the chances of the best attacker, and the cost of any stretch (privacy/long_run)",
    "payload": "the layout of a report's bytes (wire/payload.py)",
    "influence": "what one forging home counts as (privacy/influence.py)",
    "calendar": "the slots from start to end (plan/calendar.py)",
    "blind spot": "the hours in which no home ever draws (plan/phases.py)",
    "leaning": "how readily homes publish changes (privacy/length_bias.py)",
    "owner's caps": "what a home allows unless its owner says otherwise (household/ledger/caps.py)",
    "hash": "the SHA-256 of the canonical plan (plan/plan.py)",
    "version": "the hushwatt that made this statement",
}


@dataclass(frozen=True)
class TracedFigure:
    """A figure as it is shown, where it comes from, and the same for programs."""

    shown: str
    source: str
    value: Any = None

    def as_json(self) -> dict[str, Any]:
        return {"shown": self.shown, "source": self.source, "value": self.shown if self.value is None else self.value}


def from_plan(key: str, shown: object, value: Any = None) -> TracedFigure:
    """A figure that stands in the plan."""
    return TracedFigure(str(shown), f"plan: {key}", value)


def computed(formula: str, shown: object, value: Any = None) -> TracedFigure:
    """A figure that follows from the plan by a formula of the list."""
    if formula not in FORMULAS:
        raise ValueError(f"no formula is called {formula}")
    return TracedFigure(str(shown), f"computed: {formula}", value)


def from_audit(claims: str, audit: str, shown: object, value: Any = None) -> TracedFigure:
    """A figure that an audit reached."""
    return TracedFigure(str(shown), f"audit: {claims} {audit}", value)


def amount(millionths: int) -> tuple[str, float]:
    """An amount of ε, for people and for programs.

    >>> amount(666_666)
    ('0.666666', 0.666666)
    """
    return plain(millionths), millionths / MICRO


def count_of(number: int, what: str) -> str:
    """So many of something.

    >>> count_of(1, "home"), count_of(1_000, "home")
    ('1 home', '1,000 homes')
    """
    return f"{number:,} {what}{'' if number == 1 else 's'}"


@dataclass(frozen=True)
class Fact:
    """One sentence or more about one thing.

    >>> fact = Fact("minimum", "Shown only", "where {homes} homes reported", {"homes": from_plan("minimum_homes", 100)})
    >>> fact.words, fact.sources
    ('where 100 homes reported', ['plan: minimum_homes'])
    """

    key: str
    label: str
    text: str  # with {names} where figures go; a new line where one begins on a page
    figures: Mapping[str, TracedFigure] = field(default_factory=dict)
    mark: str = ""  # "limit", "open" or "no", where it is not simply so

    @property
    def words(self) -> str:
        said = "".join(part if isinstance(part, str) else part.shown for part in self.parts())
        return said.replace("\n", " ")

    @property
    def sources(self) -> list[str]:
        """Where its figures come from, each once."""
        return list(dict.fromkeys(part.source for part in self.parts() if isinstance(part, TracedFigure)))

    def parts(self) -> Iterator[str | TracedFigure]:
        """The words and the figures between them, in order."""
        for words, name, _, _ in Formatter().parse(self.text):
            if words:
                yield words
            if name is not None:
                yield self.figures[name]

    def as_json(self) -> dict[str, Any]:
        found: dict[str, Any] = {"label": self.label, "text": self.words}
        figures = {name: figure.as_json() for name, figure in self.figures.items()}
        return found | ({"figures": figures} if figures else {}) | ({"mark": self.mark} if self.mark else {})


def fact(key: str, label: str, text: str, mark: str = "", **figures: TracedFigure) -> Fact:
    """A fact with its figures by name."""
    return Fact(key, label, text, figures, mark)


@dataclass(frozen=True)
class FigureTable:
    """Rows of figures under a head; the first cell of a row names it."""

    key: str
    head: tuple[str, ...]
    rows: tuple[tuple[TracedFigure, ...], ...]

    def as_json(self) -> list[dict[str, Any]]:
        """A table of each row: its name as it is, every other cell with its source."""
        first, *others = self.head
        return [
            {first: name.shown} | dict(zip(others, (cell.as_json() for cell in cells), strict=True))
            for name, *cells in self.rows
        ]


@dataclass(frozen=True)
class StatementSection:
    """Facts under a title, and tables below them."""

    key: str
    title: str
    introduction: str
    facts: tuple[Fact, ...]
    tables: tuple[FigureTable, ...] = ()

    def as_json(self) -> dict[str, Any]:
        facts = {each.key: each.as_json() for each in self.facts}
        return {"title": self.title, **facts, **{table.key: table.as_json() for table in self.tables}}
