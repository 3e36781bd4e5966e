"""What a database must do to keep reports.

Statements are plain SQL with `?` where a value goes, understood by both databases.
The few steps that handle thousands of rows at once are methods, as each database has
its own quick way.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from hushwatt.errors import HushwattError
from hushwatt.provider.tally.tally import TallyKey
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
class ReportGroup:
    """Reports of one slot that are counted together, a row each."""

    key: TallyKey
    spent: int
    homes: HomeNumbers  # ascending
    payloads: Rows


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


class StoredReportBatch(NamedTuple):
    """Reports of one slot in the store, a row each."""

    devices: Rows
    spent: HomeNumbers
    drawn: HomeNumbers
    payloads: list[bytes]  # empty ones where they were scrubbed


class Session(Protocol):
    """One transaction: what is read is of one moment, what is written is kept whole or not at all."""

    def all(self, statement: str, *values: Any) -> list[tuple[Any, ...]]:
        """The rows a statement gives."""

    def run(self, statement: str, *values: Any) -> int:
        """Carry a statement out; how many rows it changed."""

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

    def find_reports(self, plan: int, slot: int, homes: HomeNumbers) -> NDArray[np.bool_]:
        """Which of these homes, ascending, have a report in a slot."""

    def add_reports(self, plan: int, group: ReportGroup, delivery: int = 0) -> int:
        """Keep the reports of homes with none in the slot: the first write wins; how many."""

    def reports_of(self, plan: int, slot: int, homes: HomeNumbers) -> list[StoredReport]:
        """What is kept of these homes in a slot."""

    def slot_reports(self, plan: int, slot: int, rows: int) -> Iterator[StoredReportBatch]:
        """Everything that is kept of a slot, devices ascending, in batches of `rows` reports."""

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
        """Let the space of reports that were changed in a slot be used for others."""

    def drop_empty_partitions(self, plan: int) -> int:
        """Give the disk back what published slots without reports took; how many tables went."""

    def backup(self, path: Path) -> None:
        """Write a whole, checked copy to a new file while everything goes on."""

    def close(self) -> None: ...


def device_order(devices: Rows) -> HomeNumbers:
    """The indices of devices in their order: a table sorted by device is then gone through once."""
    order: HomeNumbers = np.lexsort(devices.T[::-1]).astype(np.int64)
    return order


def known_below(session: Session, plan: int, slot: int, homes: HomeNumbers) -> int:
    """How many of these homes, ascending, have numbers up to the highest that is kept in a slot.

    Homes mostly come in the same order in every slot, so that no other needs to be looked for.
    """
    ((highest,),) = session.all("SELECT max(home) FROM reports WHERE plan = ? AND slot = ?", plan, slot)
    return 0 if highest is None else int(np.searchsorted(homes, highest, side="right"))


def device_columns(count: int, matches: Iterable[tuple[int, ...]]) -> DeviceColumns:
    """Columns from rows of an index, its home, its signer and its cell; −1 where there is none."""
    columns = np.full((3, count), -1, dtype=np.int64)
    indices, *known = np.array(list(matches), dtype=np.int64).reshape(-1, 4).T
    columns[:, indices] = known
    return DeviceColumns(*columns)


def report_batches(rows: Iterable[tuple[Any, ...]], size: int) -> Iterator[StoredReportBatch]:
    """Rows of device, spent, drawn and payload, `size` at a time."""
    rest = iter(rows)
    while batch := list(islice(rest, size)):
        devices, spent, drawn, payloads = zip(*batch, strict=True)
        yield StoredReportBatch(
            device_rows(b"".join(devices)),
            np.array(spent, dtype=np.int64),
            np.array(drawn, dtype=np.int64),
            [bytes(payload) for payload in payloads],
        )


def rotation_columns(rows: Iterable[tuple[Any, ...]]) -> tuple[HomeNumbers, bytes]:
    """Rows of a home and some bytes as two columns."""
    pairs = list(rows)
    return np.array([home for home, _ in pairs], dtype=np.int64), b"".join([known for _, known in pairs])


def payload_rows(reports: Sequence[StoredReport]) -> Rows:
    """The payloads of some reports as a matrix, a row each."""
    payloads = b"".join(bytes(each.payload) for each in reports)
    return np.frombuffer(payloads, dtype=np.uint8).reshape(len(reports), -1)


def device_rows(devices: bytes) -> Rows:
    """Devices, one after the other, as a matrix, a row each."""
    return np.frombuffer(devices, dtype=np.uint8).reshape(-1, DEVICE_BYTES)


def first_row(session: Session, statement: str, *values: Any) -> tuple[Any, ...] | None:
    """The first row that a statement gives, if there is one."""
    return next(iter(session.all(statement, *values)), None)
