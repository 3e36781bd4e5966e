"""The store for production: PostgreSQL, reports partitioned by plan and slot.

Every writer of a plan takes turns, over all processes and machines: a transaction
holds the lock of the whole store until it has ended.
"""

import logging
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np
import psycopg
from numpy.typing import NDArray
from psycopg_pool import ConnectionPool, PoolTimeout

from hushwatt.errors import StateError, UsageError
from hushwatt.provider.store.postgres_bytes import BigintArray, BigintArrayDumper, Columns, copy_bytes
from hushwatt.provider.store.postgres_partitions import (
    PARTITIONED,
    drop_empty_partitions,
    make_partition,
    old_partition_of,
    partition_of,
)
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
    "whole": "BIGINT",
    "bytes": "BYTEA",
    "serial": "BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY",
    "compact": "",
    "by_slot": " PARTITION BY RANGE (plan, slot)",
    "segments_by_slot": " PARTITION BY RANGE (plan, slot)",
    "only_postgres": "",
    "has_table": "SELECT count(*) FROM pg_class WHERE relname = ? AND pg_table_is_visible(oid)",
}
WRITER_LOCK = 0x68757368  # "hush": whoever writes holds it
CONNECT_SECONDS = 10.0  # seconds to wait for a connection
DROP_MILLISECONDS = 2_000  # milliseconds to wait for those who read a table that is to go
COPY_ROWS = 1_000  # draws that are copied rather than inserted


class PostgresSession:
    """A transaction of one connection."""

    def __init__(self, connection: psycopg.Connection[tuple[Any, ...]], partitions: set[str]) -> None:
        self._connection, self._partitions = connection, partitions
        self.made: set[str] = set()  # partitions, known to others once the transaction has ended

    def all(self, statement: str, *values: Any) -> list[tuple[Any, ...]]:
        return self._connection.execute(_with_placeholders(statement), values, binary=True).fetchall()

    def run(self, statement: str, *values: Any) -> int:
        return self._connection.execute(_with_placeholders(statement), values or None).rowcount

    def run_each(self, statement: str, rows: Iterable[tuple[Any, ...]]) -> int:
        with self._connection.cursor() as cursor:
            cursor.executemany(_with_placeholders(statement), rows)
            return max(cursor.rowcount, 0)  # −1: there was no row

    def add_devices(
        self, plan: int, signer: int, first_home: int, devices: Rows, cells: HomeNumbers, delivery: int = 0
    ) -> None:
        homes = np.arange(first_home, first_home + len(devices))
        order = device_order(devices)
        columns: Columns = {"device": devices[order], "plan": plan, "home": homes[order], "signer": signer}
        columns["delivery"] = np.full(len(devices), delivery, dtype=np.int32)
        columns["cell"] = cells[order].astype(np.int32)
        self._copy("devices", len(devices), columns)

    def name_homes(self, plan: int, homes: HomeNumbers, delivery: int) -> int:
        return self._connection.execute(
            "UPDATE devices SET filed = 1, delivery = %s "
            "WHERE plan = %s AND home = ANY(%s) AND filed = 0 AND signer <> 0",
            (delivery, plan, BigintArray(homes)),
        ).rowcount

    def find_devices(self, plan: int, devices: Rows) -> DeviceColumns:
        matches = self._connection.execute(
            "SELECT item, home, signer, cell FROM "
            "(SELECT item, substring(%s FROM item * 16 + 1 FOR 16) FROM generate_series(0, %s) AS item) "
            "AS asked (item, device) JOIN devices USING (device) WHERE plan = %s",
            (devices.tobytes(), len(devices) - 1, plan),
            binary=True,
        )
        return device_columns(len(devices), matches)

    def set_turns(self, plan: int, homes: HomeNumbers, turns: HomeNumbers) -> None:
        self._connection.execute(
            "UPDATE devices SET turn = new.turn FROM unnest(%s::bigint[], %s::bigint[]) AS new (home, turn) "
            "WHERE devices.plan = %s AND devices.home = new.home",
            (BigintArray(homes), BigintArray(turns), plan),
        )

    def home_cells(self, plan: int, homes: HomeNumbers) -> HomeNumbers:
        cells = self._connection.execute(
            "SELECT home, cell FROM devices WHERE plan = %s AND home = ANY(%s)", (plan, BigintArray(homes)), binary=True
        )
        return home_columns(homes, cells)

    def make_partition(self, table: str, plan: int, slot: int) -> None:
        if partition_of(table, plan, slot).name not in self._partitions | self.made:
            self.made.add(make_partition(self, table, plan, slot))

    def find_reports(self, plan: int, slot: int, homes: HomeNumbers) -> NDArray[np.bool_]:
        reported = self._numbers(
            "SELECT string_agg(int8send(home), '') FROM reports WHERE plan = %s AND slot = %s AND home = ANY(%s)",
            (plan, slot, BigintArray(homes)),
        )
        return np.isin(homes, reported)

    def add_reports(self, plan: int, slot: int, reports: ReportRows, delivery: int = 0) -> int:
        columns = (BigintArray(each) for each in (reports.homes, reports.spent, reports.drawn, reports.as_of))
        return self._connection.execute(
            "INSERT INTO reports (plan, slot, delivery, home, spent, drawn, as_of, payload) SELECT %s, %s, %s, new.* "
            "FROM unnest(%s::bigint[], %s::bigint[], %s::bigint[], %s::bigint[], %s::bytea[]) AS new "
            "ON CONFLICT DO NOTHING",
            (plan, slot, delivery, *columns, [row.tobytes() for row in reports.payloads]),
            binary=True,
        ).rowcount

    def reports_of(self, plan: int, slot: int, homes: HomeNumbers) -> list[StoredReport]:
        rows = self._connection.execute(
            "SELECT home, spent, drawn, as_of, payload, cell FROM reports JOIN devices USING (plan, home) "
            "WHERE plan = %s AND slot = %s AND home = ANY(%s)",
            (plan, slot, BigintArray(homes)),
        )
        return [StoredReport(*row) for row in rows]

    def add_draws(self, plan: int, slot: int, homes: HomeNumbers) -> None:
        if len(homes) >= COPY_ROWS:
            self._copy("draws", len(homes), {"plan": plan, "home": homes, "slot": slot})
            return
        self._connection.execute(
            "INSERT INTO draws (plan, home, slot) SELECT %s, home, %s FROM unnest(%s::bigint[]) AS new (home)"
            " ON CONFLICT DO NOTHING",
            (plan, slot, BigintArray(homes)),
        )

    def last_draws(self, plan: int, slot: int, homes: HomeNumbers) -> HomeNumbers:
        return self._numbers(
            "SELECT string_agg(int8send(coalesce((SELECT max(slot) FROM draws d WHERE d.plan = %s "
            "AND d.home = asked.home AND d.slot <= %s), -1)), '' ORDER BY item) "
            "FROM unnest(%s) WITH ORDINALITY AS asked (home, item)",
            (plan, slot, BigintArray(homes)),
        )

    def find_rotations(self, plan: int, homes: HomeNumbers) -> tuple[HomeNumbers, bytes]:
        rows = self._connection.execute(
            "SELECT home, known FROM rotations WHERE plan = %s AND home = ANY(%s)",
            (plan, BigintArray(homes)),
            binary=True,
        )
        return rotation_columns(rows)

    def put_rotations(self, plan: int, homes: HomeNumbers, known: Rows) -> None:
        self._connection.execute(
            "INSERT INTO rotations (plan, home, known) "
            "SELECT %s, home, known FROM unnest(%s::bigint[], %s::bytea[]) AS new (home, known) "
            "ON CONFLICT (plan, home) DO UPDATE SET known = excluded.known",
            (plan, BigintArray(homes), [row.tobytes() for row in known]),
            binary=True,
        )

    def _numbers(self, statement: str, values: tuple[Any, ...]) -> HomeNumbers:
        """Many numbers that come as one value, each in eight bytes."""
        ((numbers,),) = self._connection.execute(statement, values, binary=True).fetchall()
        return np.frombuffer(numbers or b"", dtype=">i8").astype(np.int64)

    def _copy(self, table: str, count: int, columns: Columns) -> int:
        """Add many rows at once, none of which may be there; a number stands for all rows."""
        with (
            self._connection.cursor() as cursor,
            cursor.copy(f"COPY {table} ({', '.join(columns)}) FROM STDIN (FORMAT BINARY)") as copy,
        ):
            copy.write(copy_bytes(count, columns))
        return count


class Postgres:
    """A database that many services may share."""

    is_local = False

    def __init__(self, address: str, connections: int = 8, by_hand: bool = False) -> None:
        self._partitions: set[str] = set()
        logging.getLogger("psycopg").addHandler(logging.NullHandler())  # it would name the server
        logging.getLogger("psycopg").propagate = False
        try:
            psycopg.connect(address, connect_timeout=int(CONNECT_SECONDS)).close()  # a pool tries on and on
            self._pool = ConnectionPool(
                address,
                min_size=1,
                max_size=connections,
                timeout=CONNECT_SECONDS,
                reconnect_timeout=CONNECT_SECONDS,  # its pauses double: a longer one outlasts the outage
                open=False,
                check=ConnectionPool.check_connection,
                configure=_register_dumpers,
            )
            self._pool.open(wait=True, timeout=CONNECT_SECONDS)
            with self.writing() as session:
                migrate(session, COLUMN_TYPES, by_hand)
        except StateError:
            self._pool.close()
            raise
        except (PoolTimeout, StoreUnavailable, psycopg.Error):
            raise UsageError(
                "cannot reach the PostgreSQL store; check the address, the user and the password"
            ) from None

    @contextmanager
    def writing(self) -> Iterator[PostgresSession]:
        with self._clear_errors(), self._pool.connection() as connection:
            with connection.transaction():
                connection.execute("SET LOCAL synchronous_commit = on")
                connection.execute("SELECT pg_advisory_xact_lock(%s)", (WRITER_LOCK,))
                session = PostgresSession(connection, self._partitions)
                yield session
            self._partitions |= session.made

    @contextmanager
    def reading(self) -> Iterator[PostgresSession]:
        with self._clear_errors(), self._pool.connection() as connection, connection.transaction():
            connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
            yield PostgresSession(connection, self._partitions)

    def size(self) -> int:
        with self.reading() as session:
            return int(session.all("SELECT pg_database_size(current_database())")[0][0])

    def purge(self) -> None:
        """Let the database reuse the space of erased rows at once."""
        self._vacuum(*PARTITIONED, "devices", "draws", "rotations", "signers")

    def vacuum_slot(self, plan: int, slot: int) -> None:
        """What left a slot's rows has left gaps: the next reports shall go there."""
        self._vacuum(partition_of("reports", plan, slot).name, old_partition_of(plan, slot))

    def _vacuum(self, *tables: str) -> None:
        """Vacuum those of some tables that are there: another service may drop one meanwhile."""
        with self._clear_errors(), self._pool.connection() as connection:
            connection.commit()
            connection.autocommit = True
            try:
                for table in tables:
                    with suppress(psycopg.errors.UndefinedTable):
                        connection.execute(f"VACUUM {table}")
            finally:
                connection.autocommit = False

    def drop_empty_partitions(self, plan: int) -> int:
        try:
            with self.writing() as session:
                session.run(f"SET LOCAL lock_timeout = {DROP_MILLISECONDS}")  # whoever comes after waits behind this
                return drop_empty_partitions(session, plan)
        except StoreUnavailable as busy:
            if busy.reason != "held":
                raise
            return 0  # they go the next time

    def backup(self, path: Path) -> None:
        raise UsageError("a PostgreSQL store is backed up by PostgreSQL's own pg_dump or base backups")

    def close(self) -> None:
        self._pool.close()

    @contextmanager
    def _clear_errors(self) -> Iterator[None]:
        try:
            yield
        except psycopg.errors.UniqueViolation:
            raise StateError(ALREADY_STORED) from None
        except psycopg.errors.DiskFull:
            raise StoreUnavailable("the database's disk is full", "full") from None
        except psycopg.errors.LockNotAvailable:
            raise StoreUnavailable("others hold what is to be changed", "held") from None
        except (psycopg.OperationalError, psycopg.InterfaceError, PoolTimeout):
            raise StoreUnavailable("the database cannot be reached, or cannot write", "unreachable") from None


def _register_dumpers(connection: psycopg.Connection[Any]) -> None:
    connection.adapters.register_dumper(BigintArray, BigintArrayDumper)


def _with_placeholders(statement: str) -> str:
    return statement.replace("?", "%s")
