"""Thrift's compact protocol: what is passed over, and what is refused."""

import pytest

from hushwatt.wire.reports.thrift import BINARY, LIST, MAP, MAX_DEPTH, STRUCT, CompactReader


def test_a_map_is_passed_over():
    """A map of texts to numbers is left behind whole, an empty one too."""
    reader = CompactReader(bytes([2, BINARY << 4 | 5, 1, 97, 4, 1, 98, 6, 0, 9]))
    reader.value(MAP)
    after = reader.position
    reader.value(MAP)

    assert (after, reader.position) == (8, 9)


@pytest.mark.parametrize(
    "kind, data, told",
    [
        (STRUCT, bytes([STRUCT | 16]) * (MAX_DEPTH + 2), "nested too deep"),
        (LIST, bytes([16 | LIST]) * (MAX_DEPTH + 2), "nested too deep"),
        (5, b"\xff" * 11, "a number too long"),
    ],
)
def test_what_leads_nowhere_is_refused(kind, data, told):
    """Bytes that nest without end, or a number without one, are an error."""

    with pytest.raises(ValueError, match=told):
        CompactReader(data).value(kind)
