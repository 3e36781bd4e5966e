"""Text becomes a table, or one line that says where it does not."""

from decimal import Decimal

import pytest

from hushwatt.errors import PlanError
from hushwatt.plan.document import LARGEST, as_written, decode, is_json, parse_json, parse_toml


def _refusal(call, *given):
    with pytest.raises(PlanError) as refusal:
        call(*given)
    return str(refusal.value)


def test_decimals_are_kept():
    """A decimal stays as written."""

    assert parse_toml("epsilon = 0.1000000000000000000000000001") == {
        "epsilon": Decimal("0.1000000000000000000000000001")
    }


@pytest.mark.parametrize(
    "text, message",
    [
        ("a = 1\nb = = 2", "line 2, column 5: Invalid value"),
        ("a = 1\nb = '", 'line 2, column 6: Expected "\'"'),
        ("a = 1\na = 2", "line 2, column 6: Cannot overwrite a value"),
        ("a = [1,\n2", "line 2, column 2: Unclosed array"),
    ],
)
def test_toml_mistakes_have_a_place(text, message):
    """A mistake in TOML is told with its line and column."""

    assert _refusal(parse_toml, text) == message


@pytest.mark.parametrize(
    "text, message",
    [
        ('{"a": 1,\n "b" 2}', "line 2, column 6: Expecting ':' delimiter"),
        ('{"a": 1, "a": 1}', "names a key twice"),
    ],
)
def test_json_mistakes(text, message):
    """A mistake in JSON is told with its place, and a key may come once."""

    assert _refusal(parse_json, text) == message


@pytest.mark.parametrize(
    "parse, text",
    [
        (parse_toml, "a = " + "9" * 5_000),
        (parse_toml, "a = 1e" + "9" * 30),
        (parse_toml, "a = " + "[" * 50_000),
        (parse_json, '{"a": ' + "9" * 5_000 + "}"),
        (parse_json, '{"a": 1e' + "9" * 30 + "}"),
        (parse_json, '{"a": ' * 50_000),
    ],
    ids=range(6),
)
def test_absurd_numbers_and_nestings(parse, text):
    """What would overwhelm the parser is refused in one line."""

    assert _refusal(parse, text) == "is not a plan: it holds a number or a nesting beyond all sense"


def test_text():
    """A byte order mark is no letter of the plan, and other encodings than UTF-8 are refused."""

    assert decode("\ufeffε".encode()) == decode("\ufeffε") == "ε"
    assert _refusal(decode, b"ab\xff") == "is not UTF-8 text: byte 2 cannot be read"
    assert _refusal(decode, b" " * (LARGEST + 1)) == "has 1,000,001 bytes; a plan has at most 1,000,000"


def test_which_language():
    """Only the canonical form begins with a brace."""

    assert is_json(' \n{"a": 1}')
    assert not is_json("name = '{'")


def test_as_written():
    """Canonical amounts and watts become the decimals an author would write."""
    canonical = {
        "appliance_epsilon": 250_000,
        "appliance": [{"values": ["0", "1.5"], "typical_mean": "3", "typical_high": "4"}],
    }

    assert as_written(canonical) == {
        "appliance_epsilon": Decimal("0.25"),
        "appliance": [{"values": [Decimal(0), Decimal("1.5")], "typical_mean": Decimal(3), "typical_high": Decimal(4)}],
    }


@pytest.mark.parametrize(
    "strange",
    [
        {"epsilon": "1"},
        {"epsilon": True},
        {"epsilon": 10**30},
        {"appliance": 3},
        {"appliance": [3]},
        {"appliance": [{"edges": [1, "many"], "values": 3}]},
    ],
)
def test_strange_values_are_left_to_be_refused(strange):
    """What is not canonical is passed on as it is."""

    assert as_written(strange) == strange


def test_a_table_with_an_endless_name():
    """Every key is looked up from the first part of its table's name on: a long one costs its square."""
    text = "[" + ".".join(["a"] * 101) + "]\nb = 1\n"

    assert _refusal(parse_toml, "x = 1\n" + text) == "line 2: the name of a table has at most 200 letters"
    assert parse_toml("edges = [" + "1, " * 500 + "2]") == {"edges": [*[1] * 500, 2]}
