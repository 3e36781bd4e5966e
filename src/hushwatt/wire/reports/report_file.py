"""One Parquet file of reports: whose it is, and what is in it.

Everything that must not be in it is refused in one line, with the row or the row group.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from hushwatt.errors import ReportError
from hushwatt.plan.plan import Plan
from hushwatt.wire.payload import Layout
from hushwatt.wire.reports.columns import MAX_NAME, is_allowed_type
from hushwatt.wire.reports.parquet_bounds import DamagedColumn, PageSummary, UnsafeParquet, check_footer, check_pages
from hushwatt.wire.reports.rows import check_batch
from hushwatt.wire.reports.schema import HOMES, PLAN, REPORT_SCHEMA, ReportBatch
from hushwatt.wire.row_error import locate_row_errors
from hushwatt.wire.storage.location import Location, opener

BATCH_ROWS, BATCH_BYTES = 1 << 17, 1 << 26  # rows in a batch, and bytes that they may come to
TEXT_COLUMNS = {"household", "payload"}  # which a dictionary could make as long as it likes
MAX_HOMES = 2**31 - 1
FileOpener = Callable[[], Any]  # gives a path, or a file open for reading bytes
MIN_GROUP_ROWS = 1 << 18  # rows read on their own, about
BUFFER_BYTES = 1 << 20  # bytes read at a time


class ReportSource:
    """Reports whose plan and columns have been checked; rows are checked as they are read."""

    rows: int

    def __init__(self, plan: Plan, name: str, schema: pa.Schema) -> None:
        self.name = name
        self._slots, self._size = plan.calendar.slots, Layout.of(plan).size  # bytes of a payload, about
        self._check_columns(schema)
        self.kinds = tuple(str(schema.field(name).type) for name in REPORT_SCHEMA.names)
        self.homes = self._check_told(plan, schema.metadata or {})

    def row_groups(self) -> "list[RowGroups]":
        """What can be read beside each other."""
        raise NotImplementedError

    def columns(self, names: tuple[str, ...], groups: range | None = None) -> Iterator[pa.RecordBatch]:
        """These columns as they are, unchecked, of all row groups or of some."""
        raise NotImplementedError

    def batches(self, size: int) -> Iterator[ReportBatch]:
        """All reports, payloads of `size` bytes."""
        for group in self.row_groups():
            yield from group.batches(size)

    def refusal(self, row: int, problem: str) -> ReportError:
        """The error for a row, counted from 0."""
        return ReportError(f"{self.name}, row {row + 1}: {problem}")

    def check_batch(self, batch: pa.RecordBatch, first: int, size: int) -> ReportBatch:
        """The reports of a batch whose first row is row `first` of the file."""
        with locate_row_errors(lambda row, problem: self.refusal(first + row, problem)):
            return check_batch(batch, self._slots, size)

    def _check_columns(self, schema: pa.Schema) -> None:
        for name in REPORT_SCHEMA.names:
            found = schema.get_all_field_indices(name)
            if len(found) != 1:
                raise ReportError(f"{self.name}, column {name}: {'there twice' if found else 'not there'}")
            kind = schema.field(found[0]).type
            if not is_allowed_type(name, kind):
                raise ReportError(f"{self.name}, column {name}: {kind}, not {REPORT_SCHEMA.field(name).type}")
            if pa.types.is_fixed_size_binary(kind):
                self._size = max(self._size, kind.byte_width)

    def _check_told(self, plan: Plan, told: dict[bytes, bytes]) -> int:
        """The number of homes the file tells, when it tells of this plan."""
        found, homes = told.get(PLAN, b"").decode("ascii", "replace"), told.get(HOMES, b"")
        if not found:
            raise ReportError(f"{self.name}: it does not say whose plan it follows (no {PLAN.decode()} in it)")
        if found != plan.id:
            raise ReportError(f"{self.name}: reports of the plan {found[:12]}…, not of {plan.id[:12]}…")
        if not homes.isdigit():
            raise ReportError(f"{self.name}: it does not say how many homes take part (no {HOMES.decode()} in it)")
        if len(homes) > len(str(MAX_HOMES)) or int(homes) > MAX_HOMES:
            raise ReportError(f"{self.name}: {HOMES.decode()} is more than {MAX_HOMES:,}")
        return int(homes)


class ReportFile(ReportSource):
    """A Parquet file of reports."""

    def __init__(self, plan: Plan, path: Location, name: str | None = None, opened: FileOpener | None = None) -> None:
        """The file at `path`; one that lies elsewhere comes with its name and what opens it."""
        self.path = path
        name = name or str(path)
        self._opened: FileOpener = opened or opener(path)
        try:
            check_footer(self._opened)
            with pq.ParquetFile(self._opened()) as file:
                schema, self._footer = file.schema_arrow, file.metadata
        except UnsafeParquet as unfit:
            raise ReportError(f"{name}: {unfit}") from None
        except (OSError, ValueError, pa.ArrowException):  # ValueError: a note that is not UTF-8, among others
            raise ReportError(f"{name}: not a Parquet file, or not a complete one") from None
        self.rows = self._footer.num_rows
        super().__init__(plan, name, schema)

    def row_groups(self) -> "list[RowGroups]":
        """What can be read beside each other: row groups, small ones together with their neighbours."""
        found, start, first, rows = [], 0, 0, 0
        for group in range(self._footer.num_row_groups):
            rows += self._footer.row_group(group).num_rows
            if rows >= MIN_GROUP_ROWS or group == self._footer.num_row_groups - 1:
                found.append(RowGroups(self, range(start, group + 1), first, rows))
                start, first, rows = group + 1, first + rows, 0
        return [group for group in found if group.rows]

    def columns(self, names: tuple[str, ...], groups: range | None = None) -> Iterator[pa.RecordBatch]:
        """These columns as they are, unchecked, of all row groups or of some."""
        chosen = list(range(self._footer.num_row_groups) if groups is None else groups)
        try:
            with self._open() as file:
                for batch in file.iter_batches(self._together, chosen, columns=list(names), use_threads=False):
                    yield batch.select(names)
        except (OSError, pa.ArrowException):
            raise self._damage(chosen) from None

    @cached_property
    def _pages(self) -> PageSummary:
        try:
            return check_pages(self._opened, self._footer, REPORT_SCHEMA.names)
        except DamagedColumn as damaged:
            raise self._is_damaged(damaged.group, f"column {damaged.column} is") from None
        except UnsafeParquet as unfit:
            raise ReportError(f"{self.name}: {unfit}") from None

    @property
    def _together(self) -> int:
        """How many rows are read together, so that they take a bounded memory."""
        row = max(self._size + MAX_NAME, self._pages.largest)
        return max(1, min(BATCH_ROWS, BATCH_BYTES // row))

    def _open(self) -> pq.ParquetFile:
        return pq.ParquetFile(
            self._opened(),
            metadata=self._footer,
            read_dictionary=sorted(self._pages.coded & TEXT_COLUMNS),
            pre_buffer=False,
            buffer_size=BUFFER_BYTES,
            page_checksum_verification=True,
        )

    def _damage(self, groups: list[int]) -> ReportError:
        """The error for row groups of which one cannot be read: that one is named."""
        every = REPORT_SCHEMA.names
        for group in groups:
            for names in [*([name] for name in every), every]:
                try:
                    with self._open() as file:
                        for _ in file.iter_batches(self._together, [group], columns=names, use_threads=False):
                            pass
                except (OSError, pa.ArrowException):
                    what = f"column {names[0]} is" if len(names) == 1 else "its columns are"
                    return self._is_damaged(group, what)
        return ReportError(f"{self.name}: damaged, or changed while it was read")

    def _is_damaged(self, group: int, what: str) -> ReportError:
        where = f"row group {group + 1} of {self._footer.num_row_groups}"
        return ReportError(f"{self.name}, {where}: {what} damaged")


@dataclass(frozen=True)
class RowGroups:
    """Neighbouring row groups of a file."""

    file: ReportSource
    groups: range
    first: int  # the row of the file that is its first
    rows: int

    def batches(self, size: int) -> Iterator[ReportBatch]:
        """Its reports, payloads of `size` bytes."""
        first = self.first
        for batch in self.file.columns(tuple(REPORT_SCHEMA.names), self.groups):
            yield self.file.check_batch(batch, first, size)
            first += batch.num_rows
