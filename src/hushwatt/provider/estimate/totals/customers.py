"""How many customers there are: a number, or a table of how many of each kind."""

import csv
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from hushwatt.errors import UsageError
from hushwatt.provider.tally.labels import Cells, group_name
from hushwatt.sanitise import quoted
from hushwatt.wire.labels import MISSING, check_label

COUNT = "customers"
MAX_CUSTOMERS = 10**12
EXAMPLE = "a number as 1200000, or a .csv file with a column for each label and one called customers"


@dataclass(frozen=True)
class Customers:
    """All customers, or those of each kind, by labels that the homes taking part have too."""

    homes: int
    kinds: tuple[tuple[Mapping[str, str], int], ...] = ()  # labels, the most important first, and how many have them

    def __post_init__(self) -> None:
        if not 0 < self.homes <= MAX_CUSTOMERS:
            raise UsageError(f"customers is {self.homes:,}; it must be between 1 and {MAX_CUSTOMERS:,}")

    @classmethod
    def parse(cls, text: str) -> "Customers":
        """From what a person writes: a number or a file."""
        word = text.strip().replace("_", "")
        if word.isascii() and word.isdigit():
            return cls(int(word))
        path = Path(text)
        if path.suffix.lower() != ".csv":
            raise UsageError(f"customers {quoted(text)}: write {EXAMPLE}")
        try:
            with path.open(newline="", encoding="utf-8-sig") as file:
                return cls.of(list(csv.DictReader(file, strict=True)), text)
        except OSError as problem:
            raise UsageError(f"{path}: {problem.strerror or 'cannot be read'}") from None
        except (csv.Error, UnicodeDecodeError):
            raise UsageError(f"{path}: not a CSV file in UTF-8") from None

    @classmethod
    def of(cls, rows: Iterable[Mapping[str, object]], name: str = "customers") -> "Customers":
        """From the rows of a table, called `name` in errors.

        >>> Customers.of([{"tariff": "A", "customers": 700}, {"tariff": "B", "customers": 300}]).homes
        1000
        """
        kinds = [_kind(row, f"{name}, row {number}") for number, row in enumerate(rows, start=1)]
        if not kinds:
            raise UsageError(f"{name}: no rows; write {EXAMPLE}")
        names = [group_name(labels) for labels, _ in kinds]
        if doubled := [each for each in names if names.count(each) > 1]:
            raise UsageError(f"{name}: {doubled[0]} is there twice")
        return cls(sum(count for _, count in kinds), tuple(kinds))

    def check(self, cells: Cells) -> None:
        """Refuse labels that the homes taking part do not have."""
        for labels, _ in self.kinds[:1]:
            cells.check_names(labels)

    def with_labels(self, where: Mapping[str, str]) -> int:
        """How many customers have these labels."""
        return sum(count for labels, count in self.kinds or (({}, self.homes),) if where.items() <= labels.items())


def _kind(row: Mapping[str, object], place: str) -> tuple[Mapping[str, str], int]:
    """The labels of a row, and its customers."""
    if COUNT not in row or None in row or len(row) < 2:
        raise UsageError(f"{place}: write {EXAMPLE}")
    word = str(row[COUNT]).strip()
    if not (word.isascii() and word.isdigit()):
        raise UsageError(f"{place}, column {COUNT}: {quoted(word)} is no whole number of homes")
    labels = {name: str(value or "").strip() or MISSING for name, value in row.items() if name != COUNT}
    for label, value in labels.items():
        try:
            check_label(label, None if value == MISSING else value)
        except UsageError as wrong:
            raise UsageError(f"{place}: {wrong}") from None
    return labels, int(word)
