"""Every key is read by its type, and nothing unasked for gets through."""

from decimal import Decimal

import pytest

from hushwatt.errors import PlanError
from hushwatt.plan.section import Section


def _refusal(call):
    with pytest.raises(PlanError) as refusal:
        call()
    return str(refusal.value)


def test_values():
    """What is there and right comes back as it is."""
    section = Section({"word": "a", "count": 3, "share": Decimal("0.5"), "list": [1, Decimal("2.5")]}, "")

    assert section.text("word") == "a"
    assert section.whole("count") == 3
    assert section.choice("word", ["a", "b"]) == "a"
    assert section.amount("share") == 500_000
    assert section.watts("share") == 0.5
    assert section.watts_list("list") == (1.0, 2.5)


def test_defaults():
    """What is not there falls back where it may, and is None where it is optional."""
    section = Section({}, "")

    assert section.whole("count", 7) == 7
    assert section.choice("word", ["a", "b"], "b") == "b"
    assert section.watts("typical_mean") is None
    assert section.watts_list("edges") is None
    assert not section.has("edges")


@pytest.mark.parametrize("read", ["text", "whole", "amount", "required"])
def test_missing(read):
    """A required key is asked for by name."""

    assert _refusal(lambda: getattr(Section({}, "kettle: "), read)("name")) == "kettle: 'name' is missing"


@pytest.mark.parametrize(
    "read, value, message",
    [
        ("text", 3, "key is 3; it must be text in quotes"),
        ("text", ["a"], "key is a list; it must be text in quotes"),
        ("whole", "3", "key is '3'; it must be a whole number"),
        ("whole", Decimal("3.0"), "key is 3.0; it must be a whole number"),
        ("whole", True, "key is true; it must be a whole number"),
        ("amount", "much", "key: 'much' is not an amount of ε; write a number such as 0.5"),
        ("watts", "100", "key is '100'; it must be a number of watts"),
        ("watts", False, "key is false; it must be a number of watts"),
        ("watts", Decimal("sNaN"), "key is sNaN; it must be a finite number"),
        ("watts_list", 100, "key is 100; it must be a list of watts such as [100, 300]"),
        ("watts_list", [1, True], "key[1] is true; it must be a number of watts"),
        ("watts_list", [1, [2]], "key[1] is a list; it must be a number of watts"),
    ],
)
def test_wrong_type(read, value, message):
    """A wrong type is named by key, value and what it must be."""

    assert _refusal(lambda: getattr(Section({"key": value}, ""), read)("key")) == message


def test_numbers_beyond_all_floats():
    """An integer too large for a float is refused, not a crash."""

    assert "it must be a finite number" in _refusal(lambda: Section({"key": 10**400}, "").watts("key"))


def test_choice_hints():
    """A misspelt choice is answered with the choices and the nearest."""
    section = Section({"method": "lpau", "window": 3}, "")

    assert _refusal(lambda: section.choice("method", ["lbu", "lpu"])) == (
        "method is 'lpau'; it must be one of lbu, lpu; did you mean 'lpu'?"
    )
    assert _refusal(lambda: section.choice("window", ["a"])) == "window is 3; it must be one of a"


def test_unknown_keys():
    """An unknown key is refused with the nearest known one, or with all of them."""

    assert _refusal(lambda: Section({"edge": 1}, "kettle: ").only(["name", "edges"])) == (
        "kettle: unknown key 'edge'; did you mean 'edges'?"
    )
    assert _refusal(lambda: Section({"colour\n": 1}, "").only(["name", "edges"])) == (
        "unknown key 'colour\\n'; the keys are name, edges"
    )


def test_true_and_false():
    """A number is neither, and what is left out is the default."""
    section = Section({"share": True, "count": 1}, "")

    assert section.truth("share", default=False) is True
    assert section.truth("other", default=False) is False
    assert _refusal(lambda: section.truth("count", default=False)) == "count is 1; it must be true or false"
