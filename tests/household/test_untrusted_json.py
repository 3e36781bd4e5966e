"""Foreign JSON gives a value or one Malformed."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hushwatt.household.untrusted_json import (
    MAX_DEPTH,
    Malformed,
    as_count,
    as_finite,
    as_list,
    as_table,
    parse_decimal,
    parse_json,
)

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


@given(VALUES)
def test_sensible_documents_are_read(value):
    """What is not too deep and not too large comes out as it went in."""

    assert parse_json(json.dumps(value).encode()) == json.loads(json.dumps(value))


@given(st.binary(max_size=200))
def test_any_bytes_are_a_value_or_malformed(data):
    """Nothing else can come of them."""
    try:
        parse_json(data)
    except Malformed:
        return


@pytest.mark.parametrize("opening, closing", [(b"[", b"]"), (b'{"a":', b"}")])
def test_depth_is_bounded(opening, closing):
    """As deep as it may be, and one more; whether or not it is closed."""
    inner = b"1"
    parse_json(opening * (MAX_DEPTH - 1) + inner + closing * (MAX_DEPTH - 1))

    for depth in (MAX_DEPTH + 1, 500, 900, 5_000):
        with pytest.raises(Malformed, match="deeply"):
            parse_json(opening * depth + inner + closing * depth)
    with pytest.raises(Malformed):
        parse_json(opening * 200_000)


@pytest.mark.parametrize(
    "data", [b"[" + b"0," * 600_000 + b"0]", b"9" * 5_000, b"\xff\xfe", b"", b"{'a': 1}"], ids=range(5)
)
def test_nonsense_is_malformed(data):
    """Too large, too long a number, no text, nothing, not JSON."""
    with pytest.raises(Malformed):
        parse_json(data)


@pytest.mark.parametrize(
    "word", ["\u0661\u0662", "1_000", "1e999", "nan", "inf", "0x1", "", "1" * 500, "1\u00a02", "\uff11"]
)
def test_odd_numbers_are_malformed(word):
    """Python's float reads more than a plug should send."""
    with pytest.raises(Malformed):
        parse_decimal(word)


@pytest.mark.parametrize("space", [" ", "\t", "\x1c", "\x1f", "\x85", "\u2028"])
def test_space_around_a_number(space):
    """Whatever counts as space around a number, it is the number."""

    assert parse_decimal(f"{space}12.5{space}") == 12.5


def test_typed_looks():
    """A wrong type is as good as nothing."""

    assert (as_table([1]), as_list({"a": 1}), as_count(True), as_count(1.0), as_count(2**60)) == (
        {},
        [],
        None,
        None,
        None,
    )
    with pytest.raises(Malformed):
        as_finite(10**400)
