"""What a database must do to keep reports.

Statements are plain SQL with `?` where a value goes, understood by both databases.
The few steps that handle thousands of rows at once are methods, as each database has
its own quick way.
"""

from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from hushwatt.errors import HushwattError
from hushwatt.wire.record import DEVICE_BYTES

HomeNumbers = NDArray[np.int64]
Rows = NDArray[np.uint8]


class StoreUnavailable(HushwattError):
    """The store cannot take anything now; nothing of what was asked has been kept."""

    def __init__(self, message: str, reason: str = "other") -> None:
        """`reason` is a word that metrics count by."""
        self.reason = reason
        super().__init__(message)


ALREADY_STORED = "what was new is in the store already: nothing of this was kept"


@dataclass(frozen=True)
class ReportRows:
    """Reports of one slot as columns, a row each."""

    homes: HomeNumbers
    spent: HomeNumbers
    drawn: HomeNumbers
    as_of: HomeNumbers
    payloads: Rows  # no columns where they were scrubbed

    def __len__(self) -> int:
        return len(self.homes)

    def taken(self, rows: NDArray[Any] | slice) -> "ReportRows":
        """Some of the rows."""
        return ReportRows(*(column[rows] for column in vars(self).values()))

    def scrubbed(self) -> "ReportRows":
        """The same without payloads."""
        return replace(self, payloads=self.payloads[:, :0])


class StoredReport(NamedTuple):
    """One report in the store."""

    home: int
    spent: int
    drawn: int
    as_of: int
    payload: bytes
    cell: int  # of its home


class DeviceColumns(NamedTuple):
    """What is known of some devices, a row each; −1 where one is not enrolled."""

    homes: HomeNumbers
    signers: HomeNumbers
    cells: HomeNumbers


class Session(Protocol):
    """One transaction: what is read is of one moment, what is written is kept whole or not at all."""

    def all(self, statement: str, *values: Any) -> list[tuple[Any, ...]]:
        """The rows a statement gives."""

    def run(self, statement: str, *values: Any) -> int:
        """Carry a statement out; how many rows it changed."""

    def run_each(self, statement: str, rows: Iterable[tuple[Any, ...]]) -> int:
        """Carry a statement out for each row of values; how many rows of the table that changed."""

    def add_devices(
        self, plan: int, signer: int, first_home: int, devices: Rows, cells: HomeNumbers, delivery: int = 0
    ) -> None:
        """Enrol devices as the homes `first_home`, `first_home` + 1, …; a delivery may have named them."""

    def find_devices(self, plan: int, devices: Rows) -> DeviceColumns:
        """The home, the signer and the cell of each device."""

    def set_turns(self, plan: int, homes: HomeNumbers, turns: HomeNumbers) -> None:
        """Keep the turn that each of these homes was offered."""

    def name_homes(self, plan: int, homes: HomeNumbers, delivery: int) -> int:
        """Note that a delivery has named these homes, which enrolled themselves; for how many that is new."""

    def home_cells(self, plan: int, homes: HomeNumbers) -> HomeNumbers:
        """The cell of each of these homes, which are enrolled."""

    def make_partition(self, table: str, plan: int, slot: int) -> None:
        """Make the part of a table for a slot, where tables have parts."""

    def find_reports(self, plan: int, slot: int, homes: HomeNumbers) -> NDArray[np.bool_]:
        """Which of these homes, ascending, have a row of their own in a slot."""

    def add_reports(self, plan: int, slot: int, reports: ReportRows, delivery: int = 0) -> int:
        """Keep a row for each report of homes with none in the slot: the first write wins; how many."""

    def reports_of(self, plan: int, slot: int, homes: HomeNumbers) -> list[StoredReport]:
        """The rows of these homes in a slot."""

    def add_draws(self, plan: int, slot: int, homes: HomeNumbers) -> None:
        """Remember that these homes drew anew in a slot."""

    def last_draws(self, plan: int, slot: int, homes: HomeNumbers) -> HomeNumbers:
        """The last slot up to this one in which each home drew anew; −1 where none is known."""

    def find_rotations(self, plan: int, homes: HomeNumbers) -> tuple[HomeNumbers, bytes]:
        """Of which of these homes it is known when and in which order they speak, and the bytes of each."""

    def put_rotations(self, plan: int, homes: HomeNumbers, known: Rows) -> None:
        """Keep what is known of homes, ascending, in place of what was."""


class Database(Protocol):
    """A store, open."""

    is_local: bool  # a look takes microseconds: no network between

    def writing(self) -> AbstractContextManager[Session]:
        """A transaction that has survived power loss once the block is left."""

    def reading(self) -> AbstractContextManager[Session]:
        """A transaction that only reads, and holds nobody up."""

    def size(self) -> int:
        """How many bytes the store takes."""

    def purge(self) -> None:
        """Overwrite what was erased, as far as the database can."""

    def vacuum_slot(self, plan: int, slot: int) -> None:
        """Let the space of what has left a slot's rows be used for others."""

    def drop_empty_partitions(self, plan: int) -> int:
        """Give the disk back what published slots took that have nothing left there; how many tables went.

        While others read them, none goes: the next time will do.
        """

    def backup(self, path: Path) -> None:
        """Write a whole, checked copy to a new file while everything goes on."""

    def close(self) -> None: ...


def device_order(devices: Rows) -> HomeNumbers:
    """The indices of devices in their order: a table sorted by device is then gone through once."""
    order: HomeNumbers = np.lexsort(devices.T[::-1]).astype(np.int64)
    return order


def places_among(ascending: HomeNumbers, homes: HomeNumbers) -> tuple[HomeNumbers, NDArray[np.bool_]]:
    """Where some homes are among others, and which of them are there at all.

    >>> places, there = places_among(np.array([3, 7, 9]), np.array([9, 4]))
    >>> places[there].tolist(), there.tolist()
    ([2], [True, False])
    """
    places = np.searchsorted(ascending, homes)
    there = places < len(ascending)
    there[there] = ascending[places[there]] == homes[there]
    return places, there


def device_columns(count: int, matches: Iterable[tuple[int, ...]]) -> DeviceColumns:
    """Columns from rows of an index, its home, its signer and its cell; −1 where there is none."""
    columns = np.full((3, count), -1, dtype=np.int64)
    indices, *known = np.array(list(matches), dtype=np.int64).reshape(-1, 4).T
    columns[:, indices] = known
    return DeviceColumns(*columns)


def rotation_columns(rows: Iterable[tuple[Any, ...]]) -> tuple[HomeNumbers, bytes]:
    """Rows of a home and some bytes as two columns."""
    pairs = list(rows)
    return np.array([home for home, _ in pairs], dtype=np.int64), b"".join([known for _, known in pairs])


def home_columns(homes: HomeNumbers, matches: Iterable[tuple[int, int]]) -> HomeNumbers:
    """A number for each home from rows of a home and its number; −1 where there is none."""
    known = dict(matches)
    return np.array([known.get(home, -1) for home in homes.tolist()], dtype=np.int64)


def report_rows(reports: Sequence[StoredReport]) -> ReportRows:
    """Some reports as columns."""
    numbers = np.array([each[:4] for each in reports], dtype=np.int64).reshape(-1, 4)
    width = min((len(each.payload) for each in reports), default=0)  # some may be scrubbed: then all are
    payloads = np.frombuffer(b"".join(bytes(each.payload[:width]) for each in reports), dtype=np.uint8)
    homes, spent, drawn, as_of = numbers.T
    return ReportRows(homes, spent, drawn, as_of, payloads.reshape(len(reports), width))


def joined_rows(parts: Iterable[ReportRows]) -> ReportRows:
    """Reports of several parts in one; without payloads where one has none."""
    filled = [part for part in parts if len(part)]
    if not filled:
        return report_rows([])
    width = min(part.payloads.shape[1] for part in filled)
    alike = filled if width else [part.scrubbed() for part in filled]
    return ReportRows(
        *(np.concatenate(columns) for columns in zip(*(vars(part).values() for part in alike), strict=True))
    )


def device_rows(devices: bytes) -> Rows:
    """Devices, one after the other, as a matrix, a row each."""
    return np.frombuffer(devices, dtype=np.uint8).reshape(-1, DEVICE_BYTES)


def first_row(session: Session, statement: str, *values: Any) -> tuple[Any, ...] | None:
    """The first row that a statement gives, if there is one."""
    return next(iter(session.all(statement, *values)), None)
