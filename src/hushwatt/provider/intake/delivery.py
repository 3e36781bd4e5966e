"""One file of reports on its way into the store: what it is, and its rows from anywhere on."""

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from hushwatt.errors import ReportError, UsageError
from hushwatt.plan.plan import Plan
from hushwatt.privacy.strategies import rules_of
from hushwatt.wire.payload import Layout

if TYPE_CHECKING:
    from hushwatt.wire.reports import ReportBatch
    from hushwatt.wire.reports.report_file import ReportFile

BATCH_ROWS = 1 << 17  # rows that go in by one transaction, at most
MAX_UNHEARD = 10  # homes that take part for each that is heard
SPARE_ROWS = 25  # that chance may withhold


@dataclass(frozen=True)
class Delivery:
    """A file whose columns and plan have been checked."""

    plan: Plan
    reports: "ReportFile"
    stamp: tuple[int, int, int]  # file, size and time of its last change, as they were at first

    @property
    def path(self) -> Path:
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

    def check_same(self) -> None:
        """Refuse a file that somebody writes to while it is read."""
        if file_stamp(self.path) != self.stamp:
            raise ReportError(f"{self.path}: it changed while it was read; try again when it is complete")


def open_deliveries(plan: Plan, paths: Iterable[Path]) -> list[Delivery]:
    """The files that paths mean, all checked before any of them is taken in."""
    from hushwatt.wire.reports import report_files

    files = [Delivery(plan, file, file_stamp(file.path)) for path in paths for file in report_files(plan, path)]
    if not files:
        raise UsageError("no file of reports was named")
    return files


def check_declared_homes(delivery: Delivery) -> None:
    """Refuse a file that declares many more homes than its rows can come from.

    A home has a row in every slot, or in one of `window` where homes take turns; a tenth of them must
    have been heard, give or take a few.
    """
    plan, declared, rows = delivery.plan, delivery.reports.homes, delivery.reports.rows
    turns = rules_of(plan).groups(plan.window)
    possible = MAX_UNHEARD * turns * (rows + SPARE_ROWS)
    if declared > possible:
        raise ReportError(
            f"{delivery.path}: it says that {declared:,} homes take part, but its {rows:,} rows come from "
            f"{possible:,} homes at most: give the true number with --homes"
        )


def file_stamp(path: Path) -> tuple[int, int, int]:
    status = path.stat()
    return status.st_ino, status.st_size, status.st_mtime_ns
