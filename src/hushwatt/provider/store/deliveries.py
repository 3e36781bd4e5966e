"""Files that were taken in: how far, and what became of them.

It is kept with the reports themselves, so that both are there or neither.  A file is known by its
content, whatever it is called, and every report and home that it brought carries its number.
"""

from dataclasses import dataclass

from hushwatt.errors import UsageError
from hushwatt.provider.store.session import Session, first_row

MAX_NAMED = 20  # files that a message names by their numbers
COLUMNS = "number, name, at, rows, taken, accepted, repeated, homes, undone"


@dataclass(frozen=True)
class DeliveryRecord:
    """A file that was taken in, whole or in part."""

    number: int
    name: str
    at: int  # seconds since 1970, when it first came; 0: before that was noted
    rows: int
    taken: int  # rows that have been looked at, from its first on
    accepted: int
    repeated: int
    homes: int  # that take part, as it tells
    undone: int  # 1: it was taken back


def begin_delivery(session: Session, plan: int, content: bytes, name: str, rows: int, homes: int, now: int) -> int:
    """The number of a file, which is noted unless it is known."""
    ((highest,),) = session.all("SELECT max(number) FROM deliveries")
    statement = (
        "INSERT INTO deliveries (plan, content, taken, number, name, at, rows, homes) "
        "VALUES (?, ?, 0, ?, ?, ?, ?, ?) ON CONFLICT (plan, content) DO UPDATE SET undone = 0, "
        "homes = CASE WHEN deliveries.undone = 1 THEN excluded.homes ELSE deliveries.homes END"
    )
    session.run(statement, plan, content, (highest or 0) + 1, name, now, rows, homes)
    ((number,),) = session.all("SELECT number FROM deliveries WHERE plan = ? AND content = ?", plan, content)
    return int(number)


def rows_taken(session: Session, plan: int, content: bytes) -> int:
    """How many rows of a file are in the store, from its first on."""
    row = first_row(session, "SELECT taken FROM deliveries WHERE plan = ? AND content = ?", plan, content)
    return int(row[0]) if row else 0


def rows_left(session: Session, plan: int) -> int:
    """How many rows of files that were begun have not been taken in."""
    statement = "SELECT sum(rows - taken) FROM deliveries WHERE plan = ? AND undone = 0 AND taken < rows"
    return int(session.all(statement, plan)[0][0] or 0)


def set_rows_taken(
    session: Session, plan: int, content: bytes, rows: int, accepted: int = 0, repeated: int = 0
) -> None:
    """Note that the first `rows` rows of a file are in the store, and what became of the last of them."""
    changes = "taken = ?, accepted = accepted + ?, repeated = repeated + ?"
    statement = f"UPDATE deliveries SET {changes} WHERE plan = ? AND content = ?"
    session.run(statement, rows, accepted, repeated, plan, content)


def all_deliveries(session: Session, plan: int) -> list[DeliveryRecord]:
    """All files of a plan, in the order in which they came."""
    rows = session.all(f"SELECT {COLUMNS} FROM deliveries WHERE plan = ? ORDER BY number", plan)
    return [DeliveryRecord(*row) for row in rows]


def find_delivery(session: Session, plan: int, number: int) -> DeliveryRecord:
    for each in all_deliveries(session, plan):
        if each.number == number:
            return each
    numbers = ", ".join(str(each.number) for each in all_deliveries(session, plan)[-MAX_NAMED:])
    raise UsageError(f"there is no delivery {number}; there is {numbers or 'none yet'}")


def was_taken_back(session: Session, plan: int, content: bytes) -> bool:
    """Whether a file of this content was taken in and then taken back."""
    return bool(session.all("SELECT 1 FROM deliveries WHERE plan = ? AND content = ? AND undone = 1", plan, content))


def declared_by_files(session: Session, plan: int) -> int:
    """The most homes that one of the files declares."""
    ((highest,),) = session.all("SELECT max(homes) FROM deliveries WHERE plan = ? AND undone = 0", plan)
    return int(highest or 0)
