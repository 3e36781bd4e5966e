"""Running tallies: an answer never reads a report again."""

from collections.abc import Mapping

from hushwatt.provider.store.session import Session, first_row
from hushwatt.provider.tally.draws import PUBLICATION
from hushwatt.provider.tally.tally import Tally, TallyKey

NO_LIMIT = 2**63 - 1  # above every slot
KEY = ", ".join(TallyKey._fields)
COLUMNS = f"{KEY}, homes, reports, counts"
KEY_MATCHES = " AND ".join(f"{name} = ?" for name in ("plan", *TallyKey._fields))


def add_tallies(session: Session, plan: int, added: Mapping[TallyKey, Tally]) -> None:
    """Add to what is there; what has come to nothing goes."""
    for key, tally in added.items():
        known = first_row(session, f"SELECT homes, reports, counts FROM tallies WHERE {KEY_MATCHES}", plan, *key)
        total = Tally.unpacked(*known) + tally if known else tally
        if known and not total.rows:
            session.run(f"DELETE FROM tallies WHERE {KEY_MATCHES}", plan, *key)
        elif known:
            statement = f"UPDATE tallies SET homes = ?, reports = ?, counts = ? WHERE {KEY_MATCHES}"
            session.run(statement, *total.packed(), plan, *key)
        elif total.rows:
            statement = f"INSERT INTO tallies (plan, {COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
            session.run(statement, plan, *key, *total.packed())


def reported_slots(session: Session, plan: int, after: int = -1, until: int = NO_LIMIT) -> list[int]:
    """The slots above `after`, up to `until`, that have reports, ascending."""
    statement = "SELECT DISTINCT slot FROM tallies WHERE plan = ? AND slot > ? AND slot <= ? ORDER BY slot"
    return [int(slot) for (slot,) in session.all(statement, plan, after, until)]


def last_reported(session: Session, plan: int, until: int) -> int:
    """The last slot up to `until` that has reports; −1: none."""
    (last,) = session.all("SELECT MAX(slot) FROM tallies WHERE plan = ? AND slot <= ?", plan, until)[0]
    return -1 if last is None else int(last)


def counted_reports(session: Session, plan: int) -> int:
    """How many reports have been counted since ever, whichever way they came."""
    statement = "SELECT SUM(homes) FROM tallies WHERE plan = ? AND round = ?"
    (count,) = session.all(statement, plan, PUBLICATION)[0]
    return int(count or 0)


def read_tallies(session: Session, plan: int, first: int, last: int) -> dict[TallyKey, Tally]:
    """The tallies of the slots `first` to `last`, both included."""
    where, parts = "plan = ? AND slot BETWEEN ? AND ?", len(TallyKey._fields)
    rows = session.all(f"SELECT {COLUMNS} FROM tallies WHERE {where} ORDER BY {KEY}", plan, first, last)
    return {TallyKey(*map(int, row[:parts])): Tally.unpacked(*row[parts:]) for row in rows}
