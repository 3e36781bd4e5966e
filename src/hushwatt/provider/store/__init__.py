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


def open_store(address: str | Path, by_hand: bool = False) -> Database:
    """The store at an address: `postgresql://…`, or the path of a file.

    An older one is brought up to date, unless that is done `by_hand`: then it is refused.
    """
    opened: Callable[..., Database]
    if str(address).startswith(("postgresql://", "postgres://")):
        from hushwatt.provider.store.postgres import Postgres as opened
    else:
        from hushwatt.provider.store.sqlite import Sqlite as opened
    return opened(str(address), by_hand=by_hand)
