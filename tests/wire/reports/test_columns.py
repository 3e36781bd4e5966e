"""A part of a column is read like a whole one, in every form."""

import pyarrow as pa
import pytest

from hushwatt.wire.reports.columns import is_allowed_type, payload_matrix, payload_sizes

PAYLOADS = [b"ab", b"cd", b"ef", b"gh"]


@pytest.mark.parametrize("kind", [pa.binary(), pa.large_binary(), pa.binary(2)])
@pytest.mark.parametrize("start, count", [(0, 4), (1, 2), (3, 1), (4, 0)])
def test_parts_of_a_column(kind, start, count):
    """A slice has its own payloads, and not its neighbours'."""
    part = pa.array(PAYLOADS, kind).slice(start, count)

    assert [row.tobytes() for row in payload_matrix(part, 2)] == PAYLOADS[start : start + count]
    assert payload_sizes(part).tolist() == [2] * count


def test_an_empty_column():
    """A column without values has neither sizes nor payloads."""
    assert payload_sizes(pa.array([], pa.binary())).tolist() == []
    assert payload_matrix(pa.array([], pa.binary()), 2).shape == (0, 2)


@pytest.mark.parametrize("name", ["slot", "round", "spent", "drawn", "payload"])
def test_codes_are_for_names_only(name):
    """Only households may be stored as codes."""
    assert is_allowed_type("household", pa.dictionary(pa.int8(), pa.string()))
    assert not is_allowed_type(name, pa.dictionary(pa.int8(), pa.string()))
