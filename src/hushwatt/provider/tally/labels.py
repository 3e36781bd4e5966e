"""What a provider knows of its homes anyway, such as tariff or region: labels, and the cells they divide homes into.

A cell is one combination of values, numbered from 1; cell 0 is the homes that nothing is known of.  A home may lack
a label.  Nothing here comes from a reading.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from hushwatt.errors import UsageError
from hushwatt.sanitise import quoted
from hushwatt.wire.labels import MAX_LABELS, MISSING, check_label

MAX_CELLS = 1_000  # combinations of values


@dataclass(frozen=True)
class Cells:
    """The labels, the most important one first, and the values of every cell.

    >>> cells = Cells(("tariff", "region"), (("A", "north"), ("B", "")))
    >>> cells.labels_of(2), cells.labels_of(0)
    ({'tariff': 'B', 'region': '(none)'}, {'tariff': '(none)', 'region': '(none)'})
    >>> cells.matching({"region": "(none)"}).tolist()
    [True, False, True]
    """

    names: tuple[str, ...] = ()
    values: tuple[tuple[str, ...], ...] = ()  # of cell 1, 2, …; empty where a home lacks the label

    def __post_init__(self) -> None:
        if len(self.names) > MAX_LABELS:
            raise UsageError(f"{len(self.names)} labels; there may be {MAX_LABELS} at most")
        if len(self.values) > MAX_CELLS:
            raise UsageError(
                f"the labels have {len(self.values):,} combinations of values; there may be {MAX_CELLS:,} at most"
            )
        for name in self.names:
            check_label(name)
        for index, name in enumerate(self.names):
            for value in {each[index] for each in self.values} - {""}:
                check_label(name, value)

    def __len__(self) -> int:
        """How many cells there are, that of unlabelled homes included."""
        return len(self.values) + 1

    def __bool__(self) -> bool:
        return bool(self.names)

    def labels_of(self, cell: int) -> dict[str, str]:
        """The value of each label in a cell, as it is shown."""
        values = self.values[cell - 1] if cell else [""] * len(self.names)
        return {name: value or MISSING for name, value in zip(self.names, values, strict=True)}

    @cached_property
    def codes(self) -> NDArray[np.intp]:
        """For each cell and label the place of its value among `words`."""
        places = [{word: place for place, word in enumerate(words)} for words in self.words]
        rows = [self.labels_of(cell).values() for cell in range(len(self))]
        coded = [[place[value] for place, value in zip(places, row, strict=True)] for row in rows]
        return np.array(coded, dtype=np.intp).reshape(len(self), len(self.names))

    @cached_property
    def words(self) -> tuple[tuple[str, ...], ...]:
        """The values of each label in their order, the missing one last."""
        columns = [{value for value in column if value} for column in zip(*self.values, strict=True)]
        columns = columns or [set() for _ in self.names]
        return tuple((*sorted(column), MISSING) for column in columns)

    def check_names(self, names: Iterable[str]) -> None:
        """Refuse labels that these homes do not have."""
        if unknown := [name for name in names if name not in self.names]:
            known = f"the labels are {', '.join(self.names)}" if self.names else "these homes have no labels"
            raise UsageError(f"there is no label {quoted(unknown[0])}; {known}")

    def matching(self, where: Mapping[str, str]) -> NDArray[np.bool_]:
        """Which cells have these values."""
        self.check_names(where)
        mask = np.ones(len(self), dtype=bool)
        for name, value in where.items():
            column = self.names.index(name)
            words = self.words[column]
            if value not in words:
                raise UsageError(f"no home has {quoted(f'{name}={value}')}; {name} is one of {_listed(words[:-1])}")
            mask &= self.codes[:, column] == words.index(value)
        return mask

    def groups(self, by: Sequence[str]) -> list[dict[str, str]]:
        """The combinations of the values of some labels that cells have, in order; a missing value comes last."""
        self.check_names(by)
        if len(set(by)) < len(by) or not by:
            raise UsageError("name one label or more, each once")
        columns = [self.names.index(name) for name in by]
        rows = sorted({tuple(row) for row in self.codes[:, columns].tolist()})
        return [{name: self.words[c][code] for name, c, code in zip(by, columns, row, strict=True)} for row in rows]


def group_name(labels: Mapping[str, str]) -> str:
    """A group as it is written.

    >>> group_name({"tariff": "A", "region": "north"})
    'tariff=A,region=north'
    """
    return ",".join(f"{name}={value}" for name, value in labels.items())


def _listed(words: Sequence[str], most: int = 12) -> str:
    return ", ".join(words[:most]) + (f" and {len(words) - most} more" if len(words) > most else "")
