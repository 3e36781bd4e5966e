"""The readings table as a file: household, time, appliance, watts.

It is written page by page as it is made, so memory stays bounded whatever its
length, and its schema says where the numbers come from.
"""

import json
from collections.abc import Callable, Iterable
from pathlib import Path

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq

from hushwatt.wire.storage import Location, atomic_write_to

SCHEMA = pa.schema(
    [
        ("household", pa.string()),
        ("time", pa.timestamp("us", tz="UTC")),
        ("appliance", pa.string()),
        ("watts", pa.float64()),
    ]
)
ENCODED = pa.dictionary(pa.int32(), pa.string())  # how names travel inside; a file has plain strings

SYNTHETIC = "hushwatt.synthetic"  # key of the schema's metadata: what invented these numbers
SOURCE = "hushwatt.source"  # likewise: what measured them

Pages = Iterable[pa.RecordBatch]
Label = dict[str, object]
Advance = Callable[[int], None]


def write_readings(pages: Pages, path: Location, label: Label, advance: Advance = lambda rows: None) -> None:
    """Write a readings table to `path`, as CSV if its name ends so and else as Parquet.

    `label` goes into the schema of a Parquet file; `advance` hears how many
    more rows are written.
    """
    save = _write_csv if path.suffix.lower() == ".csv" else _write_parquet
    with atomic_write_to(path) as temporary:
        save(pages, temporary, label, advance)


def _write_parquet(pages: Pages, path: Path, label: Label, advance: Advance) -> None:
    coded = pa.schema([field.with_type(ENCODED) if field.type == pa.string() else field for field in SCHEMA])
    # Without Arrow's own schema, names are plain strings to whoever reads the file.
    with pq.ParquetWriter(path, coded, store_schema=False, use_dictionary=SCHEMA.names[:3]) as out:
        out.add_key_value_metadata({key: json.dumps(value) for key, value in label.items()})
        for page in pages:
            out.write_batch(page.cast(coded), row_group_size=page.num_rows)
            advance(page.num_rows)


def _write_csv(pages: Pages, path: Path, label: Label, advance: Advance) -> None:
    plain = SCHEMA.set(1, pa.field("time", pa.timestamp("s", tz="UTC")))
    with pyarrow.csv.CSVWriter(path, plain) as out:
        for page in pages:
            out.write_batch(page.cast(plain))
            advance(page.num_rows)
