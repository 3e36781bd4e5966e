"""Every request that left this home for a provider, byte for byte but for a code to join, the latest of them.

It is taken down where the bytes are handed to the network, so what is shown is what went out: the request line,
the headers with nonce and signature, and the body.  The one secret that ever travels, a one-time code to join, is
overwritten with as many asterisks before anything is kept; keys never leave the home, and a signature tells nothing
about the key behind it.  It lies in a file beside the ledger that only the owner can
read.  It is for looking only: nothing is ever sent from it, and where it cannot be written the home
goes on; a damaged one is begun anew.
"""

import os
import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

import apsw

REQUESTS = "requests.sqlite"  # in the home's folder
MAX_REQUESTS = 1_000  # that are kept
MAX_TOTAL = 16 << 20  # bytes that are kept, in all
BUSY_TIMEOUT = 2_000  # milliseconds
CODE = re.compile(rb'("code"\s*:\s*")((?:[^"\\]|\\.)*)')  # in a body, whole or cut short
ENROLMENT = re.compile(rb"POST \S*/(devices|labels)(\?\S*)? ")  # the requests that may bring a code
MASK = b"*"
SCHEMA = (
    "CREATE TABLE IF NOT EXISTS requests (number INTEGER PRIMARY KEY AUTOINCREMENT, time INTEGER NOT NULL, "
    "address TEXT NOT NULL, sent BLOB NOT NULL, status INTEGER)"
)
TRIM = (
    "DELETE FROM requests WHERE number <= (SELECT max(number) FROM requests) - ? OR number < (SELECT min(number) FROM "
    "(SELECT number, sum(length(sent)) OVER (ORDER BY number DESC) AS total FROM requests) WHERE total <= ?)"
)


@dataclass(frozen=True)
class LoggedRequest:
    """One request as it went out."""

    address: str  # of the provider
    sent: bytes  # all of it, or as much as the network took
    status: int | None  # of the answer; None: there was none
    time: int = 0  # nanoseconds since 1970
    number: int = 0  # which one of this home's

    @property
    def masked(self) -> "LoggedRequest":
        """The same without the code in it, as long as it was."""
        head, between, body = self.sent.partition(b"\r\n\r\n")
        if not ENROLMENT.match(head):
            return self
        hidden = CODE.sub(lambda found: found[1] + MASK * len(found[2]), body)
        return replace(self, sent=head + between + hidden)

    @property
    def is_masked(self) -> bool:
        """Whether a code was in it that is not shown."""
        found = CODE.search(self.body) if ENROLMENT.match(self.head) else None
        return found is not None and set(found[2]) == set(MASK)

    @property
    def line(self) -> str:
        """The request line."""
        return self.sent.partition(b"\r\n")[0].decode("ascii", "replace")

    @property
    def head(self) -> bytes:
        """The request line and the headers."""
        return self.sent.partition(b"\r\n\r\n")[0]

    @property
    def body(self) -> bytes:
        return self.sent.partition(b"\r\n\r\n")[2]


@dataclass(frozen=True)
class RequestLog:
    """The file; each call opens it anew, so that any thread may look or write."""

    path: Path
    clock: Callable[[], int] = lambda: 0  # nanoseconds since 1970

    @classmethod
    def of(cls, folder: Path, clock: Callable[[], int] = lambda: 0) -> "RequestLog":
        """That of a home's folder; `clock` dates what is added."""
        return cls(folder / REQUESTS, clock)

    def add(self, request: LoggedRequest) -> None:
        """Take down a request; a disk that takes nothing changes nothing else."""
        try:
            disk = self._open()
            try:
                values = (self.clock(), request.address, request.masked.sent, request.status)
                with disk:
                    disk.execute("INSERT INTO requests (time, address, sent, status) VALUES (?, ?, ?, ?)", values)
                    disk.execute(TRIM, (MAX_REQUESTS, MAX_TOTAL))
            finally:
                disk.close()
        except (apsw.CorruptError, apsw.NotADBError):
            self._begin_anew()
        except (apsw.Error, OSError):
            return

    def latest(self, limit: int = MAX_REQUESTS) -> list[LoggedRequest]:
        """The latest first."""
        return self._rows("ORDER BY number DESC LIMIT ?", limit)

    def get(self, number: int) -> LoggedRequest | None:
        rows = self._rows("WHERE number = ?", number)
        return rows[0] if rows else None

    def _rows(self, which: str, value: int) -> list[LoggedRequest]:
        if not self.path.is_file():
            return []
        try:
            disk = self._open()
            try:
                query = f"SELECT address, sent, status, time, number FROM requests {which}"
                return [LoggedRequest(*row).masked for row in disk.execute(query, (value,))]
            finally:
                disk.close()
        except apsw.Error:
            return []

    def _begin_anew(self) -> None:
        for end in ("", "-wal", "-shm"):
            with suppress(OSError):
                self.path.with_name(self.path.name + end).unlink()

    def _open(self) -> apsw.Connection:
        if not self.path.exists():
            os.close(os.open(self.path, os.O_CREAT | os.O_WRONLY, 0o600))
        disk = apsw.Connection(str(self.path))
        try:
            disk.set_busy_timeout(BUSY_TIMEOUT)
            disk.pragma("journal_mode", "wal")
            disk.pragma("synchronous", "normal")  # with the power the last of it may go, and nothing else
            disk.execute(SCHEMA)
        except apsw.Error:
            disk.close()
            raise
        return disk
