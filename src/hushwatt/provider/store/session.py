"""What a database must do to keep reports.

Statements are plain SQL with `?` where a value goes, understood by both databases.
The few steps that handle thousands of rows at once are methods, as each database has
its own quick way.
"""

from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from hushwatt.errors import HushwattError

Homes = NDArray[np.int64]
Rows = NDArray[np.uint8]


class StoreUnavailable(HushwattError):
    """The store cannot take anything now; nothing of what was asked has been kept."""


class Kept(NamedTuple):
    """One report in the store."""

    home: int
    spent: int
    drawn: int
    as_of: int
    payload: bytes


class Session(Protocol):
    """One transaction: what is read is of one moment, what is written is kept whole or not at all."""

    def all(self, statement: str, *values: Any) -> list[tuple[Any, ...]]:
        """The rows a statement gives."""
        ...

    def run(self, statement: str, *values: Any) -> int:
        """Carry a statement out; how many rows it changed."""
        ...

    def add_devices(self, plan: int, signer: int, first_home: int, devices: Rows) -> None:
        """Enrol devices as the homes `first_home`, `first_home` + 1, …"""
        ...

    def find_devices(self, plan: int, devices: Rows) -> tuple[Homes, Homes]:
        """The home and the signer of each device; −1 where it is not enrolled."""
        ...

    def find_reports(self, plan: int, slot: int, homes: Homes) -> NDArray[np.bool_]:
        """Which of these homes, ascending, have a report in a slot."""
        ...

    def add_reports(
        self, plan: int, slot: int, spent: int, drawn: int, as_of: int, homes: Homes, payloads: Rows
    ) -> int:
        """Keep the reports of homes, ascending, that have none in the slot; how many were kept."""
        ...

    def reports_of(self, plan: int, slot: int, homes: Homes) -> list[Kept]:
        """What is kept of these homes in a slot."""
        ...

    def add_draws(self, plan: int, slot: int, homes: Homes) -> None:
        """Remember that these homes drew anew in a slot."""
        ...

    def last_draws(self, plan: int, slot: int, homes: Homes) -> Homes:
        """The last slot up to this one in which each home drew anew; −1 where none is known."""
        ...


class Database(Protocol):
    """A store, open."""

    near: bool  # a look takes microseconds: no network between

    def writing(self) -> AbstractContextManager[Session]:
        """A transaction that has survived power loss once the block is left."""
        ...

    def reading(self) -> AbstractContextManager[Session]:
        """A transaction that only reads, and holds nobody up."""
        ...

    def forget(self) -> None:
        """Overwrite what was erased, as far as the database can."""
        ...

    def backup(self, path: Path) -> None:
        """Write a whole, checked copy to a new file while everything goes on."""
        ...

    def close(self) -> None: ...


def one(rows: list[tuple[Any, ...]]) -> tuple[Any, ...] | None:
    """The first row, if there is one."""
    return rows[0] if rows else None
