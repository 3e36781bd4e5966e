"""Columns of a state file: numbers, rows of bytes, and lines of charges, a value for each home."""

from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from hushwatt.privacy.charge_lines import ChargeLines


def numbers(table: pa.Table, name: str, kind: type[np.generic]) -> NDArray[Any]:
    """A column of whole numbers."""
    column = table[name]
    if column.null_count or not pa.types.is_integer(column.type):
        raise ValueError("not whole numbers")
    return np.asarray(column.to_numpy().astype(kind))


def check_between(values: NDArray[Any] | None, low: int, limit: int) -> None:
    """Refuse numbers below `low`, or not below `limit`."""
    if values is not None and values.size and not (values.min() >= low and values.max() < limit):
        raise ValueError("a number out of range")


def binary(rows: NDArray[Any]) -> pa.Array:
    """The bytes of every row."""
    width = rows.shape[1] * rows.itemsize
    data = pa.py_buffer(np.ascontiguousarray(rows))
    return pa.FixedSizeBinaryArray.from_buffers(pa.binary(width), len(rows), [None, data])


def matrix(table: pa.Table, name: str, like: NDArray[Any] | None) -> NDArray[Any] | None:
    """The rows back from their bytes, shaped like `like`."""
    if like is None:
        return None
    column = table[name].combine_chunks()
    width = like.shape[1] * like.itemsize
    if column.null_count or column.type != pa.binary(width):
        raise ValueError("not rows of this width")
    data = np.frombuffer(column.buffers()[1] or b"", dtype=np.uint8)
    held = data[column.offset * width : (column.offset + len(column)) * width]
    return held.view(like.dtype).reshape(len(column), like.shape[1]).copy()


def packed(lines: ChargeLines, homes: int) -> pa.Array:
    """The lines of each home, one after the other: slot (4 bytes), amount (8), appliances (2 each)."""
    order = np.lexsort((lines.slots, lines.homes))
    rows = np.empty(len(lines), dtype=_row(0 if lines.members is None else lines.members.shape[1]))
    rows["slot"], rows["amount"] = lines.slots[order], lines.amounts[order]
    if lines.members is not None:
        rows["members"] = lines.members[order]
    ends = np.cumsum(np.bincount(lines.homes, minlength=homes)) * rows.itemsize
    places = np.concatenate([[0], ends]).astype(np.int64)
    buffers = [None, pa.py_buffer(places), pa.py_buffer(rows)]
    return pa.LargeBinaryArray.from_buffers(pa.large_binary(), homes, buffers)


def unpacked(table: pa.Table, name: str, asked: int = 0) -> ChargeLines:
    """The lines back from their bytes, with so many appliances each."""
    column = table[name].combine_chunks().cast(pa.large_binary())
    if column.null_count:
        raise ValueError("no lines")
    places = np.frombuffer(column.buffers()[1] or bytes(8), dtype=np.int64)
    places = places[column.offset : column.offset + len(column) + 1]
    kind, data = _row(asked), (column.buffers()[2] or b"")[int(places[0]) : int(places[-1])]
    if (np.diff(places) % kind.itemsize).any():
        raise ValueError("not whole lines")
    rows = np.frombuffer(bytes(data), dtype=kind)
    homes = np.repeat(np.arange(len(column), dtype=np.int32), np.diff(places) // kind.itemsize)
    members = rows["members"].astype(np.uint16) if asked else None
    return ChargeLines(rows["slot"].astype(np.int32), homes, rows["amount"].astype(np.int64), members).sorted()


def _row(asked: int) -> np.dtype[Any]:
    fields: list[Any] = [("slot", "<i4"), ("amount", "<i8")]
    return np.dtype([*fields, ("members", "<u2", (asked,))] if asked else fields)
