"""One Parquet file of readings, read piece by piece."""

from collections.abc import Iterator

import pyarrow as pa

from hushwatt.errors import ReadingsError
from hushwatt.fleet.readings.columns import check_columns
from hushwatt.wire.reports.bounded_parquet import BATCH_ROWS, BoundedParquet
from hushwatt.wire.reports.parquet_bounds import DamagedColumn, UnsafeParquet
from hushwatt.wire.storage.location import Location

__all__ = ["BATCH_ROWS", "ParquetReadings"]


class ParquetReadings:
    """The four columns of a Parquet file; the rest of it is never read."""

    def __init__(self, path: Location) -> None:
        self.path = path
        try:
            self.size = path.stat().st_size
            self._file = BoundedParquet(path)
        except UnsafeParquet as unfit:
            raise ReadingsError(f"{path}: {unfit}") from None
        except OSError:
            raise ReadingsError(f"{path}: not a Parquet file, or not a complete one") from None
        check_columns(str(path), self._file.schema)

    def batches(self, columns: tuple[str, ...]) -> Iterator[tuple[pa.RecordBatch, float]]:
        """These columns piece by piece, and the fraction of the file that has passed."""
        done = 0
        try:
            for batch in self._file.batches(columns):
                done += batch.num_rows
                yield batch, done / self._file.rows
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
