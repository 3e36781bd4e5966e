"""A table of reports in memory, held to what a file of them is held to."""

from collections.abc import Iterator

import pyarrow as pa

from hushwatt.plan.plan import Plan
from hushwatt.wire.arrow_tables import batches_of, decode_dictionaries
from hushwatt.wire.reports.report_file import BATCH_ROWS, MIN_GROUP_ROWS, ReportSource, RowGroups
from hushwatt.wire.reports.schema import REPORT_SCHEMA


class ReportTable(ReportSource):
    """A pyarrow table of reports; a row group is so many neighbouring rows of it."""

    def __init__(self, plan: Plan, table: pa.Table, name: str = "reports") -> None:
        self._table, self.rows = decode_dictionaries(table, REPORT_SCHEMA.names), table.num_rows
        super().__init__(plan, name, self._table.schema)

    def row_groups(self) -> list[RowGroups]:
        """What can be tallied beside each other."""
        starts = range(0, self.rows, MIN_GROUP_ROWS)
        return [
            RowGroups(self, range(group, group + 1), first, min(MIN_GROUP_ROWS, self.rows - first))
            for group, first in enumerate(starts)
        ]

    def columns(self, names: tuple[str, ...], groups: range | None = None) -> Iterator[pa.RecordBatch]:
        """These columns as they are, unchecked, of all row groups or of some."""
        groups = range(-(-self.rows // MIN_GROUP_ROWS)) if groups is None else groups
        rows = self._table.slice(groups.start * MIN_GROUP_ROWS, len(groups) * MIN_GROUP_ROWS)
        yield from batches_of(rows.select(names), BATCH_ROWS)
