"""The rows of a table of reports in their plain form, once every one of them has been checked."""

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from hushwatt.wire.reports.columns import MAX_NAME, byte_lengths, payload_matrix, payload_sizes, to_strings
from hushwatt.wire.reports.order import SortKeys, to_mask
from hushwatt.wire.reports.schema import REPORT_SCHEMA, ReportBatch
from hushwatt.wire.row_error import RowError, refuse

MAX_AMOUNT = (1 << 63) - 1  # an amount can be any
INTEGERS = ("slot", "round", "spent", "drawn")


def check_batch(batch: pa.RecordBatch, slots: int, size: int) -> ReportBatch:
    """The reports of a batch, for a plan with so many slots and payloads of `size` bytes.

    A row that no report can be is a RowError.
    """
    for name in REPORT_SCHEMA.names:
        if batch.column(name).null_count:
            refuse(to_mask(batch.column(name).is_null()), f"column {name} is missing")
    slot, round, spent, drawn = (_integers(batch.column(name), name) for name in INTEGERS)
    _refuse_outside(slot, slots - 1, f"the plan has slots 0 to {slots - 1}")
    _refuse_outside(round, 1, "the round must be 0 or 1")
    for amount in (spent, drawn):
        _refuse_outside(amount, MAX_AMOUNT, "spent and drawn cannot be negative")
    payloads = _payloads(batch.column("payload"), size)
    return ReportBatch(_names(batch.column("household")), slot, round, spent, drawn, payloads)


def unchecked_keys(batch: pa.RecordBatch) -> SortKeys | None:
    """What tells the reports apart, as it stands; None when a row has no such thing."""
    if any(batch.column(name).null_count for name in ("household", "slot", "round")):
        return None
    try:
        slot, round = (_integers(batch.column(name), name) for name in ("slot", "round"))
        return _names(batch.column("household")), slot, round
    except RowError:
        return None


def _integers(column: pa.Array, name: str) -> NDArray[Any]:
    kind = REPORT_SCHEMA.field(name).type
    if column.type == kind:
        return np.asarray(column)
    try:
        return np.asarray(column.cast(kind))
    except pa.ArrowInvalid:
        raise RowError(0, f"column {name}: from here on, a number that does not fit {kind}") from None


def _refuse_outside(column: NDArray[Any], most: int, problem: str) -> None:
    """Raise for the first number below 0 or above the most it can be."""
    if len(column) and (column.min() < 0 or column.max() > most):
        refuse((column < 0) | (column > most), problem)


def _names(column: pa.Array) -> pa.Array:
    """The names of homes, none of which is longer than a name, nor anything but text."""
    each = column.dictionary if pa.types.is_dictionary(column.type) else column  # a few stand for all
    if len(each) and pc.max(pc.binary_length(each)).as_py() > MAX_NAME:
        refuse(byte_lengths(column) > MAX_NAME, f"the name of a home has at most {MAX_NAME} bytes")
    try:
        each.validate(full=True)
    except pa.ArrowInvalid:
        refuse(np.array([not _is_text(name) for name in column]), "the name of the home is not UTF-8")
    return to_strings(column)


def _is_text(name: pa.Scalar) -> bool:
    try:
        name.as_py()
    except UnicodeDecodeError:
        return False
    return True


def _payloads(column: pa.Array, size: int) -> NDArray[np.uint8]:
    problem = f"the plan's payloads have {size} bytes, this one has not"
    if pa.types.is_dictionary(column.type):
        refuse(byte_lengths(column) != size, problem)
        column = column.cast(column.type.value_type)
    if pa.types.is_binary_view(column.type):
        column = column.cast(pa.binary())
    refuse(payload_sizes(column) != size, problem)
    return payload_matrix(column, size)
