"""One Parquet file of readings, read piece by piece."""

from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from hushwatt.errors import ReadingsError
from hushwatt.fleet.columns import COLUMNS, wrong_type

ROWS = 1 << 18  # in a batch: large enough to be quick, small enough to stay in the cache
LENGTH = 4  # bytes
BUFFER = 1 << 20  # bytes read at a time, so that a large row group is never in memory whole


class ParquetReadings:
    """The four columns of a Parquet file; the rest of it is never read."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            self.size = path.stat().st_size
            with pq.ParquetFile(path) as file:
                self._rows = file.metadata.num_rows
                self._check(file.schema_arrow)
                self._coded = [name for name in ("household", "appliance") if _is_coded(file.metadata, name)]
        except (OSError, pa.ArrowException):
            raise ReadingsError(f"{path}: not a Parquet file, or not a complete one") from None

    def batches(self, columns: tuple[str, ...]) -> Iterator[tuple[pa.RecordBatch, float]]:
        """These columns piece by piece, and the fraction of the file that has passed."""
        done = 0
        try:
            with self._file() as file:
                for batch in file.iter_batches(ROWS, columns=list(columns), use_threads=False):
                    done += batch.num_rows
                    yield batch.select(columns), done / self._rows
        except (OSError, pa.ArrowException):
            shown = ", ".join(columns)
            raise ReadingsError(f"{self.path}, after row {done}, column {shown}: damaged") from None

    def where(self, row: int) -> str:
        """The words for a row, counted from 0."""
        return f"row {row + 1}"

    def _file(self) -> pq.ParquetFile:
        return pq.ParquetFile(self.path, read_dictionary=self._coded, pre_buffer=False, buffer_size=BUFFER)

    def _check(self, schema: pa.Schema) -> None:
        for column in COLUMNS:
            found = schema.get_all_field_indices(column)
            if len(found) != 1:
                raise ReadingsError(
                    f"{self.path}, column {column}: {'there twice' if found else 'not there'}"
                )
            if problem := wrong_type(column, schema.field(found[0]).type):
                raise ReadingsError(f"{self.path}, column {column}: {problem}")


def _is_coded(metadata: pq.FileMetaData, column: str) -> bool:
    """Does the file itself store these texts as codes?  Then they are quicker read as codes.

    A text in full takes four bytes for its length alone.
    """
    place = next(at for at in range(metadata.num_columns) if metadata.schema.column(at).path == column)
    chunks = [metadata.row_group(group).column(place) for group in range(metadata.num_row_groups)]
    size = sum(chunk.total_uncompressed_size for chunk in chunks)
    return bool(size < LENGTH * metadata.num_rows)
