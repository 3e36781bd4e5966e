"""What a column of readings may hold, and its plain form for the steps that follow.

Each function takes a column as a file gave it, refuses what must not be there
with a `CellError`, and never puts a value into the refusal.
"""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from hushwatt.errors import ReadingsError
from hushwatt.wire.reports.columns import MAX_NAME

COLUMNS = ("household", "time", "appliance", "watts")
NANOSECONDS = {"s": 10**9, "ms": 10**6, "us": 10**3, "ns": 1}
EARLIEST, LATEST = -(2**63), 2**63 - 1  # what nanoseconds since 1970 can say: the years 1677 to 2262
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class CellError(Exception):
    """One cell is not acceptable: how many rows into its batch, in which column, and why."""

    def __init__(self, row: int, column: str, problem: str) -> None:
        self.row, self.column, self.problem = row, column, problem
        super().__init__(row, column, problem)


@dataclass(frozen=True)
class EncodedNames:
    """A column of names: for every row a code, for every code a text; texts may be there twice."""

    codes: NDArray[np.int32]
    texts: pa.Array  # string


def wrong_type(column: str, kind: pa.DataType) -> str | None:
    """Why a table's column of this type is refused, or None when it is not.

    >>> wrong_type("time", pa.timestamp("ms"))
    >>> wrong_type("time", pa.int64())
    'int64, not a timestamp'
    """
    inner = kind.value_type if pa.types.is_dictionary(kind) else kind
    fits, wanted = {
        "household": (_is_text(inner) or pa.types.is_integer(inner), "text or whole numbers"),
        "time": (pa.types.is_timestamp(kind) or pa.types.is_date(kind), "a timestamp"),
        "appliance": (_is_text(inner), "text"),
        "watts": (pa.types.is_integer(kind) or pa.types.is_floating(kind), "a number"),
    }[column]
    return None if fits else f"{inner}, not {wanted}"


def check_columns(name: str, schema: pa.Schema) -> None:
    """Refuse a table that lacks one of the columns, has it twice, or has other things in it."""
    for column in COLUMNS:
        indices = schema.get_all_field_indices(column)
        if len(indices) != 1:
            raise ReadingsError(f"{name}, column {column}: {'there twice' if indices else 'not there'}")
        if problem := wrong_type(column, schema.field(indices[0]).type):
            raise ReadingsError(f"{name}, column {column}: {problem}")


def encode_names(column: str, array: pa.Array) -> EncodedNames:
    """The texts of a column of names; whole numbers become their decimal text."""
    refuse_missing(column, array)
    if pa.types.is_dictionary(array.type):
        codes, values = array.indices.to_numpy().astype(np.int32, copy=False), array.dictionary
    else:
        codes, values = _encode_runs(_plain_text(array))
    if not pa.types.is_integer(values.type):
        _refuse_long(column, codes, values)
    texts = _plain_text(values).cast(pa.string())
    _refuse_broken_text(column, codes, texts)
    return EncodedNames(codes, texts)


def to_nanoseconds(array: pa.Array) -> NDArray[np.int64]:
    """Nanoseconds since 1970, UTC; a time without a zone is UTC.

    >>> to_nanoseconds(pa.array(["2024-01-01", "2024-01-01T01:00+01:00"]).dictionary_encode()).tolist()
    [1704067200000000000, 1704067200000000000]
    """
    refuse_missing("time", array)
    if pa.types.is_dictionary(array.type):
        return _parse_texts(encode_names("time", array))
    if pa.types.is_date(array.type):
        array = array.cast(pa.timestamp("s"))
    return _saturated(array.cast(pa.int64()).to_numpy(), NANOSECONDS[array.type.unit])


def to_watts(array: pa.Array) -> NDArray[np.float64]:
    """Finite numbers, negative ones included; none of them missing."""
    refuse_missing("watts", array)
    numbers: NDArray[np.float64] = array.to_numpy(zero_copy_only=False).astype(np.float64, copy=False)
    finite = np.isfinite(numbers)
    if not finite.all():
        _refuse_where(~finite, "watts", "not a finite number")
    return numbers


def refuse_missing(column: str, array: pa.Array) -> None:
    """Refuse a column with a cell that is not there."""
    if array.null_count:
        _refuse_where(array.is_null().to_numpy(zero_copy_only=False), column, "missing")


def parse_nanoseconds(text: str) -> int:
    """Nanoseconds since 1970 of an ISO time; a ValueError when it is none.

    >>> parse_nanoseconds("2024-01-01 00:00:00+01:00")
    1704063600000000000
    """
    if text[4:5] != "-":
        raise ValueError("not an ISO time")
    moment = datetime.fromisoformat(text.strip())
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return max(EARLIEST, min(LATEST, (moment - EPOCH) // timedelta(microseconds=1) * 1000))


def _parse_texts(times: EncodedNames) -> NDArray[np.int64]:
    for kind in (pa.timestamp("ns"), pa.timestamp("ns", "UTC")):
        try:
            return np.asarray(times.texts.cast(kind).cast(pa.int64()).to_numpy()[times.codes])
        except pa.ArrowInvalid:
            continue
    return _parse_one_by_one(times)


def _parse_one_by_one(times: EncodedNames) -> NDArray[np.int64]:
    """With and without zones in one column, or something that is no time."""
    parsed = np.zeros(len(times.texts), dtype=np.int64)
    for code, text in enumerate(times.texts.to_pylist()):
        try:
            parsed[code] = parse_nanoseconds(text)
        except ValueError:
            _refuse_where(times.codes == code, "time", "not a time")
    return parsed[times.codes]


def _saturated(counted: NDArray[np.int64], unit: int) -> NDArray[np.int64]:
    """In nanoseconds; moments too far off for them are the earliest or the latest there is."""
    return counted if unit == 1 else np.clip(counted, -(LATEST // unit), LATEST // unit) * unit


def _encode_runs(array: pa.Array) -> tuple[NDArray[np.int32], pa.Array]:
    """A code for every run of equal names: cheaper than finding out which runs have the same one."""
    begins = np.ones(len(array), dtype=np.bool_)
    begins[1:] = pc.not_equal(array[1:], array[:-1]).to_numpy(zero_copy_only=False)
    return np.cumsum(begins, dtype=np.int32) - np.int32(1), array.filter(pa.array(begins))


def _is_text(kind: pa.DataType) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind))


def _plain_text(array: pa.Array) -> pa.Array:
    return array.cast(pa.string()) if pa.types.is_string_view(array.type) else array


def _refuse_long(column: str, codes: NDArray[np.int32], texts: pa.Array) -> None:
    """Refuse a name that would take gigabytes when it is repeated."""
    if len(texts) and pc.max(sizes := pc.binary_length(texts)).as_py() > MAX_NAME:
        long = np.asarray(sizes) > MAX_NAME
        _refuse_where(long[codes], column, f"longer than {MAX_NAME} bytes")


def _refuse_broken_text(column: str, codes: NDArray[np.int32], texts: pa.Array) -> None:
    try:
        texts.validate(full=True)
    except pa.ArrowInvalid:
        for code in range(len(texts)):
            try:
                texts[code].as_py()
            except UnicodeDecodeError:
                _refuse_where(codes == code, column, "not UTF-8")


def _refuse_where(bad: NDArray[np.bool_], column: str, problem: str) -> None:
    """Refuse the first bad row, if there is one."""
    if bad.any():
        raise CellError(int(bad.argmax()), column, problem)
