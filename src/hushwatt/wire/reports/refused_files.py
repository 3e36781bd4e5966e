"""Files of reports that are refused as a whole: which, and what is wrong with each.

A file counts whole or not at all: where one row of it cannot be read, nobody knows what else is wrong with it.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from hushwatt.errors import ReportError

Item = TypeVar("Item")
Opened = TypeVar("Opened")


@dataclass(frozen=True)
class RefusedFile:
    """A file that is left out.

    >>> print(RefusedFile.of("may.parquet", ReportError("may.parquet, row 7: the round must be 0 or 1")))
    may.parquet is left out: row 7: the round must be 0 or 1
    """

    name: str
    problem: str

    @classmethod
    def of(cls, name: str, wrong: ReportError) -> "RefusedFile":
        return cls(name, str(wrong).removeprefix(name).lstrip(":, "))

    def __str__(self) -> str:
        return f"{self.name} is left out: {self.problem}"


def without_refused(
    files: Sequence[Item], opening: Callable[[Item], Opened], refused: list[RefusedFile] | None
) -> list[Opened]:
    """What `opening` makes of each; files that it refuses go to `refused` if there is such a list, and are raised else.

    When it refuses all of them, nothing is left to go on with, and the first refusal is raised.
    """
    found, first = [], None
    for file in files:
        try:
            found.append(opening(file))
        except ReportError as wrong:
            if refused is None:
                raise
            first = first or wrong
            refused.append(RefusedFile.of(str(file), wrong))
    if first is not None and not found:
        raise first
    return found
