"""What a home keeps on disk: one SQLite file for all its plans and providers.

It holds spends, the bytes that left or wait to leave, keys and consents.  It never
holds a reading, a level or a true bit.  Every commit is on the disk when it returns.
"""

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import apsw

from hushwatt.durable import rewrite_wal
from hushwatt.errors import StateError

BUSY_TIMEOUT = 10_000  # milliseconds that one writer waits for another

SCHEMA = """
CREATE TABLE home (name TEXT PRIMARY KEY, value) WITHOUT ROWID;
CREATE TABLE plans (
    place INTEGER PRIMARY KEY, plan TEXT UNIQUE NOT NULL, canonical BLOB NOT NULL,
    address TEXT NOT NULL, provider BLOB NOT NULL, joined INTEGER NOT NULL, left INTEGER, paused INTEGER,
    device BLOB, secret BLOB, slot INTEGER NOT NULL, memory TEXT NOT NULL);
CREATE TABLE consents (plan TEXT NOT NULL, time INTEGER NOT NULL, words TEXT NOT NULL);
CREATE TABLE spends (
    place INTEGER NOT NULL, slot INTEGER NOT NULL, purpose TEXT NOT NULL,
    start INTEGER NOT NULL, end INTEGER NOT NULL, amount INTEGER NOT NULL, members BLOB);
CREATE INDEX spends_by_end ON spends (end, amount);
CREATE TABLE reports (
    place INTEGER NOT NULL, slot INTEGER NOT NULL, spent INTEGER NOT NULL, drawn INTEGER NOT NULL,
    payload BLOB NOT NULL, due INTEGER, tries INTEGER NOT NULL DEFAULT 0, answer TEXT,
    PRIMARY KEY (place, slot)) WITHOUT ROWID;
CREATE INDEX reports_waiting ON reports (due) WHERE due IS NOT NULL;
CREATE TABLE silences (
    place INTEGER NOT NULL, first INTEGER NOT NULL, last INTEGER NOT NULL, reason TEXT NOT NULL,
    PRIMARY KEY (place, first)) WITHOUT ROWID;
"""

MIGRATIONS = (  # what leads from each format to the next
    """
ALTER TABLE spends ADD COLUMN running INTEGER;
ALTER TABLE spends ADD COLUMN boots INTEGER;
CREATE INDEX spends_by_running ON spends (boots, running, amount);
CREATE TABLE boots (
    number INTEGER PRIMARY KEY, running INTEGER NOT NULL, before INTEGER NOT NULL, first INTEGER NOT NULL);
""",
    """
ALTER TABLE plans ADD COLUMN retired TEXT;
ALTER TABLE plans ADD COLUMN defaults INTEGER NOT NULL DEFAULT 2;
UPDATE plans SET defaults = 1;
CREATE TABLE totals (
    place INTEGER NOT NULL, members BLOB NOT NULL, amount INTEGER NOT NULL, last INTEGER NOT NULL,
    PRIMARY KEY (place, members)) WITHOUT ROWID;
INSERT INTO totals SELECT place, coalesce(members, x''), sum(amount), -1 FROM spends
    GROUP BY place, coalesce(members, x'');
""",
)
DEFAULTS = 2  # which default caps hold where a plan is joined now; 1: those before there were caps on a lifetime
FORMAT = 1 + len(MIGRATIONS)


class Store:
    """The open file; `change` is the only way to write to it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            self.disk = _open(path)
        except apsw.Error as wrong:
            raise StateError(f"{path}: cannot be opened as a ledger ({_error_name(wrong)})") from None

    def __repr__(self) -> str:
        return f"<the ledger {self.path}>"

    def __enter__(self) -> "Store":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self.disk.close()

    def recover_wal(self) -> None:
        """Before the first change of a life: what an earlier one wrote is on the disk, or written again."""
        with self.transaction() as disk:
            rewrite_wal(disk)

    @contextmanager
    def transaction(self) -> Iterator[apsw.Connection]:
        """One transaction: all of it is on the disk afterwards, or none."""
        try:
            self.disk.execute("BEGIN IMMEDIATE")
            try:
                yield self.disk
                self.disk.execute("COMMIT")
            except BaseException:
                if self.disk.in_transaction:
                    self.disk.execute("ROLLBACK")
                raise
        except apsw.Error as wrong:
            raise StateError(f"{self.path}: cannot be written ({_error_name(wrong)})") from None

    def rows(self, query: str, values: tuple[Any, ...] = ()) -> list[dict[str, Any]]:
        """What a query finds, each row by the names of its columns."""
        try:
            cursor = self.disk.execute(query, values)
            return [dict(zip((name for name, _ in cursor.get_description()), row, strict=True)) for row in cursor]
        except apsw.Error as wrong:
            raise StateError(f"{self.path}: cannot be read ({_error_name(wrong)})") from None

    def value(self, query: str, values: tuple[Any, ...] = ()) -> Any:
        """The first column of the first row, or None."""
        rows = self.rows(query, values)
        return next(iter(rows[0].values())) if rows else None

    @property
    def home(self) -> str:
        """The random name of this home; it stays here and tells copies of a ledger from others."""
        return str(self.value("SELECT value FROM home WHERE name = 'home'"))

    def read_value(self, name: str) -> Any:
        return self.value("SELECT value FROM home WHERE name = ?", (name,))

    def write_value(self, name: str, value: Any) -> None:
        with self.transaction() as disk:
            disk.execute("INSERT OR REPLACE INTO home VALUES (?, ?)", (name, value))


def _open(path: Path) -> apsw.Connection:
    new = not path.exists()
    if new:  # nobody else on this machine may read it: it holds keys
        os.close(os.open(path, os.O_CREAT | os.O_WRONLY, 0o600))
    disk = apsw.Connection(str(path))
    disk.set_busy_timeout(BUSY_TIMEOUT)
    disk.pragma("journal_mode", "wal")
    disk.pragma("synchronous", "full")  # NORMAL forgets with the power what was paid and sent
    disk.pragma("fullfsync", "on")  # macOS: through the disk's own memory too
    version = disk.pragma("user_version")
    if version > FORMAT:
        raise StateError(f"{path}: a ledger of format {version}; this hushwatt reads {FORMAT}")
    if version < FORMAT:
        _migrate(disk)
    return disk


def _migrate(disk: apsw.Connection) -> None:
    disk.execute("BEGIN IMMEDIATE")
    version = disk.pragma("user_version")  # read again: another may have done it in the meantime
    if version == 0:
        disk.execute(SCHEMA)
        disk.execute("INSERT INTO home VALUES ('home', ?)", (secrets.token_hex(16),))
    for step in MIGRATIONS[max(version, 1) - 1 :]:
        disk.execute(step)
    disk.execute(f"PRAGMA user_version = {FORMAT}")
    disk.execute("COMMIT")


def _error_name(wrong: apsw.Error) -> str:
    return type(wrong).__name__.removesuffix("Error").lower() or "error"
