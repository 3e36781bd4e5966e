"""Keep the ledger as it is on disk while another program copies its files.

The agent goes on: what it writes meanwhile stands in SQLite's log beside the ledger, of which any beginning is a
whole ledger.  A reader that stays keeps that log from being folded into the ledger and begun anew, which would
leave a copy of the two with halves of different times.
"""

from pathlib import Path

from hushwatt.household.ledger.store import Store


class HeldLedger:
    """A reader that stays until it is released."""

    def __init__(self, path: Path) -> None:
        self._store = Store(path)
        self._store.disk.execute("BEGIN")
        self._store.rows("SELECT count(*) FROM home")  # a reader from now on, not only by name

    def release(self) -> None:
        self._store.close()
