"""Where reports rest: one small protocol, two databases.

`session` says what a database must do.  `sqlite` is the embedded one, which needs
nothing else, and `postgres` the one for production.  All that is known about plans,
homes, reports, tallies and slots is written once, on top of a session, so that the two
cannot differ.
"""

from collections.abc import Callable
from pathlib import Path

from hushwatt.provider.store.session import Database, Session, StoreUnavailable

__all__ = ["Database", "Session", "StoreUnavailable", "open_store"]


def open_store(address: str | Path) -> Database:
    """The store at an address: `postgresql://…`, or the path of a file."""
    opened: Callable[[str], Database]
    if str(address).startswith(("postgresql://", "postgres://")):
        from hushwatt.provider.store.postgres import Postgres as opened
    else:
        from hushwatt.provider.store.sqlite import Sqlite as opened
    return opened(str(address))
