"""One file of reports on its way into the store: what it is, and its rows from anywhere on."""

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from os import PathLike
from typing import TYPE_CHECKING

from hushwatt.errors import ReportError, UsageError
from hushwatt.parallel import map_ordered
from hushwatt.plan.plan import Plan
from hushwatt.provider.checks.declared_homes import INGEST, check_declared_homes
from hushwatt.wire.payload import Layout
from hushwatt.wire.storage import Location, location

if TYPE_CHECKING:
    from hushwatt.wire.reports import ReportBatch
    from hushwatt.wire.reports.refused_files import RefusedFile
    from hushwatt.wire.reports.report_file import ReportFile

BATCH_ROWS = 1 << 17  # rows that go in by one transaction, at most


class RefusedDelivery(ReportError):
    """A file of which nothing counts."""


@dataclass(frozen=True)
class Delivery:
    """A file whose columns and plan have been checked."""

    plan: Plan
    reports: "ReportFile"
    stamp: tuple[int, int, int]  # file, size and time of its last change, as they were at first

    @property
    def path(self) -> Location:
        return self.reports.path

    @cached_property
    def content(self) -> bytes:
        """What tells this file from all others: the SHA-256 of its bytes, not its name."""
        with self.path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").digest()
        self.check_same()
        return digest

    def batches(self, first: int) -> Iterator[tuple[int, "ReportBatch"]]:
        """The rows from number `first` on, each batch with the number of its first row."""
        for piece in self.reports.row_groups():
            row = piece.first
            if row + piece.rows <= first:
                continue
            for batch in piece.batches(Layout.of(self.plan).size):
                for start in range(max(first - row, 0), len(batch), BATCH_ROWS):
                    yield row + start, batch.taken(slice(start, start + BATCH_ROWS))
                row += len(batch)

    def check_rows(self) -> None:
        """Refuse a file of which a row cannot be read."""
        size = Layout.of(self.plan).size
        try:
            for _ in map_ordered(lambda piece: sum(map(len, piece.batches(size))), self.reports.row_groups()):
                pass
        except ReportError as wrong:
            self.check_same()
            raise RefusedDelivery(str(wrong)) from None

    def check_homes(self) -> None:
        """Refuse a file that declares many more homes than its rows can come from."""
        try:
            check_declared_homes(self.plan, self.reports.homes, self.reports.rows, INGEST)
        except ReportError as error:
            raise RefusedDelivery(f"{self.path}: {error}") from None

    def check_same(self) -> None:
        """Refuse a file that somebody writes to while it is read."""
        if file_stamp(self.path) != self.stamp:
            raise ReportError(f"{self.path}: it changed while it was read; try again when it is complete")


def open_deliveries(
    plan: Plan, paths: Iterable[str | PathLike[str] | Location], refused: "list[RefusedFile] | None" = None
) -> list[Delivery]:
    """The files that paths mean, all checked before any of them is taken in.

    Those that are no files of reports go to `refused`, when there is such a list.
    """
    from hushwatt.wire.reports.reader import report_paths
    from hushwatt.wire.reports.refused_files import without_refused
    from hushwatt.wire.reports.report_file import ReportFile

    named = [file for path in paths for file in report_paths(location(path))]
    found = without_refused(named, lambda file: ReportFile(plan, file), refused)
    files = [Delivery(plan, file, file_stamp(file.path)) for file in found]
    if not files:
        raise UsageError("no file of reports was named")
    return files


def file_stamp(path: Location) -> tuple[int, int, int]:
    status = path.stat()
    return status.st_ino, status.st_size, status.st_mtime_ns
