"""Errors show values briefly and on one line."""

from hypothesis import given
from hypothesis import strategies as st

from hushwatt.plan.shown import LONGEST, nearest, shown

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.decimals() | st.text() | st.datetimes(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(VALUES)
def test_short_and_on_one_line(value):
    """Nothing from a file can make an error long, or break its line."""
    text = shown(value)

    assert len(text) <= LONGEST + 1
    assert len(text.splitlines()) == 1


def test_kinds():
    """Tables and lists are named, not spelled out; numbers too large to write are called so."""

    assert shown({"a": 1}) == "a table"
    assert shown([1]) == "a list"
    assert shown(True) == "true"
    assert shown(10**5000) == "a very large number"
    assert shown("x" * 100) == "'" + "x" * (LONGEST - 1) + "…"


def test_nearest():
    """The hint names the nearest known word, or there is none."""

    assert nearest("windo", ["window", "slot"]) == "; did you mean 'window'?"
    assert nearest("purple", ["window", "slot"]) == ""
