"""Tables: the numbers of every chart as text."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Column:
    """A heading, and whether numbers stand under it."""

    heading: str
    numeric: bool = False


@dataclass(frozen=True)
class HtmlTable:
    """Rows of text; the first cell of a row says what the row is about."""

    caption: str
    columns: Sequence[Column]
    rows: Sequence[Sequence[str]]
    marked: frozenset[str] = field(default=frozenset())  # texts that stand where a number would
    links: Mapping[str, str] = field(default_factory=dict)  # where what a row is about is told in full


def text_columns(*headings: str) -> list[Column]:
    return [Column(heading) for heading in headings]


def number_columns(*headings: str) -> list[Column]:
    return [Column(heading, numeric=True) for heading in headings]
