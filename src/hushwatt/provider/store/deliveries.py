"""How far each file has been taken in: kept with the reports themselves, so that both are there or neither.

A file is known by its content, whatever it is called.
"""

from hushwatt.provider.store.session import Session, one


def taken(session: Session, plan: int, content: bytes) -> int:
    """How many rows of a file are in the store, from its first on."""
    found = one(session.all("SELECT taken FROM deliveries WHERE plan = ? AND content = ?", plan, content))
    return int(found[0]) if found else 0


def set_taken(session: Session, plan: int, content: bytes, rows: int) -> None:
    """Note that the first `rows` rows of a file are in the store."""
    session.run(
        "INSERT INTO deliveries (plan, content, taken) VALUES (?, ?, ?) "
        "ON CONFLICT (plan, content) DO UPDATE SET taken = excluded.taken",
        plan,
        content,
        rows,
    )
