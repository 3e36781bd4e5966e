"""Many values at once in PostgreSQL's own binary form, made by NumPy: text takes longer than the database."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from psycopg.adapt import Dumper
from psycopg.pq import Format

from hushwatt.provider.store.session import HomeNumbers

Columns = dict[str, NDArray[Any] | int]
COPY_HEADER, COPY_TRAILER = b"PGCOPY\n\xff\r\n\0" + bytes(8), b"\xff\xff"
BIGINT_OID, BIGINT_ARRAY_OID = 20, 1016  # the numbers of the types bigint and bigint[]


class BigintArray:
    """Many numbers as one value of a statement."""

    def __init__(self, values: HomeNumbers) -> None:
        self.values = values


class BigintArrayDumper(Dumper):
    """Writes them as bigint[]: dimensions, kind and length, then each number with its length before it."""

    oid = BIGINT_ARRAY_OID
    format = Format.BINARY

    def dump(self, numbers: BigintArray) -> bytes:
        count = len(numbers.values)
        head = np.array([1, 0, BIGINT_OID, count, 1] if count else [0, 0, BIGINT_OID], dtype=">i4")
        return head.tobytes() + _rows([], count, {"number": numbers.values}).tobytes()


def copy_bytes(count: int, columns: Columns) -> bytes:
    """Rows for COPY: a count of fields, then each with its length before it; a number stands for all rows."""
    rows = _rows([("fields", ">i2")], count, columns)
    rows["fields"] = len(columns)
    return COPY_HEADER + rows.tobytes() + COPY_TRAILER


def _rows(first: list[Any], count: int, columns: Columns) -> NDArray[Any]:
    fields = list(first)
    for name, values in columns.items():
        each = np.shape(values)[1:]  # the bytes of one, or nothing for whole numbers
        number = ">i4" if np.asarray(values).dtype == np.int32 else ">i8"
        fields += [(f"{name} length", ">i4"), (name, np.uint8, each) if each else (name, number)]
    rows = np.empty(count, dtype=np.dtype(fields))
    for name, values in columns.items():
        rows[f"{name} length"] = rows.dtype[name].itemsize
        rows[name] = values
    return rows
