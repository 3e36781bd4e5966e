"""Cells: the sets of labels that homes have.  A home keeps its cell for good, so what was published stays.

Cell 0 is of homes without labels, and of those that files have declared but not named yet; it has
no row, as its homes are the rest.  How many homes a cell has is noted when a slot is published.
"""

import json
from collections import defaultdict
from dataclasses import dataclass

import numpy as np

from hushwatt.errors import UsageError
from hushwatt.provider.store.session import HomeNumbers, Session, first_row
from hushwatt.provider.tally.labels import MAX_CELLS
from hushwatt.wire.labels import MAX_LABELS, NO_LABELS, Labels

NO_CELL = 0


@dataclass(frozen=True)
class StoredCell:
    """A set of labels, and how many homes have it."""

    cell: int
    labels: Labels
    homes: int  # now


def cell_of(session: Session, plan: int, labels: Labels) -> int:
    """The number of a set of labels, which is noted unless it is known."""
    if not labels:
        return NO_CELL
    row = first_row(session, "SELECT cell FROM cells WHERE plan = ? AND labels = ?", plan, labels.canonical())
    if row:
        return int(row[0])
    ((cells,),) = session.all("SELECT count(*) FROM cells WHERE plan = ?", plan)
    if cells >= MAX_CELLS:
        raise UsageError(f"the plan has {MAX_CELLS:,} combinations of labels, and there may be no more: leave one out")
    _note_names(session, plan, labels)
    statement = "INSERT INTO cells (plan, cell, labels, homes, noted) VALUES (?, ?, ?, 0, 0)"
    session.run(statement, plan, cells + 1, labels.canonical())
    return int(cells) + 1


def label_names(session: Session, plan: int) -> list[str]:
    """The labels that homes of a plan have, the first that was given first."""
    return [name for (name,) in session.all("SELECT name FROM label_names WHERE plan = ? ORDER BY place", plan)]


def labels_of(session: Session, plan: int, cell: int) -> Labels:
    """The labels of a cell."""
    row = first_row(session, "SELECT labels FROM cells WHERE plan = ? AND cell = ?", plan, cell)
    return _ordered(row[0], label_names(session, plan)) if row else NO_LABELS


def all_cells(session: Session, plan: int) -> list[StoredCell]:
    """All cells of a plan but 0, by number."""
    rows = session.all("SELECT cell, labels, homes FROM cells WHERE plan = ? ORDER BY cell", plan)
    names = label_names(session, plan)
    return [StoredCell(int(cell), _ordered(labels, names), int(homes)) for cell, labels, homes in rows]


def add_to_cells(session: Session, plan: int, cells: HomeNumbers, sign: int = 1) -> None:
    """Count homes of these cells in, a number for each; or out, with −1."""
    for cell, homes in zip(*np.unique(cells[cells > NO_CELL], return_counts=True), strict=True):
        statement = "UPDATE cells SET homes = homes + ? WHERE plan = ? AND cell = ?"
        session.run(statement, sign * int(homes), plan, int(cell))


def note_cells(session: Session, plan: int, first: int) -> None:
    """Note how many homes each cell has for the slots from `first` on, where that has changed."""
    changed = "plan = ? AND homes <> noted"
    insert = f"INSERT INTO cell_homes (plan, cell, slot, homes) SELECT plan, cell, ?, homes FROM cells WHERE {changed}"
    if session.run(insert, first, plan):
        session.run(f"UPDATE cells SET noted = homes WHERE {changed}", plan)


def noted_cells(session: Session, plan: int, until: int) -> dict[int, dict[int, int]]:
    """How many homes each cell had, by the slot from which on it had them, up to a slot."""
    statement = "SELECT cell, slot, homes FROM cell_homes WHERE plan = ? AND slot <= ? ORDER BY cell, slot"
    noted: defaultdict[int, dict[int, int]] = defaultdict(dict)
    for cell, slot, homes in session.all(statement, plan, until):
        noted[int(cell)][int(slot)] = int(homes)
    return dict(noted)


def _note_names(session: Session, plan: int, labels: Labels) -> None:
    """Keep in which order labels were given first."""
    names = label_names(session, plan)
    new = [name for name, _ in labels.pairs if name not in names]
    if len(names) + len(new) > MAX_LABELS:
        raise UsageError(f"homes of the plan have the labels {', '.join(names)}; there may be {MAX_LABELS} at most")
    for place, name in enumerate(new, len(names)):
        session.run("INSERT INTO label_names (plan, place, name) VALUES (?, ?, ?)", plan, place, name)


def _ordered(canonical: str, names: list[str]) -> Labels:
    values = json.loads(canonical)
    return Labels(tuple((name, values[name]) for name in names if name in values))
