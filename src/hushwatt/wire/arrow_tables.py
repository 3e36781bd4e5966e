"""Tables in memory, in the plain form and the batches in which a Parquet file would give them back."""

from collections.abc import Collection, Iterator

import pyarrow as pa

TEXT_TYPES = (pa.string(), pa.large_string(), pa.string_view(), pa.binary(), pa.large_binary())


def decode_dictionaries(table: pa.Table, names: Collection[str]) -> pa.Table:
    """The table with plain columns of these names; dictionaries of texts stay, unless a text is missing.

    >>> decode_dictionaries(pa.table({"slot": pa.array([7, 7]).dictionary_encode()}), ["slot"]).schema.types
    [DataType(int64)]
    """
    columns = [
        column.cast(column.type.value_type) if name in names and _needs_decoding(column) else column
        for name, column in zip(table.column_names, table.columns, strict=True)
    ]
    return pa.Table.from_arrays(columns, table.column_names, metadata=table.schema.metadata)


def batches_of(table: pa.Table, rows: int) -> Iterator[pa.RecordBatch]:
    """The table in batches of so many rows, however its chunks lie.

    >>> [batch.num_rows for batch in batches_of(pa.table({"slot": range(5)}), 2)]
    [2, 2, 1]
    """
    for first in range(0, table.num_rows, rows):
        yield from table.slice(first, rows).combine_chunks().to_batches()


def _needs_decoding(column: pa.ChunkedArray) -> bool:
    if not pa.types.is_dictionary(column.type):
        return False
    has_gaps = any(chunk.dictionary.null_count for chunk in column.chunks)
    return column.type.value_type not in TEXT_TYPES or has_gaps
