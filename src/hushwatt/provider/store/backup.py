"""Backups of the embedded store: written while everything goes on, checked, and put back."""

from pathlib import Path

import apsw

from hushwatt.errors import StateError, UsageError
from hushwatt.files import atomic_write


def write_backup(source: apsw.Connection, path: Path) -> None:
    """Write a whole, checked copy of an open store to a new file."""
    with atomic_write(path) as temporary:
        copy = apsw.Connection(str(temporary))
        try:
            with copy.backup("main", source, "main") as work:
                while not work.done:
                    work.step(4096)
            copy.pragma("journal_mode", "delete")
            check_integrity(copy, path)
        finally:
            copy.close()


def check_integrity(connection: apsw.Connection, path: Path) -> None:
    """Refuse a file that is damaged."""
    if connection.pragma("integrity_check") != "ok":
        raise StateError(f"{path}: damaged, SQLite's integrity check says no")


def restore(backup: Path, path: Path) -> None:
    """Put a backup where a store should be; refuses to replace one, and to take what is none."""
    if path.exists():
        raise UsageError(f"{path} is already there; move it away first, or choose another folder")
    if not backup.is_file():
        raise UsageError(f"{backup}: there is no such file")
    with atomic_write(path) as temporary:
        temporary.write_bytes(backup.read_bytes())
        try:
            copy = apsw.Connection(str(temporary), flags=apsw.SQLITE_OPEN_READONLY)
            check_integrity(copy, backup)
            known = list(copy.execute("SELECT count(*) FROM sqlite_schema WHERE name = 'hushwatt'"))
            copy.close()
        except apsw.Error:
            known = []
        if known != [(1,)]:
            raise StateError(f"{backup} is not a backup of hushwatt")
    path.chmod(0o600)
