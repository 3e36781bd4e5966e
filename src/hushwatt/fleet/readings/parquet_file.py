"""One Parquet file of readings, read piece by piece."""

from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from hushwatt.errors import ReadingsError
from hushwatt.fleet.readings.columns import check_columns
from hushwatt.wire.reports.parquet_bounds import DamagedColumn, PageSummary, UnsafeParquet, check_footer, check_pages

BATCH_ROWS = 1 << 18  # in a batch: large enough to be quick, small enough to stay in the cache
BATCH_BYTES = 1 << 26  # bytes that its longest texts may come to
TEXT_COLUMNS = {"household", "appliance"}
BUFFER_BYTES = 1 << 20  # bytes read at a time, so that a large row group is never in memory whole


class ParquetReadings:
    """The four columns of a Parquet file; the rest of it is never read."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            self.size = path.stat().st_size
            check_footer(lambda: path)
            with pq.ParquetFile(path) as file:
                self._rows = file.metadata.num_rows
                check_columns(str(path), file.schema_arrow)
        except UnsafeParquet as unfit:
            raise ReadingsError(f"{path}: {unfit}") from None
        except (OSError, ValueError, pa.ArrowException):
            raise ReadingsError(f"{path}: not a Parquet file, or not a complete one") from None

    def batches(self, columns: tuple[str, ...]) -> Iterator[tuple[pa.RecordBatch, float]]:
        """These columns piece by piece, and the fraction of the file that has passed."""
        done = 0
        try:
            with pq.ParquetFile(self.path) as file:
                pages = check_pages(lambda: self.path, file.metadata, columns)
            together = max(1, min(BATCH_ROWS, BATCH_BYTES // max(pages.largest, 1)))
            with self._file(pages) as file:
                for batch in file.iter_batches(together, columns=list(columns), use_threads=False):
                    done += batch.num_rows
                    yield batch.select(columns), done / self._rows
        except FileNotFoundError:
            raise ReadingsError(f"{self.path}: it is not there any more") from None
        except (OSError, DamagedColumn, pa.ArrowException):
            shown = ", ".join(columns)
            raise ReadingsError(f"{self.path}, after row {done}, column {shown}: damaged") from None
        except UnsafeParquet as unfit:
            raise ReadingsError(f"{self.path}: {unfit}") from None

    def where(self, row: int) -> str:
        """The words for a row, counted from 0."""
        return f"row {row + 1}"

    def _file(self, pages: PageSummary) -> pq.ParquetFile:
        coded = sorted(pages.coded & TEXT_COLUMNS)  # quicker read as codes, and never longer than they are
        return pq.ParquetFile(self.path, read_dictionary=coded, pre_buffer=False, buffer_size=BUFFER_BYTES)
