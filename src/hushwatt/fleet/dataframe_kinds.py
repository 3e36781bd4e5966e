"""Frames of pandas, polars and pyarrow: all are welcome, and what was given is what comes back."""

from os import PathLike
from typing import Any

import pyarrow as pa

from hushwatt.errors import UsageError

Frame = Any  # a pyarrow table, a pandas or polars data frame, or the path of a file or folder
FilePath = str | PathLike[str]


def to_arrow(frame: Frame) -> pa.Table:
    """The same rows as a pyarrow table; a data frame's own notes become the table's labels.

    >>> to_arrow({"household": ["home 1"], "watts": [20.0]}).num_rows
    1
    """
    if isinstance(frame, pa.Table):
        return frame
    if library_of(frame) == "polars" and hasattr(frame, "lazy"):
        return frame.lazy().collect().to_arrow()
    try:
        table = pa.table(frame)
    except (TypeError, pa.ArrowException) as wrong:
        raise UsageError(
            f"a {type(frame).__name__} is no table; give a pyarrow table, a pandas or polars data frame, or a path"
        ) from wrong
    notes = {key: value for key, value in getattr(frame, "attrs", {}).items() if key.startswith("hushwatt.")}
    return table.replace_schema_metadata({**(table.schema.metadata or {}), **notes})


def from_arrow(kind: str, table: pa.Table) -> Frame:
    """The table as a frame of pandas or polars; for any other library it stays as it is.

    A pandas frame keeps the table's labels as its `attrs`; polars has no place for them.
    """
    if kind == "pandas":
        made = table.to_pandas()
        labels = table.schema.metadata or {}
        made.attrs = {key.decode(): value.decode() for key, value in labels.items() if key != b"pandas"}
        return made
    if kind == "polars":
        import polars

        return polars.from_arrow(table)
    return table


def library_of(frame: Frame) -> str:
    """Which library made it.

    >>> library_of(pa.table({}))
    'pyarrow'
    """
    return type(frame).__module__.partition(".")[0]
