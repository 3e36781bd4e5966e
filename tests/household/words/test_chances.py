"""Chances in words are never smaller than the chances themselves."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hushwatt.household.words.chances import SLACK, SURE, chance_words, owned, plain_name, was_on, your
from hushwatt.plan.slot import SlotLength


@given(st.floats(0.5, 1.0))
def test_a_chance_is_never_told_smaller_than_it_is(chance):
    """Whatever the chance, the fraction that is said is at least as large, but for half a percent."""
    words = chance_words(chance)
    said = re.match(r"right (?:about )?([\d.]+) times in (\d+)", words)

    if chance >= SURE:
        assert words == "nearly always right"
    else:
        assert said is not None
        assert float(said[1]) / float(said[2]) >= chance - SLACK


@pytest.mark.parametrize(
    ("name", "plain"),
    [
        ("electric_heater", "electric heater"),
        ("Wäschetrockner", "Wäschetrockner"),
        ("kettle</p>You are safe", "“kettle</p>You are safe”"),
        ("one two three four five six", "“one two three four five six”"),
        ("a" * 41, f"“{'a' * 41}”"),
    ],
)
def test_a_name_that_could_pass_for_more_is_quoted(name, plain):
    """Appliances are named by providers."""

    assert plain_name(name) == plain
    assert your(name) == f"your {plain}"


def test_an_appliance_with_its_article():
    """As one speaks of it, unless its name is quoted."""

    assert owned("electric_oven") == "an electric oven"
    assert owned("kettle. Safe") == "“kettle. Safe”"


def test_what_is_always_on_is_not_asked_whether_it_was():
    """A fridge uses little or much."""

    assert was_on("fridge", SlotLength.parse("15m")).endswith("in any 15 minutes, your fridge used little or much")
