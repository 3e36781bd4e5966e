"""A Parquet file that others wrote, read piece by piece in a bounded memory."""

from collections.abc import Iterator, Sequence

import pyarrow as pa
import pyarrow.parquet as pq

from hushwatt.wire.reports.parquet_bounds import UnsafeParquet, check_footer, check_pages
from hushwatt.wire.storage.location import Location, opener

BATCH_ROWS = 1 << 18  # in a batch: large enough to be quick, small enough to stay in the cache
BATCH_BYTES = 1 << 26  # bytes that its longest texts may come to
BUFFER_BYTES = 1 << 20  # bytes read at a time, so that a large row group is never in memory whole
MAX_OPEN_PAGES = 1 << 28  # bytes of the pages of all columns that are unpacked at a time


class BoundedParquet:
    """The columns of a Parquet file; those that nobody asks for are never read.

    What would take too much is UnsafeParquet before it is unpacked.
    """

    def __init__(self, path: Location) -> None:
        self.path = path
        self._opened = opener(path)
        check_footer(self._opened)
        try:
            with pq.ParquetFile(self._opened()) as file:
                self.schema, self._footer = file.schema_arrow, file.metadata
        except (OSError, ValueError, pa.ArrowException):
            raise UnsafeParquet("not a Parquet file, or not a complete one") from None
        self.rows: int = self._footer.num_rows

    def batches(self, columns: Sequence[str], rows: int = BATCH_ROWS) -> Iterator[pa.RecordBatch]:
        """These columns, at most so many rows at a time; texts with a dictionary stay coded."""
        if double := next((name for name in columns if self.schema.names.count(name) > 1), None):
            raise UnsafeParquet(f"column {double} is there twice")
        pages = check_pages(self._opened, self._footer, columns)
        if pages.open > MAX_OPEN_PAGES:
            raise UnsafeParquet(
                f"its pages unpack to {pages.open:,} bytes at a time; at most {MAX_OPEN_PAGES:,} are read"
            )
        together = max(1, min(rows, BATCH_BYTES // max(pages.largest, 1)))
        with pq.ParquetFile(
            self._opened(),
            read_dictionary=[name for name in columns if name in pages.coded and self._is_text(name)],
            pre_buffer=False,
            buffer_size=BUFFER_BYTES,
        ) as file:
            for batch in file.iter_batches(together, columns=list(columns), use_threads=False):
                yield batch.select(list(columns))

    def _is_text(self, name: str) -> bool:
        kind = self.schema.field(name).type
        return bool(pa.types.is_string(kind) or pa.types.is_binary(kind) or pa.types.is_large_string(kind))
