"""The turns that homes are offered when they enrol: as many homes in each, among all and among those of a cell."""

import numpy as np
from numpy.typing import NDArray

from hushwatt.plan.plan import Plan
from hushwatt.privacy.rotation import assigned_turn, even_turn, has_turns
from hushwatt.provider.store.session import HomeNumbers, Session, first_row

ALL_HOMES = -1  # in place of a cell


def offer_turns(session: Session, number: int, plan: Plan, homes: HomeNumbers, cell: int) -> list[int]:
    """Turns for new homes of a cell, and keep them; none where the plan has none."""
    if not has_turns(plan):
        return []
    _count_older(session, number, plan, homes)
    alike, everyone = (_offered(session, number, plan, each) for each in (cell, ALL_HOMES))
    turns = np.empty_like(homes)
    for row, home in enumerate(homes.tolist()):
        turns[row] = turn = even_turn(plan, home, alike, everyone)
        alike[turn] += 1
        everyone[turn] += 1
    session.set_turns(number, homes, turns)
    _count(session, number, cell, turns)
    return [int(turn) for turn in turns]


def offered_turns(session: Session, number: int, plan: Plan, homes: HomeNumbers) -> list[int]:
    """The turns that these homes, ascending, were offered before."""
    if not has_turns(plan) or not len(homes):
        return []
    statement = "SELECT home, turn FROM devices WHERE plan = ? AND home BETWEEN ? AND ?"
    rows = session.all(statement, number, int(homes.min()), int(homes.max()))
    offered = {int(home): turn for home, turn in rows}
    return [_turn(plan, home, offered.get(home)) for home in homes.tolist()]


def take_turn_back(session: Session, number: int, home: int) -> None:
    """Let the turn of a home that leaves be offered to another."""
    statement = "SELECT turn, cell FROM devices WHERE plan = ? AND home = ? AND turn IS NOT NULL"
    row = first_row(session, statement, number, home)
    if row:
        _count(session, number, int(row[1]), np.array([row[0]]), -1)


def _offered(session: Session, number: int, plan: Plan, cell: int) -> NDArray[np.int64]:
    offered = np.zeros(plan.window, dtype=np.int64)
    for turn, homes in session.all("SELECT turn, homes FROM turns WHERE plan = ? AND cell = ?", number, cell):
        offered[turn] = homes
    return offered


def _count(session: Session, number: int, cell: int, turns: NDArray[np.int64], sign: int = 1) -> None:
    statement = (
        "INSERT INTO turns (plan, cell, turn, homes) VALUES (?, ?, ?, ?) "
        "ON CONFLICT (plan, cell, turn) DO UPDATE SET homes = turns.homes + excluded.homes"
    )
    for turn, homes in zip(*np.unique(turns, return_counts=True), strict=True):
        for each in (cell, ALL_HOMES):
            session.run(statement, number, each, int(turn), sign * int(homes))


def _count_older(session: Session, number: int, plan: Plan, new: HomeNumbers) -> None:
    """Homes of before turns were kept have the turns of their numbers: keep these once."""
    if first_row(session, "SELECT 1 FROM turns WHERE plan = ? LIMIT 1", number):
        return
    rows = session.all("SELECT home FROM devices WHERE plan = ? AND signer > 0 ORDER BY home", number)
    older = np.setdiff1d(np.array([home for (home,) in rows], dtype=np.int64), new)
    turns = np.array([_turn(plan, home) for home in older.tolist()], dtype=np.int64)
    session.set_turns(number, older, turns)
    _count(session, number, 0, turns)


def _turn(plan: Plan, home: int, offered: int | None = None) -> int:
    turn = assigned_turn(plan, home) if offered is None else offered
    assert turn is not None
    return int(turn)
