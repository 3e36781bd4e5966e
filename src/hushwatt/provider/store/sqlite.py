"""The embedded store: one SQLite file, which survives power loss after every commit."""

import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import apsw
import numpy as np
from numpy.typing import NDArray

from hushwatt.durable import rewrite_wal
from hushwatt.errors import StateError, UsageError
from hushwatt.provider.store.backup import write_backup
from hushwatt.provider.store.schema import migrate
from hushwatt.provider.store.session import (
    ALREADY_STORED,
    DeviceColumns,
    HomeNumbers,
    ReportRows,
    Rows,
    StoredReport,
    StoreUnavailable,
    device_columns,
    device_order,
    home_columns,
    rotation_columns,
)

COLUMN_TYPES = {
    "whole": "INTEGER",
    "bytes": "BLOB",
    "serial": "INTEGER PRIMARY KEY AUTOINCREMENT",
    "compact": " WITHOUT ROWID",
    "by_slot": " WITHOUT ROWID",
    "segments_by_slot": "",
    "only_postgres": "-- ",
    "has_table": "SELECT count(*) FROM sqlite_master WHERE name = ?",
}
CACHE_KIB = 16_384  # KiB that the writer may hold in memory
CHECKPOINT_PAGES = 4_096  # pages after which the log is emptied into the file
BUSY_SECONDS = 10.0  # seconds to wait for another program that writes
PURGE_MILLISECONDS = 200  # milliseconds to wait for readers of what was erased
BUSY_RETRY_SECONDS = 0.002  # seconds; the other pauses for longer than this, so that its turn ends
FSYNC_ERRORS = (apsw.SQLITE_IOERR_FSYNC, apsw.SQLITE_IOERR_DIR_FSYNC)  # what the disk holds now is not known
DIGITS = 6  # of a number among many
NO_HOMES = np.array([-1], dtype=np.int64)


class SqliteSession:
    """A transaction of one connection.

    CROSS JOIN keeps SQLite from turning a join round: what was asked for is looked up in the table,
    never the table in what was asked for.
    """

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection

    def all(self, statement: str, *values: Any) -> list[tuple[Any, ...]]:
        return list(self._connection.execute(statement, values))

    def run(self, statement: str, *values: Any) -> int:
        self._connection.execute(statement, values)
        return self._connection.changes()

    def run_each(self, statement: str, rows: Iterable[tuple[Any, ...]]) -> int:
        before = self._connection.total_changes()
        self._connection.executemany(statement, rows)
        return self._connection.total_changes() - before

    def add_devices(
        self, plan: int, signer: int, first_home: int, devices: Rows, cells: HomeNumbers, delivery: int = 0
    ) -> None:
        self._connection.execute(
            "INSERT INTO devices (device, plan, home, signer, delivery, cell) "
            "SELECT substr(?2, value * 16 + 1, 16), ?3, ?4 + value, ?5, ?6, "
            f"CAST(substr(?7, value * {DIGITS} + 1, {DIGITS}) AS INTEGER) FROM carray(?1)",
            (apsw.carray(device_order(devices)), devices.tobytes(), plan, first_home, signer, delivery, _digits(cells)),
        )

    def find_devices(self, plan: int, devices: Rows) -> DeviceColumns:
        if not len(devices):
            return device_columns(0, [])
        matches = self._connection.execute(
            "SELECT value, home, signer, cell FROM carray(?1) CROSS JOIN devices "
            "ON device = substr(?2, value * 16 + 1, 16) WHERE plan = ?3",
            (apsw.carray(device_order(devices)), devices.tobytes(), plan),
        )
        return device_columns(len(devices), matches)

    def set_turns(self, plan: int, homes: HomeNumbers, turns: HomeNumbers) -> None:
        self.run_each(
            "UPDATE devices SET turn = ?3 WHERE device = (SELECT device FROM devices WHERE plan = ?1 AND home = ?2)",
            [(plan, home, turn) for home, turn in zip(homes.tolist(), turns.tolist(), strict=True)],
        )

    def name_homes(self, plan: int, homes: HomeNumbers, delivery: int) -> int:
        self._connection.execute(
            "UPDATE devices SET filed = 1, delivery = ?3 WHERE filed = 0 AND signer <> 0 AND device IN "
            "(SELECT d.device FROM carray(?1) c CROSS JOIN devices d ON d.plan = ?2 AND d.home = c.value)",
            (_array(homes), plan, delivery),
        )
        return self._connection.changes()

    def home_cells(self, plan: int, homes: HomeNumbers) -> HomeNumbers:
        cells = self._connection.execute(
            "SELECT home, cell FROM carray(?1) CROSS JOIN devices ON plan = ?2 AND home = value", (_array(homes), plan)
        )
        return home_columns(homes, cells)

    def make_partition(self, table: str, plan: int, slot: int) -> None:
        """A table has no parts."""

    def find_reports(self, plan: int, slot: int, homes: HomeNumbers) -> NDArray[np.bool_]:
        reported = np.zeros(len(homes), dtype=bool)
        rows = self._connection.execute(
            "SELECT c.rowid - 1 FROM carray(?1) c CROSS JOIN reports r "
            "ON r.plan = ?2 AND r.slot = ?3 AND r.home = c.value",
            (_array(homes), plan, slot),
        )
        reported[[index for (index,) in rows]] = True
        return reported

    def add_reports(self, plan: int, slot: int, reports: ReportRows, delivery: int = 0) -> int:
        columns = (each.tolist() for each in (reports.homes, reports.spent, reports.drawn, reports.as_of))
        payloads = map(np.ndarray.tobytes, reports.payloads)
        return self.run_each(
            "INSERT INTO reports (plan, slot, home, spent, drawn, as_of, payload, delivery) "
            f"VALUES ({plan:d}, {slot:d}, ?, ?, ?, ?, ?, {delivery:d}) ON CONFLICT DO NOTHING",
            zip(*columns, payloads, strict=True),
        )

    def reports_of(self, plan: int, slot: int, homes: HomeNumbers) -> list[StoredReport]:
        rows = self._connection.execute(
            "SELECT r.home, r.spent, r.drawn, r.as_of, r.payload, d.cell FROM carray(?1) c CROSS JOIN reports r "
            "ON r.plan = ?2 AND r.slot = ?3 AND r.home = c.value "
            "CROSS JOIN devices d ON d.plan = r.plan AND d.home = r.home",
            (_array(homes), plan, slot),
        )
        return [StoredReport(*row) for row in rows]

    def add_draws(self, plan: int, slot: int, homes: HomeNumbers) -> None:
        if not len(homes):
            return
        self._connection.execute(
            "INSERT INTO draws (plan, home, slot) SELECT ?1, value, ?2 FROM carray(?3) "
            "WHERE true ON CONFLICT DO NOTHING",
            (plan, slot, _array(homes)),
        )

    def last_draws(self, plan: int, slot: int, homes: HomeNumbers) -> HomeNumbers:
        rows = self._connection.execute(
            "SELECT coalesce((SELECT max(slot) FROM draws WHERE plan = ?1 AND home = c.value AND slot <= ?2)"
            ", -1) FROM carray(?3) c ORDER BY c.rowid",
            (plan, slot, _array(homes)),
        )
        return np.array([slot for (slot,) in rows], dtype=np.int64)[: len(homes)]

    def find_rotations(self, plan: int, homes: HomeNumbers) -> tuple[HomeNumbers, bytes]:
        rows = self._connection.execute(
            "SELECT r.home, r.known FROM carray(?1) c CROSS JOIN rotations r ON r.plan = ?2 AND r.home = c.value",
            (_array(homes), plan),
        )
        return rotation_columns(rows)

    def put_rotations(self, plan: int, homes: HomeNumbers, known: Rows) -> None:
        self._connection.execute(
            "INSERT INTO rotations (plan, home, known) "
            "SELECT ?1, value, substr(?2, (rowid - 1) * ?3 + 1, ?3) FROM carray(?4) "
            "WHERE true ON CONFLICT (plan, home) DO UPDATE SET known = excluded.known",
            (plan, known.tobytes(), known.shape[1], _array(homes)),
        )


class Sqlite:
    """A file that one service writes and any number of threads read.

    `vfs` names the SQLite file layer to go through; rehearsals of broken disks give their own.
    """

    is_local = True

    def __init__(self, path: str | Path, vfs: str | None = None, by_hand: bool = False) -> None:
        self._path, self._vfs = Path(path), vfs
        self._fsync_failed = False  # a sync failed: nothing may be acknowledged until the next start
        self._lock = threading.Lock()
        self._readers = threading.local()
        self._opened: list[apsw.Connection] = []
        if not self._path.parent.is_dir():
            raise UsageError(f"cannot keep reports in {path}: there is no folder {self._path.parent}")
        self._writer = self._connect()
        self._writer.pragma("cache_size", -CACHE_KIB)
        with self.writing() as session:
            rewrite_wal(self._writer)  # the last life may have ended because a sync failed
            migrate(session, COLUMN_TYPES, by_hand)

    @contextmanager
    def writing(self) -> Iterator[SqliteSession]:
        with self._lock, self._clear_errors():
            self._writer.execute("BEGIN IMMEDIATE")
            try:
                yield SqliteSession(self._writer)
                self._writer.execute("COMMIT")
            except BaseException:
                with suppress(apsw.Error):
                    if self._writer.in_transaction:
                        self._writer.execute("ROLLBACK")
                raise

    @contextmanager
    def reading(self) -> Iterator[SqliteSession]:
        connection = getattr(self._readers, "connection", None)
        if connection is None:
            connection = self._readers.connection = self._connect()
        with self._clear_errors():
            connection.execute("BEGIN")
            try:
                yield SqliteSession(connection)
            finally:
                with suppress(apsw.Error):
                    connection.execute("COMMIT")

    def size(self) -> int:
        files = (self._path, self._path.with_name(f"{self._path.name}-wal"))
        return sum(file.stat().st_size for file in files if file.exists())

    def purge(self) -> None:
        """Empty the log of changes into the file; freed space was overwritten with zeros.

        Whoever still reads what was before holds this up, and it holds up all who write, so it
        gives up soon.
        """
        with self._lock, self._clear_errors():
            self._writer.set_busy_timeout(PURGE_MILLISECONDS)  # in the place of the handler
            try:
                self._writer.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
            finally:
                self._writer.set_busy_handler(_wait_while_busy)

    def vacuum_slot(self, plan: int, slot: int) -> None:
        """SQLite changes a report in its place."""

    def drop_empty_partitions(self, plan: int) -> int:
        """There is one table, whose space is used again."""
        return 0

    def backup(self, path: Path) -> None:
        write_backup(self._reader(), path)

    def close(self) -> None:
        with self._lock:
            for connection in self._opened:
                with suppress(apsw.Error):
                    connection.close()

    def _reader(self) -> apsw.Connection:
        with self.reading():
            connection: apsw.Connection = self._readers.connection
        return connection

    def _connect(self) -> apsw.Connection:
        try:
            connection = apsw.Connection(str(self._path), vfs=self._vfs)
            connection.set_busy_handler(_wait_while_busy)
            connection.pragma("journal_mode", "wal")
            connection.pragma("synchronous", "full")  # NORMAL loses acknowledged reports with the power
            connection.pragma("fullfsync", "on")  # macOS: through the disk's own memory too
            connection.pragma("secure_delete", "on")
            connection.pragma("wal_autocheckpoint", CHECKPOINT_PAGES)
        except apsw.NotADBError:
            raise StateError(f"{self._path} is not a store of hushwatt") from None
        except apsw.CantOpenError:
            raise UsageError(f"cannot open {self._path}") from None
        self._path.chmod(0o600)
        self._opened.append(connection)
        return connection

    @contextmanager
    def _clear_errors(self) -> Iterator[None]:
        """Turn what a disk does to a database into a clear word."""
        if self._fsync_failed:
            raise StoreUnavailable("the disk did not confirm a write: check it, then start again", "unconfirmed")
        try:
            yield
        except apsw.FullError:
            raise StoreUnavailable("the disk is full", "full") from None
        except apsw.ConstraintError:
            raise StateError(ALREADY_STORED) from None
        except apsw.BusyError:
            raise StoreUnavailable("another program holds the store", "held") from None
        except (apsw.IOError, apsw.CantOpenError, apsw.ReadOnlyError) as failure:
            self._fsync_failed = getattr(failure, "extendedresult", 0) in FSYNC_ERRORS
            raise StoreUnavailable("the disk refuses to read or write", "broken") from None


def _wait_while_busy(tries: int) -> bool:
    """Wait a moment while another program writes; whether to ask once more."""
    time.sleep(BUSY_RETRY_SECONDS)
    return tries * BUSY_RETRY_SECONDS < BUSY_SECONDS


def _array(homes: HomeNumbers) -> Any:
    """Many numbers as one value of a statement; SQLite takes no empty one, so none is a home of nobody."""
    return apsw.carray(np.ascontiguousarray(homes) if len(homes) else NO_HOMES)


def _digits(numbers: HomeNumbers) -> bytes:
    """Many small numbers as one value of a statement, each in so many digits: SQLite joins no two arrays.

    As bytes: in a text SQLite counts all characters before a place, for each number anew.
    """
    powers = 10 ** np.arange(DIGITS - 1, -1, -1)
    digits: NDArray[np.uint8] = (numbers[:, None] // powers % 10 + ord("0")).astype(np.uint8)
    return digits.tobytes()
