"""A table of readings in memory, read as a file of them is."""

from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa

from hushwatt.fleet.readings.columns import COLUMNS, check_columns
from hushwatt.fleet.readings.parquet_file import BATCH_ROWS
from hushwatt.wire.arrow_tables import batches_of, decode_dictionaries


class ArrowReadings:
    """The four columns of a pyarrow table; the rest of it is never looked at."""

    def __init__(self, table: pa.Table, name: str = "readings") -> None:
        self.path, self.size = Path(name), table.nbytes
        self._table = decode_dictionaries(table, COLUMNS)
        check_columns(name, self._table.schema)

    def batches(self, columns: tuple[str, ...]) -> Iterator[tuple[pa.RecordBatch, float]]:
        """These columns piece by piece, and the fraction of the table that has passed."""
        done = 0
        for batch in batches_of(self._table.select(columns), BATCH_ROWS):
            done += batch.num_rows
            yield batch, done / self._table.num_rows

    def where(self, row: int) -> str:
        """The words for a row, counted from 0."""
        return f"row {row + 1}"
